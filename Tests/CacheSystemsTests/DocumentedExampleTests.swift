import CacheSystems
import Foundation
import Testing
import _CacheTestSupport

@Suite("The examples in the documentation are files of these tests, and they work")
struct DocumentedExampleTests {
    static let examples = [
        ("MethodCache.md", "MethodCache/MethodCacheExample.swift"),
        ("ExpiringDiskCache.md", "ExpiringDiskCache/ExpiringDiskCacheExample.swift"),
    ]

    @Test(arguments: examples)
    func `each article's example is compiled here as it stands`(_ page: String, _ example: String) throws {
        let root = SharedFolder.packageRoot
        let text = try String(
            contentsOf: root.appending(path: "Sources/CacheSystems/CacheSystems.docc/\(page)"), encoding: .utf8)
        let code = try String(
            contentsOf: root.appending(path: "Tests/CacheSystemsTests/\(example)"), encoding: .utf8)
        #expect(text.contains("```swift\n\(code)```"))
    }

    @Test func `prices are remembered, in memory and on disk`() async throws {
        let directory = try TemporaryDirectory()
        for round in 0..<2 {
            let list = try PriceList(directory: directory.path)
            #expect(list.price("bread", 2, 1) == 1000 && list.price("bread", 2, 9) == 1000)
            #expect(list.price.statistics.computed == 1)
            list.newList()
            #expect(list.price("bread", 2, 1) == 1000 && list.price.statistics.computed == 2)
            #expect(try await list.yearly(2026) == ["bread": 2026])
            #expect(list.yearly.statistics.computed == (round == 0 ? 1 : 0))
            try list.disk.close()
        }
    }

    @Test func `an article is fetched once, and shown from disk when there is no network`() async throws {
        let directory = try TemporaryDirectory()
        let store = try ArticleStore(directory: directory.path)
        let article = ArticleStore.Article(title: "t")
        for _ in 0..<2 { #expect(try await store.article("a") { article } == article) }
        try await store.articles.set(article, forKey: "b", expires: .seconds(600))
        #expect(try await store.article("b") { throw Trouble() } == article)
        await #expect(throws: Trouble()) { try await store.article("c") { throw Trouble() } }
    }
}
