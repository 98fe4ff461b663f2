internal import CacheCore

/// Names by which people tell the traces of a run apart.
///
/// A name is as short as it can be: the file's name without the endings of compression and format, then with them, then
/// with one folder more at a time. All traces that would share a name get longer ones, so that names depend neither on
/// the order of the traces nor on how their paths are written.
public enum TraceNames {
    /// The names that a file may have, the shortest first.
    ///
    /// - Parameter formats: The formats whose endings say nothing about the content.
    public static func candidates(
        forFile path: String, formats: [TraceFormatEntry] = BuiltinTraceFormats.all
    ) -> [String] {
        let slash = path.lastIndex(of: "/")
        let file = String(slash.map { path[path.index(after: $0)...] } ?? path[...])
        guard !file.isEmpty else { return [path] }
        let parent = FileTree.canonicalPath(slash.map { path[..<$0].isEmpty ? "/" : String(path[..<$0]) } ?? ".")
        let short = withoutEndings(file, formats)
        let files = short == file ? [file] : [short, file]
        var prefixes = [""]
        for folder in parent.split(separator: "/").reversed() { prefixes.append("\(folder)/\(prefixes.last ?? "")") }
        return prefixes.flatMap { prefix in files.map { prefix + $0 } }
    }

    /// A name for each trace, unique, from the names that each may have, shortest first.
    ///
    /// What cannot be told apart by these, the same trace given twice, is numbered.
    public static func unique(_ candidates: [[String]]) -> [String] {
        var levels = [Int](repeating: 0, count: candidates.count)
        while true {
            let groups = Dictionary(grouping: candidates.indices) { candidates[$0][levels[$0]] }
            let open = groups.values.filter { $0.count > 1 }.flatMap(\.self)
                .filter { levels[$0] + 1 < candidates[$0].count }
            if open.isEmpty { break }
            for index in open { levels[index] += 1 }
        }
        var taken: Set<String> = []
        return candidates.indices.map { index in
            let name = candidates[index][levels[index]]
            var (unique, number) = (name, 2)
            while !taken.insert(unique).inserted {
                unique = "\(name) (\(number))"
                number += 1
            }
            return unique
        }
    }

    /// `oltp` of `oltp.lis.zst`: a compression's ending and a format's are taken off, nothing else.
    private static func withoutEndings(_ file: String, _ formats: [TraceFormatEntry]) -> String {
        let content = TraceInput.contentName(file)
        let endings = formats.flatMap(\.descriptor.fileExtensions).filter { content.lowercased().hasSuffix("." + $0) }
        let length = endings.map { $0.count + 1 }.max() ?? 0
        return length < content.count ? String(content.dropLast(length)) : file
    }
}
