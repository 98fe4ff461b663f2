import CacheSystems
import Foundation
import Testing
import _CacheTestSupport

@Suite("The examples in the documentation are files of these tests, and they work")
struct DocumentedExampleTests {
    static let examples = [
        ("RememberingResults.md", "MethodCache/MethodCacheExample.swift"),
        ("KeepingObjectsUntilADate.md", "ExpiringDiskCache/ExpiringDiskCacheExample.swift"),
        ("RememberingAnswers.md", "CallCache/CallCacheExample.swift"),
        ("KeepingRecords.md", "RecordCache/RecordCacheExample.swift"),
        ("KeepingWebResources.md", "HTTPCache/HTTPCacheExample.swift"),
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

    @Test func `a forecast is shown as it was, then as it is, and without a network as it was`() async throws {
        let directory = try TemporaryDirectory()
        let fetches = Counter()
        let store = try ForecastStore(directory: directory.path) { place in
            guard fetches.add() <= 2 else { throw ForecastStore.Offline() }
            return ForecastStore.Forecast(degrees: [fetches.count, place.days])
        }
        let place = ForecastStore.Place(city: "Oslo", days: 3)
        var shown: [String] = []
        for _ in 0..<2 { try await store.show(place) { shown.append("\($0.degrees) \($1)") } }
        #expect(shown == ["[1, 3] false", "[1, 3] true", "[2, 3] false"])
        #expect(try await store.latest(place) == ForecastStore.Forecast(degrees: [2, 3]))
        await #expect(throws: ForecastStore.Offline()) {
            try await store.latest(ForecastStore.Place(city: "Rome", days: 1))
        }
        try store.calls.close()
    }

    @Test func `a contact that an older version stored is read as what it has become, until its user is forgotten`()
        throws
    {
        let directory = try TemporaryDirectory()
        var store = try ContactStore(directory: directory.path)
        let old = OldContact(name: "Ada", age: "36", address: OldContact.Address(street: "s"))
        try store.cache.group("users", "u", "contacts").set(old, forKey: "Ada")
        try store.keep(ContactStore.Contact(fullName: "Bo"), of: "v")
        try store.cache.close()
        store = try ContactStore(directory: directory.path)
        #expect(try store.contact("Ada", of: "u") == ContactStore.Contact(fullName: "Ada", age: 36, street: "s"))
        try store.forget("u")
        #expect(try store.contact("Ada", of: "u") == nil)
        #expect(try store.contact("Bo", of: "v")?.fullName == "Bo")
        try store.cache.close()
    }

    @Test func `a page is read with the network and on the way, until its issue is discarded`() async throws {
        let directory = try TemporaryDirectory()
        let network = FunctionOrigin { request, number in
            HTTPResponse(200, fields: ["ETag": "\"1\""], body: HTTPBody("\(request.url.path) \(number)"))
        }
        let store = try PageStore(directory: directory.path, network: network)
        let first = try #require(try await store.page(address("/1"), issue: "May"))
        #expect(first.content == Array("/1 1".utf8) && !first.mayBeOld)
        store.travel(true)
        let onTheWay = try #require(try await store.page(address("/1"), issue: "May"))
        #expect(onTheWay.content == first.content && onTheWay.mayBeOld)
        #expect(try await store.page(address("/2"), issue: "May") == nil)
        try store.discard(issue: "May")
        #expect(try await store.page(address("/1"), issue: "May") == nil)
        #expect(network.questions.count == 1)
        try store.cache.close()
    }
}

private struct OldContact: CacheRecord {
    struct Address: CacheRecord {
        var street: String
    }

    static let recordName = "Contact"
    var name: String
    var age: String
    var address: Address
}
