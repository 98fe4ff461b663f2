internal import CacheCore

/// Which column of a delimited file means what, as a person wrote it: numbers from 1 or names of the header.
struct ColumnMap: Sendable {
    static let parameters: [ParameterSpecification] = [
        ParameterSpecification(
            "key", .text(default: ""),
            "The column of the key, from 1 or by its name; several joined by '+' make one key. Without --format the header tells."
        ),
        ParameterSpecification("size", .text(default: ""), "The column of the size in bytes."),
        ParameterSpecification("time", .text(default: ""), "The column of the time."),
        ParameterSpecification(
            "time-unit", .choice(default: "s", ["s", "ms", "us", "ns"]), "What the time column counts."),
        ParameterSpecification(
            "ttl", .text(default: ""), "The column of the time to live; 0, -1 or nothing is without end."),
        ParameterSpecification(
            "ttl-unit", .choice(default: "s", ["s", "ms", "us", "ns"]), "What the column of the time to live counts."),
        ParameterSpecification("cost", .text(default: ""), "The column of what a miss costs, in any unit."),
        ParameterSpecification(
            "op", .text(default: ""),
            "The column of the operation: get, read, set, write, delete and their kin, in any case."),
        ParameterSpecification("tenant", .text(default: ""), "The column of who asks, any text."),
        ParameterSpecification(
            "block", .integer(default: 0, 0...1 << 40),
            "Makes a request of each block of so many bytes that a range touches: the last column of the key is the range's offset in "
                + "bytes, those before it are the volume, and size is its length; 0 for none."),
        ParameterSpecification("header", .flag, "Whether the first record names the columns."),
        ParameterSpecification(
            "delimiter", .text(default: ""),
            "What separates columns: one character, or comma, tab, semicolon, space, pipe."),
    ]

    /// How quotes inside quoted fields are written.
    static let escape = ParameterSpecification(
        "escape", .choice(default: "auto", ["auto", "double", "backslash"]),
        "How a quote inside a quoted field is written: twice (double), or behind a backslash, and then twice as well "
            + "(backslash); auto looks at the first 64 KiB.")

    var key: [String]
    var size: String?
    var time: String?
    var timeDecimals: Int
    var timeToLive: String?
    var timeToLiveDecimals: Int
    var cost: String?
    var operation: String?
    var tenant: String?
    /// The length of a block, in bytes; nil if ranges are not split.
    var blockBytes: UInt64?
    var hasHeader: Bool
    /// Whether nobody has said whether there is a header.
    var headerIsOpen: Bool
    var delimiter: UInt8

    init(_ parameters: ParameterValues, format: String, delimiter standard: UInt8) throws(AssayError) {
        key = parameters.text("key").split(separator: "+", omittingEmptySubsequences: true).map(String.init)
        func column(_ name: String) -> String? { parameters.isGiven(name) ? parameters.text(name) : nil }
        func decimals(_ name: String) -> Int { ["s": 9, "ms": 6, "us": 3][parameters.text(name)] ?? 0 }
        size = column("size")
        time = column("time")
        timeDecimals = decimals("time-unit")
        timeToLive = column("ttl")
        timeToLiveDecimals = decimals("ttl-unit")
        cost = column("cost")
        operation = column("op")
        tenant = column("tenant")
        for (unit, column) in [("time-unit", "time"), ("ttl-unit", "ttl")]
        where parameters.isGiven(unit) && !parameters.isGiven(column) {
            throw AssayError(.usage, "\(format): \(unit)= is of a column that is not named: add \(column)=.")
        }
        let block = parameters.integer("block")
        blockBytes = block > 0 ? UInt64(block) : nil
        hasHeader = parameters.flag("header")
        headerIsOpen = !parameters.isGiven("header")
        let written = parameters.text("delimiter")
        guard let delimiter = written.isEmpty ? standard : Self.delimiter(written) else {
            throw AssayError(
                .usage,
                "\(format): delimiter=\(written) is not one ASCII character, nor comma, tab, semicolon, space or pipe.")
        }
        self.delimiter = delimiter
        if blockBytes != nil, key.isEmpty || size == nil {
            throw AssayError(
                .usage,
                "\(format): block=\(block) splits ranges, so key= must name the column of their offset in bytes, after those of the "
                    + "volume, and size= that of their length: key=3+5,size=6,block=4096.")
        }
        let named = (key + [size, time, timeToLive, cost, operation, tenant].compactMap(\.self)).first {
            Int($0) == nil
        }
        if let named, !hasHeader {
            throw AssayError(
                .usage,
                "\(format): the column '\(named)' is not a number. Write its number from 1, "
                    + "or add 'header' if the first record names the columns.")
        }
    }

    private static func delimiter(_ text: String) -> UInt8? {
        let words: [String: UInt8] = ["comma": 0x2c, "tab": 0x09, "semicolon": 0x3b, "space": 0x20, "pipe": 0x7c]
        if let byte = words[text] { return byte }
        guard text.utf8.count == 1, let byte = text.utf8.first, byte != 0x22, byte != 0x0a, byte != 0x0d else {
            return nil
        }
        return byte
    }
}

/// The same, as places in a record.
struct ColumnIndices {
    var key: [Int]
    var size: Int?
    var time: Int?
    var timeToLive: Int?
    var cost: Int?
    var operation: Int?
    var tenant: Int?

    /// Finds each column among `count` columns with these names.
    init(_ map: ColumnMap, names: [String], count: Int, at location: AssayError.Location) throws(AssayError) {
        func index(_ column: String) throws(AssayError) -> Int {
            if let number = Int(column) {
                guard number >= 1, number <= count else {
                    throw AssayError(
                        .badInput, "The record has \(count) columns; column \(number) was asked for.", at: location)
                }
                return number - 1
            }
            guard let index = names.firstIndex(of: column), names.lastIndex(of: column) == index else {
                guard !names.contains(column) else {
                    throw AssayError(
                        .badInput, "Several columns are named '\(column)'; give its number, from 1.", at: location)
                }
                let shown = names.prefix(20).map(Fields.shown)
                let short = names.prefix(1000).filter { $0.utf8.count <= 200 }
                let near = nearestName(to: column, among: short).map { " Did you mean \(Fields.shown($0))?" } ?? ""
                throw AssayError(
                    .badInput,
                    "No column is named '\(column)'; the header names \(shown.joined(separator: ", "))"
                        + "\(names.count > 20 ? " and others" : "").\(near)",
                    at: location)
            }
            return index
        }
        var key: [Int] = []
        for column in map.key { key.append(try index(column)) }
        self.key = key
        if let column = map.size { size = try index(column) }
        if let column = map.time { time = try index(column) }
        if let column = map.timeToLive { timeToLive = try index(column) }
        if let column = map.cost { cost = try index(column) }
        if let column = map.operation { operation = try index(column) }
        if let column = map.tenant { tenant = try index(column) }
    }
}
