import CacheConformance
import Foundation
import Testing
import _CacheTestSupport

/// What third parties are told to paste is compiled as it stands: in packages of their own, and here.
@Suite("The examples in the documentation are these files")
struct DocumentedExampleTests {
    private static let article = "Sources/CacheConformance/CacheConformance.docc/CacheConformance.md"
    private static let checkGuide = "Sources/CacheConformance/CacheConformance.docc/WritingACheck.md"
    private static let storageTest = "Examples/Backend/Tests/MyStorageTests/ConformanceTests.swift"
    private static let policyTest = "Examples/Policy/Tests/MyPolicyTests/ConformanceTests.swift"

    private static let guide = "docs/your-cache.md"

    @Test(
        arguments: [
            (guide, "Examples/Cache/Package.swift"), (guide, "Examples/Cache/Sources/MyCache/MyCache.swift"),
            (guide, "Examples/Cache/Tests/MyCacheTests/Subject.swift"),
            (guide, "Examples/Cache/Tests/MyCacheTests/ConformanceTests.swift"), (article, storageTest),
            (article, policyTest),
            (article, "Examples/Backend/Sources/MyStorage/MyStorage.swift"),
            (article, "Tests/CacheConformanceTests/DocumentedCache.swift"),
            (article, "Tests/CacheConformanceTests/DocumentedActor.swift"),
            (checkGuide, "Tests/CacheConformanceTests/DocumentedCheck.swift"),
            (checkGuide, "Examples/Checks/Sources/MyChecks/MyChecks.swift"), ("docs/conformance.md", storageTest),
            ("docs/conformance.md", policyTest),
        ])
    func `the text holds the file`(_ text: String, _ file: String) throws {
        #expect(try Self.read(text).contains("```swift\n\(Self.read(file))```"), "\(text) lacks \(file)")
    }

    @Test func `the guide to checks shows one of the section that it names`() throws {
        let guide = try Self.read(Self.checkGuide)
        let start = try #require(guide.range(of: "```swift\n        Check("))
        let end = try #require(guide.range(of: "```\n", range: start.upperBound..<guide.endIndex))
        let code = guide[start.lowerBound..<end.lowerBound].dropFirst("```swift\n".count)
        #expect(try Self.read("Sources/CacheConformance/Checks/ClearChecks.swift").contains(code))
    }

    @Test func `the documented check passes the documented cache, and is blocked for another`() throws {
        for check in myChecks {
            #expect(check.run(on: MyCache()).outcome == .pass)
            #expect(check.run(on: ReferenceStorage.subject()).outcome.name == "blocked")
        }
    }

    @Test(arguments: [
        "Examples/Backend/Sources/MyStorage/MyStorage.swift", "Examples/Policy/Sources/MyPolicy/MyPolicy.swift",
    ])
    func `an example has one screen`(_ file: String) throws {
        #expect(try Self.read(file).split(separator: "\n", omittingEmptySubsequences: false).count <= 65)
    }

    /// What an author has to write, besides what is imported.
    @Test func `the adapter of the example has at most 40 lines`() throws {
        let lines = try Self.read("Examples/Cache/Tests/MyCacheTests/Subject.swift").split(separator: "\n")
        #expect(lines.count { !$0.hasPrefix("import ") && !$0.hasPrefix("///") } <= 40)
    }

    private static func read(_ path: String) throws -> String {
        try String(contentsOf: SharedFolder.packageRoot.appending(path: path), encoding: .utf8)
    }
}
