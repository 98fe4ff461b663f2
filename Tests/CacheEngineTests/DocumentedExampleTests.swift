import CacheEngine
import Foundation
import Testing
import _CacheTestSupport

@Suite("The example in the documentation is this file, and it works")
struct DocumentedExampleTests {
    @Test func `the article's example is compiled here as it stands`() throws {
        let root = SharedFolder.packageRoot
        let text = try String(
            contentsOf: root.appending(path: "Sources/CacheEngine/CacheEngine.docc/CacheEngine.md"), encoding: .utf8)
        let code = try String(
            contentsOf: root.appending(path: "Tests/CacheEngineTests/DocumentedExample.swift"), encoding: .utf8)
        #expect(text.contains("```swift\n\(code)```"))
    }

    @Test func `it loads, keeps and forgets`() async throws {
        let cache = try PageCache()
        #expect(try await cache.page("/a", from: "x") == Array("the page /a".utf8))
        #expect(try await cache.page("/a", from: "x").count == 11)
        #expect(cache.pages.statistics.loads == 1)
        cache.forget(site: "x")
        #expect(cache.pages.count == 0)
    }
}
