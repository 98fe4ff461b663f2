/// What the first lines of a text look like beside the formats that are read: output of other tools, or a table.
enum KnownText {
    /// How many lines are looked at.
    private static let linesMax = 200

    /// What the lines look like and what to do about it, where they are surely no list of keys; nil where they may be one.
    static func objectionToKeys(_ sample: UnsafeRawBufferPointer, isWhole: Bool) -> String? {
        let lines = lines(sample, isWhole: isWhole)
        guard !lines.isEmpty else { return nil }
        return toolOutput(lines) ?? table(lines) ?? header(lines)
    }

    /// The tool whose output the lines are and how to read it; nil if they are none of the known ones.
    static func toolOutput(_ sample: UnsafeRawBufferPointer, isWhole: Bool, readsObjects: Bool) -> String? {
        toolOutput(lines(sample, isWhole: isWhole), readsObjects: readsObjects)
    }

    /// The first lines that are not empty; a last one that may be cut off is left out.
    private static func lines(_ sample: UnsafeRawBufferPointer, isWhole: Bool) -> [Substring] {
        var lines = String(decoding: sample, as: UTF8.self)
            .split(maxSplits: linesMax, omittingEmptySubsequences: true) { $0.isNewline }
        if lines.count > linesMax || !isWhole && lines.count > 1 { lines.removeLast() }
        if lines.first?.first == "\u{FEFF}" { lines[0] = lines[0].dropFirst() }
        return lines
    }

    private static func areNearlyAll(_ lines: [Substring], _ isOne: (Substring) -> Bool) -> Bool {
        lines.count(where: isOne) * 10 >= lines.count * 9
    }

    private static func toolOutput(_ lines: [Substring], readsObjects: Bool = false) -> String? {
        guard let first = lines.first else { return nil }
        if first.hasPrefix("version https://git-lfs.github.com/spec/") {
            return "This is a pointer of Git LFS and not the file itself. Fetch that with 'git lfs pull'."
        }
        if first.lowercased().hasPrefix("<!doctype") || first.hasPrefix("<html") || first.hasPrefix("<?xml") {
            return
                "This is a page or a document, perhaps the answer of a server that did not have the file. Download it again."
        }
        let start = first.trimmingBlanks
        if start == "{" || start == "[" || start.hasPrefix("[{") {
            return
                "This is JSON that is not one object a line. Write it so: jq -c "
                + (start == "{" ? "." : "'.[]'") + " FILE > NEWFILE.jsonl."
        }
        // What is wrong with a line for a reader of objects is not that it is one.
        if !readsObjects, areNearlyAll(lines, { $0.first == "{" && $0.last == "}" }) {
            return
                "These are JSON objects, and no member has a usual name for what is asked for. Say which it is: "
                + "--format json-lines:key=NAME."
        }
        return nil
    }

    // MARK: - Tables and headers

    private static func table(_ lines: [Substring]) -> String? {
        func objection(_ columns: Int, _ name: String, _ key: Int) -> String {
            "The lines have columns, \(columns) in the first, and so are hardly keys: '\(lines[0].prefix(60))'. Name the column of the "
                + "key, as in --format csv:delimiter=\(name),key=\(key), or say --format plain if each whole line is a key."
        }
        // The first line may name the columns.
        let rows = lines.count > 1 ? Array(lines.dropFirst()) : lines
        for (delimiter, name) in [("\t", "tab"), (",", "comma"), (";", "semicolon"), ("|", "pipe")]
            as [(Character, String)]
        {
            let counts = lines.map { $0.count { $0 == delimiter } + 1 }
            guard let columns = counts.max(), columns > 1,
                counts.count(where: { $0 == columns }) * 10 >= lines.count * 9
            else { continue }
            let fields = rows.map { $0.split(separator: delimiter, omittingEmptySubsequences: false) }
            guard delimiter == "\t" || hasNumbers(fields) else { continue }
            return objection(columns, name, 1)
        }
        let fields = rows.map { $0.split { $0 == " " || $0 == "\t" } }
        guard fields.count(where: { $0.count > 1 }) * 10 >= rows.count * 9, hasNumbers(fields) || hasOperations(fields)
        else { return nil }
        return objection(fields[0].count, "space", min(2, fields[0].count))
    }

    /// Whether one column is a number, a time or the like in nearly all lines.
    private static func hasNumbers(_ lines: [[Substring]]) -> Bool {
        let columns = lines.map(\.count).max() ?? 0
        return (0..<min(columns, 64)).contains { column in
            lines.count(where: { column < $0.count && isNumberLike($0[column]) }) * 10 >= lines.count * 9
        }
    }

    private static func hasOperations(_ lines: [[Substring]]) -> Bool {
        lines.count(where: { fields in
            guard let first = fields.first else { return false }
            return Array(first.utf8).withUnsafeBytes { Fields.operation($0) != nil }
        }) * 10 >= lines.count * 9
    }

    /// Whether a word is a number, a time of day, a date or an address: digits, and what stands between digits.
    private static func isNumberLike(_ field: Substring) -> Bool {
        let bytes = field.utf8.drop { [0x20, 0x5b, 0x28, 0x22, 0x2d, 0x2b].contains($0) }
        let isHexadecimal = bytes.starts(with: "0x".utf8)
        guard let first = bytes.first, (0x30...0x39).contains(first) else { return false }
        if Array(field.utf8).withUnsafeBytes({ LogTime.iso8601($0) }) != nil { return true }
        return bytes.allSatisfy { byte in
            (0x30...0x39).contains(byte) || " .,:/-+)]\"eExX".utf8.contains(byte)
                || isHexadecimal && (0x61...0x66).contains(byte | 0x20)
        }
    }

    /// A first line that names what the others are.
    private static func header(_ lines: [Substring]) -> String? {
        guard let first = lines.first?.trimmingBlanks, lines.count > 1,
            !lines.dropFirst().contains(where: { $0.trimmingBlanks == first })
        else { return nil }
        let isName = names.contains(first.lowercased().filter { $0.isLetter })
        let isWordOverNumbers =
            first.contains(where: \.isLetter) && !first.contains(where: \.isNumber) && lines.count > 3
            && lines.dropFirst().allSatisfy { $0.trimmingBlanks.utf8.allSatisfy { (0x30...0x39).contains($0) } }
        guard isName || isWordOverNumbers else { return nil }
        return
            "The first line, '\(first.prefix(60))', looks like the name of the column and would count as a request. Read it with "
            + "--format csv:key=1,header, or say --format plain if it is a key."
    }

    private static let names: Set<String> = [
        "key", "keys", "id", "ids", "object", "objects", "objectid", "objid", "obj", "objectkey", "cachekey", "url",
        "uri",
        "block", "blockid", "lba", "lbn",
    ]
}

extension Substring {
    /// Without blanks at either end.
    fileprivate var trimmingBlanks: Substring {
        var rest = drop { $0.isWhitespace }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return rest
    }
}
