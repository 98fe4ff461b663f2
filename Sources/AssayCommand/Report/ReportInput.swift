import CacheCore
import CacheGate
import CacheReports
import Foundation

/// One file that `assay report` draws.
struct ReportInput {
    /// What a file holds.
    enum Content {
        /// Results with the text of their JSON, which is kept to the byte.
        case recorded(any CombinableResults, text: String)
        /// A report of `assay conform --json`.
        case conformance
    }

    let path: String
    /// A short name that tells it from the other files.
    var label: String
    let content: Content

    /// The name under which its kind of results is kept, which tells the kinds apart; empty for a report of conform.
    var kind: String { if case .recorded(let results, _) = content { type(of: results).kind.json } else { "" } }

    /// The files that were named, and those of the folders that were.
    ///
    /// - Throws: `AssayError` with code `usage` for a file that is named twice, `badInput` for a folder without results and for
    ///   what no report can be made of, `inputOutput` if something cannot be read.
    static func read(_ given: [String]) throws(AssayError) -> [ReportInput] {
        var paths: [String] = []
        for path in given {
            for file in try files(path) {
                let isTwice = paths.contains {
                    URL(filePath: $0).standardizedFileURL == URL(filePath: file).standardizedFileURL
                }
                guard !isTwice else {
                    throw AssayError(.usage, "This file is given twice. Name it once.", at: .init(file))
                }
                paths.append(file)
            }
        }
        let labels = labels(paths)
        var inputs: [ReportInput] = []
        for (path, label) in zip(paths, labels) {
            inputs.append(ReportInput(path: path, label: label, content: try content(path)))
        }
        return inputs
    }

    private static func files(_ path: String) throws(AssayError) -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return [path]
        }
        let names = ReportKinds.all.map { $0.kind.json }
        let folder = URL(filePath: path)
        var found = names.map { folder.appending(path: $0).path }.filter(FileManager.default.fileExists)
        if found.isEmpty { found = conformanceReports(in: folder) }
        guard !found.isEmpty else {
            throw AssayError(
                .badInput,
                "This folder has none of \(names.joined(separator: ", ")), and no report of conform. Give one into which a command wrote them.",
                at: .init(path))
        }
        return found
    }

    /// The reports of conform in a folder, whatever their names; of other files nothing is said.
    private static func conformanceReports(in folder: URL) -> [String] {
        let files = try? FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        return (files ?? []).filter { file in
            file.pathExtension == "json"
                && (try? file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
                && (try? ConformanceHead.isIn(file.path)) == true
        }.map(\.path).sorted()
    }

    private static func content(_ path: String) throws(AssayError) -> Content {
        if try ConformanceHead.isIn(path) { return .conformance }
        let results = try JSONReport.read(from: path)
        guard let combinable = results as? any CombinableResults else {
            throw AssayError(.badInput, "No report can be made of these results again.", at: .init(path))
        }
        guard let data = FileManager.default.contents(atPath: path), let text = String(validating: data, as: UTF8.self)
        else {
            throw AssayError(.badInput, "This is not JSON in UTF-8. Save it as UTF-8.", at: .init(path))
        }
        return .recorded(combinable, text: text)
    }

    /// The shortest ends of paths that tell them apart, without the names that they all end with.
    static func labels(_ paths: [String]) -> [String] {
        var parts = paths.map { URL(filePath: $0).standardizedFileURL.pathComponents.filter { $0 != "/" } }
        if paths.count > 1 {
            while let last = parts[0].last, parts.allSatisfy({ $0.last == last && $0.count > 1 }) {
                for index in parts.indices { parts[index].removeLast() }
            }
        }
        for length in 1...max(1, parts.map(\.count).max() ?? 1) {
            let labels = parts.map { $0.suffix(length).joined(separator: "/") }
            if Set(labels).count == labels.count { return labels }
        }
        return paths
    }
}
