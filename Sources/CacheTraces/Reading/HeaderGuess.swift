internal import CacheCore

/// What the names in a file's first record, and the values under them, say of its columns.
struct HeaderGuess {
    private static let rowsMax = 100

    private let names: [String]
    private var rows: [[[UInt8]]] = []
    private var used: Set<Int> = []
    private var parameters: [String] = []

    /// The recognition of a table with a header that has a column of keys; nil for any other text.
    ///
    /// - Parameters:
    ///   - delimiters: What may separate the columns, each with the parameter that says so; the first that the header has does.
    ///   - isQuoting: Whether fields may be quoted.
    static func recognition(
        _ sample: TraceSample, delimiters: [(byte: UInt8, parameter: String)], isQuoting: Bool
    ) -> Recognition? {
        guard let header = sample.lines.first, sample.lines.count > 1, header.count < 1 << 13,
            ContentCheck.isText(header)
        else { return nil }
        // Spaces may stand inside names, and a name alone has none.
        let best = delimiters.first { delimiter in header.contains(delimiter.byte) } ?? delimiters.first
        guard let best, var guess = HeaderGuess(sample, delimiter: best.byte, isQuoting: isQuoting) else { return nil }
        return guess.recognition(delimiter: best.parameter)
    }

    private init?(_ sample: TraceSample, delimiter: UInt8, isQuoting: Bool) {
        let escapes = isQuoting && QuoteEscapes.areByBackslash(sample.bytes, delimiter: delimiter)
        var input = ByteStream(name: "", bytes: Array(sample.bytes))
        var records = DelimitedRecords(delimiter: delimiter, isQuoting: isQuoting, escapesByBackslash: escapes)
        guard (try? records.next(&input)) == .record else { return nil }
        names = (0..<records.count).map { String(decoding: records[$0], as: UTF8.self) }
        guard names.allSatisfy({ $0.isEmpty || $0.contains(where: \.isLetter) }) else { return nil }
        var read = 0
        while read < Self.rowsMax, let step = try? records.next(&input), step != .end {
            read += 1
            // The last one may be cut off with the bytes.
            guard step == .record, records.count == names.count else { continue }
            rows.append((0..<records.count).map { Array(records[$0]) })
        }
        guard !rows.isEmpty, rows.count * 10 >= read * 9 || read - rows.count == 1 else { return nil }
    }

    private mutating func recognition(delimiter: String) -> Recognition? {
        guard let key = column(Self.keyNames, { _ in true }), !rows.allSatisfy({ $0[key] == Array(names[key].utf8) })
        else { return nil }
        use("key", key)
        if let column = column(Self.sizeNames, { Fields.integer($0) != nil }) { use("size", column) }
        if let time = timeColumn(Self.timeNames) {
            use("time", time.column)
            let unit = time.unit ?? epochUnit(time.column)
            if unit != "s" { parameters.append("time-unit=\(unit)") }
        }
        if let column = column(
            ["op", "operation", "cmd", "command", "method", "verb", "type", "rw", "opcode"],
            {
                Fields.operation($0) != nil
            })
        {
            use("op", column)
        }
        if let column = column(
            ["tenant", "tenantid", "namespace", "app", "appid", "customer", "customerid"], { _ in true })
        {
            use("tenant", column)
        }
        if let ttl = timeColumn(["ttl", "timetolive", "expiresin", "maxage"]) {
            use("ttl", ttl.column)
            if let unit = ttl.unit, unit != "s" { parameters.append("ttl-unit=\(unit)") }
        }
        if let column = column(["cost", "misscost", "penalty", "misspenalty"], { (Fields.real($0) ?? -1) >= 0 }) {
            use("cost", column)
        }
        parameters.append("header")
        if !delimiter.isEmpty { parameters.append("delimiter=\(delimiter)") }
        let unused = names.indices.filter { !used.contains($0) }
            .map { names[$0].isEmpty ? "one without a name" : names[$0] }
        return Recognition(
            .possible, parameters: parameters.joined(separator: ","),
            remark: unused.isEmpty
                ? nil
                : "columns that are not read: \(unused.prefix(20).joined(separator: ", "))\(unused.count > 20 ? ", …" : "")"
        )
    }

    /// The first column with one of the names, the likeliest first, of whose values at least half are as `isOne` says: others are
    /// malformed, and for the reader to name.
    private func column(_ known: [String], _ isOne: (UnsafeRawBufferPointer) -> Bool) -> Int? {
        let plain = names.map(Self.plain)
        return known.lazy.compactMap { plain.firstIndex(of: $0) }.first { column in
            !used.contains(column)
                && rows.count(where: { $0[column].withUnsafeBytes(isOne) }) * 2 >= rows.count
        }
    }

    /// A column of times or spans, whose name may end in its unit.
    private func timeColumn(_ known: [String]) -> (column: Int, unit: String?)? {
        for (ending, unit) in [
            ("", nil), ("s", "s"), ("sec", "s"), ("seconds", "s"), ("ms", "ms"), ("us", "us"), ("ns", "ns"),
        ]
            as [(String, String?)]
        {
            if let column = column(
                known.map { $0 + ending },
                { $0.isEmpty || Fields.fixedPoint($0, decimals: 0) != nil || LogTime.iso8601($0) != nil })
            {
                return (column, unit)
            }
        }
        return nil
    }

    /// What a column counts whose times are since 1970: seconds have ten digits today, milliseconds thirteen.
    private func epochUnit(_ column: Int) -> String {
        let largest = rows.compactMap { $0[column].withUnsafeBytes { Fields.fixedPoint($0, decimals: 0) } }.max() ?? 0
        if largest >= 100_000_000_000_000_000 { return "ns" }
        if largest >= 100_000_000_000_000 { return "us" }
        return largest >= 100_000_000_000 ? "ms" : "s"
    }

    /// Names a column by its name where that can be written, else by its number.
    private mutating func use(_ parameter: String, _ column: Int) {
        let name = names[column]
        let isPlain = name.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || byte == 0x5f || byte == 0x2d
        }
        let isUnique = names.count { $0 == name } == 1
        parameters.append("\(parameter)=\(isPlain && isUnique ? name : String(column + 1))")
        used.insert(column)
    }

    /// A name in small letters and digits alone.
    private static func plain(_ name: String) -> String {
        String(name.lowercased().unicodeScalars.filter { $0.properties.isAlphabetic || ("0"..."9").contains($0) })
    }

    private static let keyNames = [
        "key", "objid", "objectid", "object", "obj", "cachekey", "keyid", "keyhash", "hashedkey", "anonymizedkey", "id",
        "itemid", "item", "blockid", "block", "lbn", "lba", "url", "uri", "requesturi", "path", "query", "hash",
        "sector",
        "page", "pageid", "address", "addr", "filename", "file",
    ]
    private static let sizeNames = [
        "size", "objsize", "objectsize", "sizebytes", "bytes", "valuesize", "valsize", "length", "len", "contentlength",
        "responsesize", "bodybytessent", "bodysize",
    ]
    private static let timeNames = ["ts", "time", "timestamp", "realtime", "clocktime", "unixtime", "epoch", "t"]
}
