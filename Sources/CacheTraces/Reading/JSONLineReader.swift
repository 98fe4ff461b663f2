internal import CacheCore

/// Finds members of the JSON object that a line is, and checks the whole line on the way (RFC 8259). Builds nothing.
///
/// A name with dots, as `request.uri`, means a member of a member, an element of an array by its number, or a member whose name
/// has the dots itself. Bytes that are no UTF-8 stay as they are.
struct JSONLineReader: Sendable {
    /// How deep objects and arrays may lie in each other.
    static let depthMax = 64

    private let names: [[UInt8]]
    private var places: [Place?]
    /// How many bytes of each name the members so far have matched, for each depth; -1 if they do not match.
    private var matched: [Int32]
    /// The names of the outermost members, at most 12, if they are asked for.
    private(set) var found: [String] = []
    private let keepsFound: Bool

    init(_ names: [String], keepsFound: Bool = false) {
        self.names = names.map { Array($0.utf8) }
        self.keepsFound = keepsFound
        places = Array(repeating: nil, count: names.count)
        matched = Array(repeating: 0, count: names.count * (Self.depthMax + 1))
    }

    /// The value of a member of the line last read; nil if it has none that is a string or a number.
    func value(_ index: Int, in line: UnsafeRawBufferPointer) -> JSONScalar? {
        places[index].map { place in
            JSONScalar(
                kind: place.kind, text: UnsafeRawBufferPointer(rebasing: line[place.range]), isEscaped: place.isEscaped)
        }
    }

    /// Where a value is in its line.
    private struct Place {
        var kind: JSONScalar.Kind
        var range: Range<Int>
        var isEscaped = false
    }

    /// Reads a line.
    ///
    /// - Throws: `LineFault` for what is no JSON object alone, and for a member that is asked for and there twice.
    mutating func read(_ line: UnsafeRawBufferPointer) throws(LineFault) {
        for index in places.indices { places[index] = nil }
        found = []
        var text = Text(line)
        text.skipBlanks()
        guard text.next == 0x7b else { throw text.fault("a JSON object, which begins with '{'") }
        try readObject(&text, depth: 0, isAsked: !names.isEmpty)
        text.skipBlanks()
        guard text.isAtEnd else { throw text.fault("the end of the line after the JSON object") }
    }

    private mutating func readValue(_ text: inout Text, depth: Int, isAsked: Bool) throws(LineFault) {
        switch text.next {
        case 0x7b: try readObject(&text, depth: depth, isAsked: isAsked)
        case 0x5b: try readArray(&text, depth: depth, isAsked: isAsked)
        case 0x22:
            let (range, isEscaped) = try text.string()
            if isAsked { try keep(Place(kind: .string, range: range, isEscaped: isEscaped), depth, text) }
        case 0x74: try text.literal("true")
        case 0x66: try text.literal("false")
        case 0x6e: try text.literal("null")
        default:
            let range = try text.number()
            if isAsked { try keep(Place(kind: .number, range: range), depth, text) }
        }
    }

    private mutating func readObject(_ text: inout Text, depth: Int, isAsked: Bool) throws(LineFault) {
        guard depth < Self.depthMax else {
            throw text.fault("at most \(Self.depthMax) objects and arrays in each other")
        }
        text.index += 1
        text.skipBlanks()
        if text.take(0x7d) { return }
        while true {
            guard text.next == 0x22 else { throw text.fault("a member's name in quotes") }
            let (range, isEscaped) = try text.string()
            let name = JSONScalar(
                kind: .string, text: UnsafeRawBufferPointer(rebasing: text.line[range]), isEscaped: isEscaped)
            let isAskedHere = isAsked && match(name, depth)
            if keepsFound, depth == 0, found.count < 12 { found.append(Fields.shown(name.text)) }
            text.skipBlanks()
            guard text.take(0x3a) else { throw text.fault("':' after a member's name") }
            text.skipBlanks()
            try readValue(&text, depth: depth + 1, isAsked: isAskedHere)
            text.skipBlanks()
            if text.take(0x7d) { return }
            guard text.take(0x2c) else { throw text.fault("',' or '}' after a member") }
            text.skipBlanks()
        }
    }

    private mutating func readArray(_ text: inout Text, depth: Int, isAsked: Bool) throws(LineFault) {
        guard depth < Self.depthMax else {
            throw text.fault("at most \(Self.depthMax) objects and arrays in each other")
        }
        text.index += 1
        text.skipBlanks()
        if text.take(0x5d) { return }
        var element = 0
        while true {
            var isAskedHere = false
            if isAsked {
                let name = Array(String(element).utf8)
                isAskedHere = name.withUnsafeBytes { name in
                    match(JSONScalar(kind: .string, text: name, isEscaped: false), depth)
                }
            }
            try readValue(&text, depth: depth + 1, isAsked: isAskedHere)
            text.skipBlanks()
            if text.take(0x5d) { return }
            guard text.take(0x2c) else { throw text.fault("',' or ']' after an element") }
            text.skipBlanks()
            element += 1
        }
    }

    /// Matches a member's name; false if no name that is asked for lies at it or below it.
    private mutating func match(_ name: JSONScalar, _ depth: Int) -> Bool {
        name.withText { name in
            var isAsked = false
            for index in names.indices {
                let before = Int(matched[depth * names.count + index])
                var after = -1
                if before >= 0, names[index].dropFirst(before).starts(with: name) {
                    after = before + name.count
                    if after < names[index].count { after = names[index][after] == 0x2e ? after + 1 : -1 }
                }
                matched[(depth + 1) * names.count + index] = Int32(truncatingIfNeeded: after)
                isAsked = isAsked || after >= 0
            }
            return isAsked
        }
    }

