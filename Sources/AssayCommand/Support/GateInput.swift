import CacheCore
import CacheGate
import CacheReports
import Foundation

/// Reads what `assay gate` compares: one file of results or of a baseline, or all in a folder.
enum GateInput {
    /// The most JSON files in a folder.
    static let filesMax = 10_000

    /// The figures in a file of any kind, or in all of a folder and the folders in it.
    ///
    /// - Throws: `AssayError` with code `badInput` for a file that is damaged or not to be compared, a folder without
    ///   results, and results that hold one cell twice; `inputOutput` if something cannot be read.
    static func read(_ path: String) throws(AssayError) -> FigureSet {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            guard let set = try file(path, isAlone: true) else {
                throw AssayError(
                    .badInput, "Advice has no figures that a gate compares. Give results of another command.",
                    at: .init(path))
            }
            return set
        }
        var set = FigureSet(source: path)
        var files = 0
        for name in try names(in: path) {
            if let part = try file(URL(filePath: path).appending(path: name).path, isAlone: false) {
                try set.add(part)
                files += 1
            } else {
                set.notes.append("\(name) in \(path) is left out: it holds no results that a gate compares")
            }
        }
        guard files > 0 else {
            throw AssayError(
                .badInput, "There are no results in this folder. Give one into which a command wrote its JSON.",
                at: .init(path))
        }
        return set
    }

    /// What a gate.yaml says.
    static func rules(_ path: String) throws(AssayError) -> GateFile {
        let bytes = try InputFile.read(path, atMost: GateFile.bytesMax, "file of rules")
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw AssayError(.badInput, "This is not text in UTF-8. Save it as UTF-8.", at: .init(path))
        }
        return try GateFile(text, path: path)
    }

    private static func names(in folder: String) throws(AssayError) -> [String] {
        var names: [String] = []
        let enumerator = FileManager.default.enumerator(atPath: folder)
        while let name = enumerator?.nextObject() as? String {
            guard name.hasSuffix(".json") || name.hasSuffix(".jsonl") else { continue }
            // Results of an earlier run that a later one into the same folder has kept.
            guard name.firstMatch(of: /-\d{8}T\d{6}Z(-\d+)?\.json$/) == nil else { continue }
            names.append(name)
            guard names.count <= filesMax else {
                throw AssayError(
                    .badInput, "There are more than \(filesMax) JSON files here. Give a smaller folder.",
                    at: .init(folder))
            }
        }
        return names.sorted()
    }

    /// The figures in a file; nil for what a gate does not compare.
    private static func file(_ path: String, isAlone: Bool) throws(AssayError) -> FigureSet? {
        let data = Data(try InputFile.read(path, atMost: JSONReport.bytesMax, "results"))
        if let set = try FigureSet(baseline: data, from: path) { return set }
        if let set = try FigureSet(conformance: data, from: path) { return set }
        if !isAlone, let head = try? JSONDecoder().decode(Head.self, from: data), head.environment == nil { return nil }
        return try (JSONReport.read(from: path) as? any CombinableResults)?.figures(from: path)
    }

    /// What every file of results has.
    private struct Head: Decodable {
        struct Anything: Decodable {
            init(from decoder: any Decoder) {}
        }

        var environment: Anything?
    }
}
