internal import CacheCore

/// A line of a web server's log in the common log format, cut into its parts. What follows the bytes is not looked at.
struct CombinedLine {
    /// The virtual host, where the line begins with one.
    let host: UnsafeRawBufferPointer?
    let client: UnsafeRawBufferPointer
    /// The user who logged in, `-` for none; may hold blanks.
    let user: UnsafeRawBufferPointer
    let timeNanoseconds: Int64
    /// The request line, still escaped.
    let request: UnsafeRawBufferPointer
    let status: Int
    let bytes: UInt64

    /// Cuts a line.
    ///
    /// - Throws: `LineFault` for a line that is none.
    init(_ line: UnsafeRawBufferPointer) throws(LineFault) {
        guard line.first != 0x3c, let time = Self.time(line) else {
            throw LineFault(
                expected:
                    "an access log's line: client - user [25/Nov/2026:22:37:41 +0000] \"GET /path HTTP/1.1\" status bytes"
            )
        }
        timeNanoseconds = time.nanoseconds
        guard let (host, client, user) = Self.people(UnsafeRawBufferPointer(rebasing: line[..<time.range.lowerBound]))
        else {
            throw LineFault(
                UnsafeRawBufferPointer(rebasing: line[..<time.range.lowerBound]),
                expected: "a client, '-' and a user before the time")
        }
        (self.host, self.client, self.user) = (host, client, user)
        let start = time.range.upperBound + 1
        guard start < line.count, line[start] == 0x22, let (end, status) = Self.requestEnd(line, start + 1) else {
            throw LineFault(
                UnsafeRawBufferPointer(rebasing: line[time.range.upperBound...]),
                expected: "a request in quotes and a status of three digits behind the time")
        }
        request = UnsafeRawBufferPointer(rebasing: line[(start + 1)..<end])
        self.status = status
        var rest = SpacedFields(UnsafeRawBufferPointer(rebasing: line[(end + 5)...]))
        let field = rest.next()
        guard let field, let bytes = field.elementsEqual([0x2d]) ? 0 : Fields.integer(field), bytes <= UInt64(Int.max)
        else {
            throw LineFault(
                field ?? UnsafeRawBufferPointer(rebasing: line[line.count...]),
                expected: "the bytes sent behind the status: a whole number, or '-' for none")
        }
        self.bytes = bytes
    }

    /// The time, in brackets or as HTTP writes it, and its place with the brackets.
    private static func time(_ line: UnsafeRawBufferPointer) -> (range: Range<Int>, nanoseconds: Int64)? {
        var start = 0
        while let open = line[start...].firstIndex(of: 0x5b) {
            // A user may be called anything, also with a bracket.
            if open + 5 < line.count, line[open + 3] == 0x2f || line[open + 5] == 0x2d,
                // No time is longer, and a line may be.
                let close = line[open...].prefix(64).firstIndex(of: 0x5d)
            {
                let text = UnsafeRawBufferPointer(rebasing: line[(open + 1)..<close])
                if let time = LogTime.commonLog(text) ?? LogTime.iso8601(text) { return (open..<close + 1, time) }
            }
            start = open + 1
        }
        start = 0
        while let quote = line[start...].firstIndex(of: 0x22) {
            if quote >= 31, line[quote - 1] == 0x20,
                let time = LogTime.http(UnsafeRawBufferPointer(rebasing: line[(quote - 30)..<(quote - 1)]))
            {
                return (quote - 30..<quote - 1, time)
            }
            start = quote + 1
        }
        return nil
    }

    /// The client, the user, and the host where there is one in front.
    private static func people(
        _ text: UnsafeRawBufferPointer
    ) -> (host: UnsafeRawBufferPointer?, client: UnsafeRawBufferPointer, user: UnsafeRawBufferPointer)? {
        func isNone(_ field: UnsafeRawBufferPointer) -> Bool {
            field.elementsEqual([0x2d]) || field.elementsEqual([0x22, 0x2d, 0x22])
        }
        var fields = SpacedFields(text)
        guard let first = fields.next(), let second = fields.next() else { return nil }
        let afterTwo = fields
        guard let third = fields.next() else { return nil }
        let afterThree = fields
        let isHosted = !isNone(second) && isNone(third) && fields.next() != nil
        let user = (isHosted ? afterThree : afterTwo).remainder
        return isHosted ? (first, second, user) : (nil, first, user)
    }

    /// The quote that ends the request, and the status behind it. Some servers do not escape quotes inside the request.
    private static func requestEnd(_ line: UnsafeRawBufferPointer, _ start: Int) -> (Int, Int)? {
        var from = start
        while let end = EscapedText.end(in: line, from: from) {
            from = end + 1
            guard end + 5 <= line.count, line[end + 1] == 0x20 else { continue }
            let isAlone = end + 5 == line.count || line[end + 5] == 0x20
            let digits = UnsafeRawBufferPointer(rebasing: line[(end + 2)..<(end + 5)])
            if isAlone, let status = Fields.integer(digits) { return (end, Int(status)) }
        }
        return nil
    }

    /// The method and the URL of a request line; nil if it is none.
    static func parts(
        ofRequest text: UnsafeRawBufferPointer
    ) -> (method: UnsafeRawBufferPointer, url: UnsafeRawBufferPointer)? {
        guard let blank = text.firstIndex(of: 0x20), (1...32).contains(blank),
            text[..<blank].allSatisfy({ (0x61...0x7a).contains($0 | 0x20) || $0 == 0x2d || $0 == 0x5f })
        else { return nil }
        var url = text[(blank + 1)...]
        // A URL may hold blanks, which it should not, and the version is missing from requests of HTTP 0.9.
        if let last = url.lastIndex(of: 0x20), url[(last + 1)...].starts(with: "HTTP/".utf8) {
            url = url[..<last]
        }
        guard !url.isEmpty else { return nil }
        return (UnsafeRawBufferPointer(rebasing: text[..<blank]), UnsafeRawBufferPointer(rebasing: url))
    }
}