    private mutating func keep(_ value: Place, _ depth: Int, _ text: Text) throws(LineFault) {
        for index in names.indices where Int(matched[depth * names.count + index]) == names[index].count {
            guard places[index] == nil else {
                throw LineFault(
                    UnsafeRawBufferPointer(rebasing: text.line[value.range]),
                    expected: "the member '\(String(decoding: names[index], as: UTF8.self))' once")
            }
            places[index] = value
        }
    }

    /// The line and how far it has been read.
    private struct Text {
        let line: UnsafeRawBufferPointer
        var index = 0

        init(_ line: UnsafeRawBufferPointer) { self.line = line }

        var isAtEnd: Bool { index == line.count }
        var next: UInt8 { index < line.count ? line[index] : 0 }

        mutating func take(_ byte: UInt8) -> Bool {
            guard next == byte, index < line.count else { return false }
            index += 1
            return true
        }

        mutating func skipBlanks() {
            while next == 0x20 || next == 0x09 || next == 0x0d { index += 1 }
        }

        func fault(_ expected: String) -> LineFault {
            let rest = UnsafeRawBufferPointer(rebasing: line[index...])
            return LineFault(rest, expected: "\(expected), at byte \(index + 1) of the line")
        }

        mutating func literal(_ word: String) throws(LineFault) {
            guard line[index...].starts(with: word.utf8) else { throw fault("a JSON value") }
            index += word.utf8.count
        }

        /// A string without its quotes.
        mutating func string() throws(LineFault) -> (Range<Int>, isEscaped: Bool) {
            let start = index + 1
            var isEscaped = false
            index = start
            while index < line.count {
                switch line[index] {
                case 0x22:
                    index += 1
                    return (start..<index - 1, isEscaped)
                case 0x5c:
                    isEscaped = true
                    try checkEscape()
                case 0..<0x20: throw fault("a string without control characters, which JSON escapes")
                default: index += 1
                }
            }
            throw fault("a quote at the end of a string")
        }

        private mutating func checkEscape() throws(LineFault) {
            guard index + 1 < line.count else { throw fault("an escape sequence of JSON") }
            switch line[index + 1] {
            case 0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74: index += 2
            case 0x75 where JSONScalar.unit(line, index + 2) != nil: index += 6
            default: throw fault("an escape sequence of JSON")
            }
        }

        mutating func number() throws(LineFault) -> Range<Int> {
            let start = index
            _ = take(0x2d)
            let whole = digits()
            guard whole > 0, whole == 1 || line[index - whole] != 0x30 else {
                index = start
                throw fault("a JSON value")
            }
            if take(0x2e) { guard digits() > 0 else { throw fault("decimals after the point") } }
            if next | 0x20 == 0x65 {
                index += 1
                if !take(0x2b) { _ = take(0x2d) }
                guard digits() > 0 else { throw fault("the digits of an exponent") }
            }
            return start..<index
        }

        private mutating func digits() -> Int {
            let start = index
            while next &- 0x30 <= 9 { index += 1 }
            return index - start
        }
    }
}

/// A string or a number of a JSON text, as it is written there.
struct JSONScalar {
    enum Kind { case string, number }

    let kind: Kind
    /// The number, or the string without its quotes.
    let text: UnsafeRawBufferPointer
    let isEscaped: Bool

    /// Lends the bytes that it stands for. Halves of surrogate pairs are written as three bytes each.
    func withText<Value>(_ body: (UnsafeRawBufferPointer) -> Value) -> Value {
        guard isEscaped else { return body(text) }
        return decoded().withUnsafeBytes(body)
    }

    private func decoded() -> [UInt8] {
        var bytes: [UInt8] = []
        var index = 0
        while index < text.count {
            guard text[index] == 0x5c, index + 1 < text.count else {
                bytes.append(text[index])
                index += 1
                continue
            }
            switch text[index + 1] {
            case 0x62: bytes.append(0x08)
            case 0x66: bytes.append(0x0c)
            case 0x6e: bytes.append(0x0a)
            case 0x72: bytes.append(0x0d)
            case 0x74: bytes.append(0x09)
            case 0x75:
                let first = Self.unit(text, index + 2) ?? 0xfffd
                index += 4
                if 0xd800..<0xdc00 ~= first, index + 3 < text.count, text[index + 2] == 0x5c, text[index + 3] == 0x75,
                    let second = Self.unit(text, index + 4), 0xdc00..<0xe000 ~= second
                {
                    Self.append(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00), &bytes)
                    index += 6
                } else {
                    Self.append(first, &bytes)
                }
            default: bytes.append(text[index + 1])
            }
            index += 2
        }
        return bytes
    }

    /// The four hexadecimal digits at a place.
    static func unit(_ text: UnsafeRawBufferPointer, _ index: Int) -> UInt32? {
        guard let high = EscapedText.hexadecimal(text, index), let low = EscapedText.hexadecimal(text, index + 2) else {
            return nil
        }
        return UInt32(high) << 8 | UInt32(low)
    }

    private static func append(_ code: UInt32, _ bytes: inout [UInt8]) {
        func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | code >> shift & 0x3f) }
        switch code {
        case ..<0x80: bytes.append(UInt8(truncatingIfNeeded: code))
        case ..<0x800: bytes += [UInt8(truncatingIfNeeded: 0xc0 | code >> 6), tail(0)]
        case ..<0x10000: bytes += [UInt8(truncatingIfNeeded: 0xe0 | code >> 12), tail(6), tail(0)]
        default: bytes += [UInt8(truncatingIfNeeded: 0xf0 | code >> 18), tail(12), tail(6), tail(0)]
        }
    }
}
