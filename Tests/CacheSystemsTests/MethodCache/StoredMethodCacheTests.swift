import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import Foundation
import Testing
import _CacheTestSupport

@Suite("Results in a backend outlive the process that computed them")
struct StoredMethodCacheTests {
    static let backends = persistentBackends.map(\.descriptor.name)

    static func open(_ store: any StorageBackend, capacity: Int = 10, clock: VirtualClock? = nil) throws
        -> StoredMethodCache
    {
        var options = MethodCacheOptions(capacity: .objects(capacity))
        if let clock { options.clock = clock }
        return try StoredMethodCache(options, policy: policy("lru"), over: store)
    }

    @Test(arguments: backends)
    func `a result is found after the cache was opened again`(_ name: String) throws {
        let directory = try TemporaryDirectory()
        let calls = Counter()
        for round in 0..<3 {
            let cache = try Self.open(openStore(name, in: directory.path))
            let f = cache.memoize("f") { (a: String, b: Int?) -> [String: Double?] in
                calls.add()
                return [a: b.map(Double.init), "nan": .nan]
            }
            let result = f("x", nil)
            #expect(result["x"] == .some(nil) && result["nan"]??.isNaN == true)
            #expect(f("x", 3)["x"] == 3 && calls.count == 2, "round \(round)")
            try cache.close()
        }
    }

    @Test func `another version, or another name, finds nothing`() throws {
        let cache = try Self.open(DictionaryStorage.make())
        let calls = Counter()
        let body: @Sendable (Int) -> Int = { _ in calls.add() }
        #expect(cache.memoize("f", body)(1) == 1 && cache.memoize("f", body)(1) == 1)
        #expect(cache.memoize("f", version: 2, body)(1) == 2 && cache.memoize("g", body)(1) == 3)
        let first = cache.memoize("f", body)
        first.forgetAll()
        #expect(first(1) == 4 && cache.memoize("f", version: 2, body)(1) == 2 && cache.memoize("g", body)(1) == 3)
        cache.invalidate()
        #expect(cache.memoize("g", body)(1) == 5)
    }

    @Test func `damage costs a call and nothing else`() throws {
        let directory = try TemporaryDirectory()
        let calls = Counter()
        func round(_ body: (MemoizedFunction<Int, Int, Never>) -> Void) throws {
            let cache = try Self.open(openStore("file", in: directory.path))
            body(cache.memoize("f") { (a: Int) in calls.add() * 0 + a })
            try cache.close()
        }
        try round { f in for number in 0..<20 { #expect(f(number) == number) } }
        #expect(calls.count == 20)
        let files = directory.files().filter { $0.contains("/k") }
        #expect(files.count == 20)
        for file in files {
            var bytes = try Data(contentsOf: URL(filePath: file))
            bytes[bytes.count - 1] ^= 1
            try bytes.write(to: URL(filePath: file))
        }
        try round { f in for number in 0..<20 { #expect(f(number) == number) } }
        #expect(calls.count == 40)
        try round { f in for number in 0..<20 { #expect(f(number) == number) } }
        #expect(calls.count == 40)
    }

    @Test func `a backend that fails costs calls and nothing else`() async throws {
        let store = FailingStorage()
        let cache = try Self.open(store)
        let calls = Counter()
        let f = cache.memoize("f") { (a: Int) in calls.add() * 0 + a }
        let g = cache.memoize("g") { (a: Int) async throws(Trouble) in calls.add() * 0 + a }
        store.isFailing.raise()
        #expect(f(1) == 1 && f(1) == 1)
        #expect(try await g(2) == 2)
        #expect(cache.backendStatistics.failures > 0)
    }

    @Test func `everything is forgotten, also what memory alone has left`() throws {
        let store = try BoundedStorage(.objects(1), policy: policy("lru"), over: DictionaryStorage.make())
        let cache = try Self.open(store)
        let calls = Counter()
        let f = cache.memoize("f") { (_: Int) in calls.add() }
        for number in 0..<3 { _ = f(number) }
        f.forgetAll()
        #expect(!f.isCached(0) && !f.isCached(1) && !f.isCached(2))
        #expect(f(0) == 4)
    }

    @Test func `what a backend fails to remove is forgotten in memory`() throws {
        let store = FailingStorage()
        let cache = try Self.open(store)
        let calls = Counter()
        let f = cache.memoize("f") { (_: Int) in calls.add() }
        #expect(f(1) == 1 && f(2) == 2 && f(3) == 3)
        store.isFailing.raise()
        #expect(f.forget(1) && !f.forget(9))
        #expect(f(1) == 4 && f(2) == 2)
        f.forgetAll()
        #expect(f(2) == 5 && f(3) == 6)
    }

    @Test func `a value of another type under the same name is computed anew`() throws {
        let directory = try TemporaryDirectory()
        var cache = try Self.open(openStore("file", in: directory.path))
        #expect(cache.memoize("f") { (_: Int) in "text" }(1) == "text")
        try cache.close()
        cache = try Self.open(openStore("file", in: directory.path))
        let f = cache.memoize("f") { (a: Int) in [a] }
        #expect(f(1) == [1] && f(1) == [1])
        try cache.close()
    }

    @Test func `results expire in both tiers, and the insertion rule holds for both`() throws {
        let clock = VirtualClock(wallNanoseconds: 1_000_000)
        let directory = try TemporaryDirectory()
        let cache = try Self.open(openStore("log", in: directory.path), clock: clock)
        let calls = Counter()
        let rules = MethodRules<Int>(expiry: .after(.seconds(1)), admits: { $0 < 100 })
        let f = cache.memoize("f", rules: rules, key: { (a: Int) in a }) { (a: Int) in calls.add() * 0 + a }
        #expect(f(1) == 1 && f(200) == 200 && f(1) == 1 && f(200) == 200 && calls.count == 3)
        cache.dropMemory()
        #expect(f(1) == 1 && calls.count == 3)
        clock.advance(by: .seconds(1))
        let removed = try cache.removeExpired()
        #expect(removed == 1)
        #expect(f(1) == 1 && calls.count == 4)
        try cache.close()
    }
}

/// A store that fails as soon as it is told to.
final class FailingStorage: StorageBackend {
    let isFailing = Switch()
    private let store: DictionaryStorage

    static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "failing", summary: "Fails on demand.", citation: "none", needsDirectory: false)
    }
    var claims: StorageClaims { store.claims }

    init() {
        do { store = try DictionaryStorage.make() } catch {
            preconditionFailure("\(error)")
        }
    }
    convenience init(_ configuration: BackendConfiguration) throws(StoreError) { self.init() }

    private func check() throws(StoreError) {
        if isFailing.isRaised { throw StoreError(.inputOutput, "as it was told") }
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        try check()
        return try store.get(key)
    }
    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        try check()
        try store.put(entry, for: key)
    }
    func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try check()
        return try store.remove(key)
    }
    func removeAll() throws(StoreError) {
        try check()
        try store.removeAll()
    }
    func count() throws(StoreError) -> Int { try store.count() }
    func keys() throws(StoreError) -> [[UInt8]] { try store.keys() }
    func close() throws(StoreError) { try store.close() }
}
