import Foundation
import Testing
import _CacheTestSupport

@Suite("The guides to one's own command show the package of Examples/Benchmark")
struct DocumentedExampleTests {
    private static let guide = "Sources/AssayCommand/AssayCommand.docc/YourOwnAssayCommand.md"
    private static let program = "Examples/Benchmark/Sources/benchmark/main.swift"
    private static let dependency =
        #".package(url: "<where you cloned it from>", branch: "main")"#

    @Test(arguments: [guide, "docs/library.md"])
    func `the text holds the program`(_ text: String) throws {
        #expect(try Self.read(text).contains("```swift\n\(Self.read(Self.program))```"))
    }

    @Test func `the guide holds the manifest, with the line for outside in the place of the path`() throws {
        let manifest = try Self.read("Examples/Benchmark/Package.swift")
        let path = #".package(name: "Assay", path: "../..")"#
        let comment = "    // Outside of this repository: \(Self.dependency)\n"
        #expect(manifest.contains(path) && manifest.contains(comment))
        let outside = manifest.replacing(comment, with: "").replacing(path, with: Self.dependency)
        #expect(try Self.read(Self.guide).contains("```swift\n\(outside)```"))
        #expect(try Self.read("docs/library.md").contains("```swift\n\(Self.dependency)\n```"))
    }

    @Test func `the guide to subcommands holds the subcommand, and the program has its line`() throws {
        let guide = try Self.read("Sources/AssayCommand/AssayCommand.docc/WritingASubcommand.md")
        #expect(
            guide.contains("```swift\n\(try Self.read("Examples/Benchmark/Sources/benchmark/OnceCommand.swift"))```"))
        let line = try #require(guide.firstMatch(of: /```swift\n(plugins\..*\n)```/)).output.1
        #expect(try Self.read(Self.program).contains(line))
        // At most one page.
        #expect(guide.split(separator: "\n", omittingEmptySubsequences: false).count <= 70)
    }

    @Test(arguments: [program, "Sources/assay/main.swift"])
    func `a program has at most twelve lines`(_ file: String) throws {
        #expect(try Self.read(file).split(separator: "\n", omittingEmptySubsequences: false).count <= 13)
    }

    private static func read(_ path: String) throws -> String {
        try String(contentsOf: SharedFolder.packageRoot.appending(path: path), encoding: .utf8)
    }
}
