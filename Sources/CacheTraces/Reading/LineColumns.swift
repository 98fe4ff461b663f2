internal import CacheCore

/// The columns of one line, read one after the other, with faults that say what was expected.
struct LineColumns {
    private let line: UnsafeRawBufferPointer
    private let separator: UInt8
    private let layout: String
    /// Where the next column begins; beyond the line's end if there is none.
    private var position = 0

    /// The columns of a line between bytes of `separator`, without the blanks around them; a space separates as any run of
    /// blanks does. `layout` names the columns, for faults: "the columns 'time,key,size'".
    init(_ line: UnsafeRawBufferPointer, _ separator: UInt8, layout: String) {
        (self.line, self.separator, self.layout) = (line, separator, layout)
        if separator == Self.space { skipBlanks() }
    }

    static let comma: UInt8 = 0x2c
    static let tab: UInt8 = 0x09
    static let space: UInt8 = 0x20

    /// The next column, nil at the end of the line.
    mutating func nextIfAny() -> UnsafeRawBufferPointer? {
        let isBlankSeparated = separator == Self.space
        guard isBlankSeparated ? position < line.count : position <= line.count else { return nil }
        var start = position
        var end = start
        while end < line.count, isBlankSeparated ? !Self.isBlank(line[end]) : line[end] != separator { end &+= 1 }
        position = end &+ 1
        if isBlankSeparated {
            skipBlanks()
        } else {
            while start < end, Self.isBlank(line[start]) { start &+= 1 }
            while start < end, Self.isBlank(line[end &- 1]) { end &-= 1 }
        }
        return UnsafeRawBufferPointer(rebasing: line[start..<end])
    }

    /// The next column.
    mutating func next() throws(LineFault) -> UnsafeRawBufferPointer {
        guard let column = nextIfAny() else { throw LineFault(expected: layout) }
        return column
    }

    /// Passes over columns that are not read.
    mutating func skip(_ count: Int) throws(LineFault) {
        for _ in 0..<count { _ = try next() }
    }

    /// Requires that there are no more columns.
    mutating func end() throws(LineFault) {
        guard nextIfAny() == nil else { throw LineFault(expected: layout) }
    }

    /// A whole number; `expected` says which: "an offset in bytes".
    mutating func integer(_ expected: String) throws(LineFault) -> UInt64 {
        try Self.integer(try next(), expected)
    }

    /// A number of sectors of 512 bytes, in bytes.
    mutating func sectors(_ expected: String) throws(LineFault) -> UInt64 {
        let column = try next()
        let (bytes, overflow) = try Self.integer(column, expected).multipliedReportingOverflow(by: 512)
        guard !overflow else { throw LineFault(column, expected: expected) }
        return bytes
    }

    /// A time in units of `10^decimals` nanoseconds, in nanoseconds.
    mutating func time(decimals: Int) throws(LineFault) -> Int64 { try Self.time(try next(), decimals: decimals) }

    /// What is done with the object; `expected` lists the words.
    mutating func operation(_ expected: String) throws(LineFault) -> TraceOperation {
        let column = try next()
        guard let operation = Fields.operation(column) else { throw LineFault(column, expected: expected) }
        return operation
    }

    static func integer(_ column: UnsafeRawBufferPointer, _ expected: String) throws(LineFault) -> UInt64 {
        guard let value = Fields.integer(column) else { throw LineFault(column, expected: expected) }
        return value
    }

    /// The size of an object, in bytes.
    static func size(_ column: UnsafeRawBufferPointer) throws(LineFault) -> UInt64 {
        guard let value = Fields.integer(column), value <= UInt64(Int.max) else {
            throw LineFault(column, expected: "a whole number of bytes below 2^63")
        }
        return value
    }

    static func time(_ column: UnsafeRawBufferPointer, decimals: Int) throws(LineFault) -> Int64 {
        guard let time = Fields.fixedPoint(column, decimals: decimals) else {
            throw LineFault(column, expected: "a time: a number of at most 2^63 nanoseconds")
        }
        return time
    }

    /// A time to live in seconds, in nanoseconds; nothing, 0 and -1 are without end.
    static func timeToLive(_ column: UnsafeRawBufferPointer) throws(LineFault) -> Int64? {
        guard column.count > 0 else { return nil }
        guard let time = Fields.fixedPoint(column, decimals: 9), time >= 0 || time == -1_000_000_000 else {
            throw LineFault(column, expected: "a time to live in seconds, or 0 or -1 for without end")
        }
        return time > 0 ? time : nil
    }

    private mutating func skipBlanks() {
        while position < line.count, Self.isBlank(line[position]) { position &+= 1 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }
}

/// The columns of lines under a header that names them.
struct NamedColumns: Sendable {
    private let header: [UInt8]
    private let separator: UInt8
    private let names: [String]
    private var ranges: [Range<Int>] = []

