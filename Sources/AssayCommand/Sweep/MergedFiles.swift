import CacheCore
import CacheReports
import Foundation

/// The files of a run that are written piece by piece: its JSON and its tables.
///
/// They grow under other names and are renamed in the end, so that nobody reads half of one.
struct MergedFiles {
    private let directory: String
    private var pieces: [String: FileHandle] = [:]
    private static let body = "cells"

    /// Files in a directory that is there.
    init(_ directory: String) { self.directory = directory }

    private func path(_ name: String) -> String { "\(directory)/.\(name).part" }

    private mutating func handle(_ name: String) throws -> FileHandle {
        if let handle = pieces[name] { return handle }
        try Data().write(to: URL(filePath: path(name)))
        let handle = try FileHandle(forWritingTo: URL(filePath: path(name)))
        pieces[name] = handle
        return handle
    }

    /// Adds combinations of one trace, which the results name.
    mutating func append(_ cells: [CellResult], of results: RunResults) throws(AssayError) {
        guard !cells.isEmpty else { return }
        var part = results
        part.cells = cells
        try Self.writing(in: directory) { () throws in
            let isFirst = pieces[Self.body] == nil
            try handle(Self.body).write(contentsOf: Data(((isFirst ? "" : ",\n") + Self.lines(cells)).utf8))
            for table in part.csv() {
                let isNew = pieces[table.name] == nil
                // The header is there already: it is the same whatever the rows are.
                let rows =
                    isNew
                    ? table.text[...] : table.text[(table.text.range(of: "\r\n")?.upperBound ?? table.text.endIndex)...]
                try handle(table.name).write(contentsOf: Data(rows.utf8))
            }
        }
    }

    /// Combinations as they stand in the JSON of a run, two levels deep.
    private static func lines(_ cells: [CellResult]) throws(AssayError) -> String {
        try JSONReport.render(cells).split(separator: "\n").dropFirst().dropLast().map { "  " + $0 }.joined(
            separator: "\n")
    }

    /// Writes what stands around the combinations, and gives the files their names; returns their paths.
    mutating func finish(_ results: RunResults) throws(AssayError) -> [String] {
        let kind = RunResults.kind
        let text = try JSONReport.render(results)
        let mark = "\"cells\" : ["
        return try Self.writing(in: directory) { () throws in
            if let start = text.range(of: mark), let end = text.range(of: "]", range: start.upperBound..<text.endIndex),
                let body = pieces.removeValue(forKey: Self.body)
            {
                try body.close()
                let whole = try handle(kind.json)
                try whole.write(contentsOf: Data((text[..<start.upperBound] + "\n").utf8))
                let source = try FileHandle(forReadingFrom: URL(filePath: path(Self.body)))
                while let piece = try source.read(upToCount: 1 << 20), !piece.isEmpty {
                    try whole.write(contentsOf: piece)
                }
                try source.close()
                try FileManager.default.removeItem(atPath: path(Self.body))
                try whole.write(contentsOf: Data(("\n  " + text[end.lowerBound...]).utf8))
            } else {
                try handle(kind.json).write(contentsOf: Data(text.utf8))
            }
            var paths: [String] = []
            for name in [kind.json] + kind.csv {
                let file = "\(directory)/\(name)"
                if let handle = pieces.removeValue(forKey: name) {
                    try handle.synchronize()
                    try handle.close()
                    guard rename(path(name), file) == 0 else { throw CocoaError(.fileWriteUnknown) }
                    paths.append(file)
                } else {
                    try? FileManager.default.removeItem(atPath: file)
                }
            }
            return paths
        }
    }

    /// Removes what has no name yet.
    func discard() { for name in pieces.keys { try? FileManager.default.removeItem(atPath: path(name)) } }

    private static func writing<Value>(in directory: String, _ write: () throws -> Value) throws(AssayError) -> Value {
        do { return try write() } catch let error as AssayError { throw error } catch {
            throw AssayError(
                .inputOutput,
                "The merged results cannot be written. Free space, or choose another directory with --out.",
                at: .init(directory), cause: error.localizedDescription)
        }
    }
}
