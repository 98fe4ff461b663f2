import Foundation
import Testing
import _CacheTestSupport

/// The Swift files of this package as text: what the tidy tests read.
struct SourceFile: Sendable, CustomTestStringConvertible {
    let path: String
    let text: String

    var name: String { URL(filePath: path).deletingPathExtension().lastPathComponent }
    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
    var module: String { String(path.split(separator: "/")[1]) }
    var testDescription: String { path }

    static let sources = load("Sources")
    static let tests = load("Tests")

    static func load(_ folder: String) -> [SourceFile] {
        let root = SharedFolder.packageRoot
        guard let walk = FileManager.default.enumerator(atPath: root.appending(path: folder).path) else { return [] }
        var files: [SourceFile] = []
        for case let name as String in walk where name.hasSuffix(".swift") {
            let path = "\(folder)/\(name)"
            guard let text = try? String(contentsOf: root.appending(path: path), encoding: .utf8) else { continue }
            files.append(SourceFile(path: path, text: text))
        }
        return files.sorted { $0.path < $1.path }
    }
}