    /// The columns that a header names.
    init(header: UnsafeRawBufferPointer, _ separator: UInt8) {
        self.header = Array(header)
        self.separator = separator
        var columns = LineColumns(header, separator, layout: "")
        var names: [String] = []
        while let name = columns.nextIfAny() { names.append(String(decoding: name, as: UTF8.self)) }
        self.names = names
    }

    /// The place of a column, nil if the header does not name it.
    func place(of name: String) -> Int? { names.firstIndex(of: name) }

    /// The place of a column that must be there.
    func requiredPlace(of name: String) throws(LineFault) -> Int {
        guard let place = place(of: name) else { throw LineFault(expected: "a header with the column '\(name)'") }
        return place
    }

    /// Whether a line is the header once more, as where files were joined.
    func isHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        line.count == header.count && line.first == header.first && line.elementsEqual(header)
    }

    /// Takes the next line.
    mutating func take(_ line: UnsafeRawBufferPointer) throws(LineFault) {
        ranges.removeAll(keepingCapacity: true)
        var columns = LineColumns(line, separator, layout: "")
        while let column = columns.nextIfAny() {
            guard let whole = line.baseAddress, let part = column.baseAddress else { break }
            let start = whole.distance(to: part)
            ranges.append(start..<start + column.count)
        }
        guard ranges.count == names.count else {
            throw LineFault(expected: "as many columns as the header has, \(names.count)")
        }
    }

    /// A column of the line that was taken.
    func column(_ place: Int, of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: line[ranges[place]])
    }
}

/// Lines under a header that names their columns, and where the columns are that a format wants.
struct HeadedLines<Places: Sendable>: Sendable {
    private var header: (columns: NamedColumns, places: Places)?

    /// Takes the next line, separated by commas: the places of its columns, nil for the header, which may stand once more.
    mutating func take(
        _ line: UnsafeRawBufferPointer, _ places: (NamedColumns) throws(LineFault) -> Places
    ) throws(LineFault) -> Places? {
        guard let found = header?.places else {
            let columns = NamedColumns(header: line, LineColumns.comma)
            header = (columns, try places(columns))
            return nil
        }
        guard header?.columns.isHeader(line) == false else { return nil }
        try header?.columns.take(line)
        return found
    }

    /// A column of the line that was taken.
    func column(_ place: Int, of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        header?.columns.column(place, of: line) ?? line
    }
}

extension LineTraceFormat {
    /// Whether at least nine of ten lines of a sample can be read with the parameters' defaults.
    static func canRead(_ sample: TraceSample) -> Bool {
        let defaults = ParameterValues(defaults: descriptor.parameters)
        guard !sample.lines.isEmpty, var format = try? Self(defaults) else { return false }
        var requests = LineRequests()
        var faults = 0
        for line in sample.lines {
            do throws(LineFault) { try format.read(line, into: &requests) } catch { faults += 1 }
            guard faults * 10 <= sample.lines.count else { return false }
            requests.clear()
        }
        return true
    }
}

extension TraceSample {
    /// Whether the first column of each line is a number that is not below that of the line before, as times are.
    func timesRise(_ separator: UInt8) -> Bool {
        var last = Int64.min
        return lines.allSatisfy { line in
            var columns = LineColumns(line, separator, layout: "")
            guard let column = columns.nextIfAny(), let time = Fields.fixedPoint(column, decimals: 0), time >= last
            else { return false }
            last = time
            return true
        }
    }

    /// Whether the first line begins so.
    func begins(with text: String) -> Bool { lines.first?.starts(with: text.utf8) == true }
}

/// The parameter `block` of formats whose requests are for ranges of bytes.
enum BlockSize {
    /// The parameter; `standard` is its default in bytes.
    static func parameter(_ standard: Int = 4096) -> ParameterSpecification {
        ParameterSpecification(
            "block", .integer(default: standard, 1...1 << 40),
            "How many bytes a block has; every block that a range touches is one request.")
    }

    /// The same where ranges are split only if it is given; `otherwise` says what 0, its default, makes of them.
    static func parameter(otherwise: String) -> ParameterSpecification {
        ParameterSpecification(
            "block", .integer(default: 0, 0...1 << 40),
            "How many bytes a block has; every block that a range touches is one request. 0 makes \(otherwise).")
    }

    /// How many bytes a block has.
    static func bytes(_ parameters: ParameterValues) -> UInt64 { UInt64(parameters.integer("block")) }
}

/// The parameter `time-unit` of formats that leave open what their times count.
enum TimeUnit {
    /// The parameter; `standard` is its default, "none" to leave times out.
    static func parameter(_ standard: String) -> ParameterSpecification {
        let units = ["s", "ms", "us", "ns"]
        return ParameterSpecification(
            "time-unit", .choice(default: standard, units.contains(standard) ? units : [standard] + units),
            "What the time counts.")
    }

    /// How many decimals of a nanosecond the unit has, nil for none.
    static func decimals(_ parameters: ParameterValues) -> Int? {
        ["s": 9, "ms": 6, "us": 3, "ns": 0][parameters.text("time-unit")]
    }
}
