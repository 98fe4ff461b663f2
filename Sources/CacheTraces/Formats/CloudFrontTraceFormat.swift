public import CacheCore

/// Access logs in the extended format of the W3C, of which a line `#Fields:` names the columns: CloudFront's standard logs, and
/// those of IIS and other servers.
///
/// Columns are separated by tabs or blanks. A `-` is an empty column. The bytes of CloudFront are those of the answer with its
/// headers. The object is the path and the query, as the log writes them.
public struct CloudFrontTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "cloudfront", aliases: ["w3c"],
        summary:
            "Access logs whose columns a line '#Fields:' names, of CloudFront, IIS and their kin (W3C extended log).",
        citation: "W3C, Extended Log File Format; Amazon CloudFront, standard logs", parameters: WebLog.parameters)

    private var log: WebLog
    private var columns: Columns?
    private var fields: [Range<Int>] = []
    private static let get: StaticString = "GET"

    /// Takes what a request is.
    ///
    /// - Throws: `AssayError` with code `usage` for statuses that are none.
    public init(_ parameters: ParameterValues) throws(AssayError) {
        log = try WebLog(parameters, format: "cloudfront")
    }

    /// A server goes on writing while its log is copied.
    public static var isLog: Bool { true }

    /// Recognises the names of the columns.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        let isNamed = sample.lines.prefix(8).contains { line in
            line.starts(with: "#Fields:".utf8) && Columns(line) != nil
        }
        return isNamed && sample.lines[0].first == 0x23 ? Recognition(.certain) : nil
    }

    /// Reads a line.
    public mutating func read(
        _ line: UnsafeRawBufferPointer, into requests: inout LineRequests
    ) throws(LineFault) {
        guard line[0] != 0x23 else { return try readDirective(line) }
        guard let columns else {
            throw LineFault(expected: "a line '#Fields:' that names the columns before the first request")
        }
        split(line)
        guard fields.count == columns.count else {
            throw LineFault(expected: "\(columns.count) columns as '#Fields:' names them; there are \(fields.count)")
        }
        func field(_ column: Int?) -> UnsafeRawBufferPointer? {
            guard let column else { return nil }
            let text = UnsafeRawBufferPointer(rebasing: line[fields[column]])
            return text.elementsEqual([0x2d]) ? nil : text
        }
        let get = UnsafeRawBufferPointer(start: Self.get.utf8Start, count: 3)
        guard let url = field(columns.stem) else { return requests.passOver("no URL") }
        var answer = WebRules.Answer(method: field(columns.method) ?? get)
        if let text = field(columns.status) {
            guard text.count == 3, let status = Fields.integer(text) else {
                throw LineFault(text, expected: "a status of three digits in sc-status")
            }
            answer.status = Int(status)
        }
        if columns.bytes != nil {
            let text = field(columns.bytes)
            guard let bytes = text.map(Fields.integer) ?? 0, bytes <= UInt64(Int.max) else {
                throw LineFault(text ?? line, expected: "a whole number of bytes in sc-bytes")
            }
            answer.bytes = bytes
        }
        try log.append(
            WebLog.Request(
                answer: answer, url: url, query: field(columns.query), timeNanoseconds: try time(columns, line),
                host: field(columns.host), client: field(columns.client), user: field(columns.user)), to: &requests)
    }

    /// A line that begins with `#`; the names of the columns may change from one to the next.
    private mutating func readDirective(_ line: UnsafeRawBufferPointer) throws(LineFault) {
        guard line.starts(with: "#Fields:".utf8) else { return }
        guard let named = Columns(line) else {
            throw LineFault(expected: "'#Fields:' with cs-uri-stem or cs-uri, each name once")
        }
        if let columns, (columns.bytes == nil) != (named.bytes == nil) || columns.hasTime != named.hasTime {
            throw LineFault(expected: "'#Fields:' with the same columns of time and size as before")
        }
        columns = named
    }

    private func time(_ columns: Columns, _ line: UnsafeRawBufferPointer) throws(LineFault) -> Int64? {
        guard let date = columns.date, let time = columns.time else { return nil }
        let text = Array(line[fields[date]]) + [0x20] + Array(line[fields[time]])
        guard let nanoseconds = text.withUnsafeBytes({ LogTime.iso8601($0) }) else {
            throw LineFault(
                UnsafeRawBufferPointer(rebasing: line[fields[time]]),
                expected: "a date and a time as 2026-11-25 and 22:37:41")
        }
        return nanoseconds
    }

    private mutating func split(_ line: UnsafeRawBufferPointer) {
        fields.removeAll(keepingCapacity: true)
        let isTabbed = line.contains(0x09)
        var start = 0
        for index in 0...line.count where index == line.count || line[index] == (isTabbed ? 0x09 : 0x20) {
            // Blanks separate columns however many they are.
            if isTabbed || index > start { fields.append(start..<index) }
            start = index + 1
        }
    }

    /// Where the columns that matter are.
    private struct Columns {
        var count = 0
        var stem: Int
        var query, method, status, bytes, host, client, user, date, time: Int?
        var hasTime: Bool { date != nil && time != nil }

        /// The columns of a line `#Fields:`; nil if it has no URL or a name twice.
        init?(_ line: UnsafeRawBufferPointer) {
            var fields = SpacedFields(UnsafeRawBufferPointer(rebasing: line[8...]))
            var places: [String: Int] = [:]
            while let field = fields.next() {
                guard places.updateValue(count, forKey: String(decoding: field, as: UTF8.self).lowercased()) == nil
                else {
                    return nil
                }
                count += 1
            }
            guard let stem = places["cs-uri-stem"] ?? places["cs-uri"] else { return nil }
            self.stem = stem
            query = places["cs-uri-stem"] == nil ? nil : places["cs-uri-query"]
            (method, status, bytes) = (places["cs-method"], places["sc-status"], places["sc-bytes"])
            // CloudFront's cs(Host) is the distribution, and x-host-header what the client asked for.
            host = places["x-host-header"] ?? places["cs(host)"] ?? places["cs-host"]
            (client, user) = (places["c-ip"], places["cs-username"])
            (date, time) = (places["date"], places["time"])
        }
    }
}
