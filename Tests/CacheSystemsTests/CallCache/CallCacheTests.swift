import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import Foundation
import Synchronization
import Testing
import _CacheTestSupport

@Suite("Answers of remote functions: what is stored, for how long, and what removes it")
struct CallCacheTests {
    static func make(
        _ storage: any StorageBackend, name: String = "calls", maxAge: Duration? = nil,
        clock: VirtualClock = VirtualClock(), memory: Int = 10, closes: Bool = true, bytesMax: Int? = nil
    ) throws -> CallCache {
        var options = CallCacheOptions(name)
        options.maxAge = maxAge
        options.clock = clock
        options.memoryAnswersMax = memory
        options.closesStore = closes
        options.storeBytesMax = bytesMax
        return try CallCache(options, policy: policy("lru"), storage: storage)
    }

    static func texts(_ cache: CallCache, _ name: String = "f") -> CachedFunction<Int, String?> {
        cache.function(name) { (_: Int) async throws -> String? in throw Trouble() }
    }

    @Test func `an answer is served until it is as old as the limit, however often it is read`() async throws {
        for memory in [0, 10] {
            let clock = VirtualClock()
            let cache = try Self.make(DictionaryStorage.make(), maxAge: .seconds(10), clock: clock, memory: memory)
            let function = Self.texts(cache)
            try function.store("a", for: 1)
            for age in 0..<10 {
                let answer = try await function.answer(to: 1, .cacheOnly)
                #expect(answer.value == "a" && answer.source == .cached(age: .seconds(age)))
                #expect(try function.isCached(1))
                clock.advance(by: .seconds(1))
            }
            #expect(try !function.isCached(1) && function.isCached(1, maxAge: .unlimited))
            await #expect(throws: CallError.notCached(function: "f")) { try await function(1, .cacheOnly) }
            try cache.close()
        }
    }

    @Test func `the limit holds for what is stored already, and a call may set its own`() async throws {
        let clock = VirtualClock()
        let cache = try Self.make(DictionaryStorage.make(), clock: clock)
        let function = Self.texts(cache)
        try function.store("a", for: 1)
        clock.advance(by: .seconds(100))
        #expect(try await function(1, .cacheOnly) == "a")
        try cache.setMaxAge(.seconds(100))
        await #expect(throws: CallError.self) { try await function(1, .cacheOnly) }
        #expect(try await function(1, .cacheOnly, rules: CallRules(maxAge: .unlimited)) == "a")
        #expect(try await function(1, .networkElseCache, rules: CallRules(maxAge: .less(.seconds(101)))) == "a")
        await #expect(throws: Trouble()) { try await function(1, .networkElseCache) }
        try cache.setMaxAge(.seconds(101))
        #expect(try await function(1, .cacheOnly) == "a")
        await #expect(throws: CallError.self) {
            try await function(1, .cacheOnly, rules: CallRules(maxAge: .less(.zero)))
        }
        #expect(try cache.removeExpired() == 0)
        clock.advance(by: .seconds(1))
        try function.store("b", for: 2)
        #expect(try cache.count() == 2)
        #expect(try cache.removeExpired() == 1)
        #expect(try cache.count() == 1)
        #expect(try await function(2, .cacheOnly) == "b")
        try cache.close()
    }

    @Test(arguments: persistentBackends.map(\.descriptor.name))
    func `answers, their ages and the limit survive closing`(_ backend: String) async throws {
        let directory = try TemporaryDirectory()
        let clock = VirtualClock(wallNanoseconds: 1_000_000_000_000)
        var cache = try Self.make(openStore(backend, in: directory.path), maxAge: .seconds(10), clock: clock)
        try Self.texts(cache).store("a", for: 1)
        try Self.texts(cache).store(nil, for: 2)
        try cache.close()
        clock.advance(by: .seconds(9))
        cache = try Self.make(openStore(backend, in: directory.path), clock: clock)
        #expect(cache.maxAge == .seconds(10))
        #expect(try await Self.texts(cache)(1, .cacheOnly) == "a")
        #expect(try await Self.texts(cache).answer(to: 2, .cacheOnly).value == nil)
        clock.advance(by: .seconds(1))
        #expect(try !Self.texts(cache).isCached(1))
        // The machine's clock was set back: nobody knows how old the answer is.
        try cache.close()
        clock.setWall(nanoseconds: 0)
        cache = try Self.make(openStore(backend, in: directory.path), clock: clock)
        #expect(try !Self.texts(cache).isCached(1) && Self.texts(cache).isCached(1, maxAge: .unlimited))
        try cache.close()
    }

    @Test func `clearing removes this cache's answers and nobody else's in the store`() async throws {
        let storage = try DictionaryStorage.make()
        try storage.put(StoredEntry([1]), for: [1, 2, 3])
        let caches = try ["a", "b", ""].map { try Self.make(storage, name: $0, closes: false) }
        for cache in caches { for number in 0..<20 { try Self.texts(cache).store("\(number)", for: number) } }
        try caches[0].setMaxAge(.zero)
        try caches[0].removeAll()
        #expect(try caches[0].count() == 0)
        for cache in caches.dropFirst() {
            #expect(try cache.count() == 20)
            #expect(try await Self.texts(cache)(7, .cacheOnly) == "7")
            try Self.texts(cache).remove(7)
            #expect(try !Self.texts(cache).isCached(7) && Self.texts(cache).isCached(8))
        }
        #expect(try storage.get([1, 2, 3]) == StoredEntry([1]))
        for cache in caches { try cache.close() }
        #expect(try storage.get([1, 2, 3]) == StoredEntry([1]))
    }

    @Test func `functions, versions and parameters have records of their own, and equal parameters one`() async throws {
        let cache = try Self.make(DictionaryStorage.make())
        func function(_ name: String, _ version: Int = 1) -> CachedFunction<[String: [Int]], String> {
            cache.function(name, version: version) { _ in throw Trouble() }
        }
        var backwards: [String: [Int]] = [:]
        for number in (0..<50).reversed() { backwards["\(number)"] = [number] }
        let forwards = Dictionary(uniqueKeysWithValues: (0..<50).map { ("\($0)", [$0]) })
        try function("f").store("f", for: forwards)
        try function("g").store("g", for: forwards)
        try function("f", 2).store("f2", for: forwards)
        try function("f").store("other", for: [:])
        #expect(try await function("f")(backwards, .cacheOnly) == "f")
        #expect(try await function("g")(backwards, .cacheOnly) == "g")
        #expect(try await function("f", 2)(backwards, .cacheOnly) == "f2")
        #expect(try cache.count() == 4)
        // A record of another type is none.
        let wrong = cache.function("f") { (_: [String: [Int]]) async throws -> [Int] in [1] }
        #expect(try await wrong(forwards, .cacheElseNetwork) == [1])
        #expect(try await wrong(forwards, .cacheOnly) == [1])
        try cache.close()
    }

    @Test func `what the store holds of a cache is limited`() async throws {
        let cache = try Self.make(DictionaryStorage.make(), memory: 0, bytesMax: 2000)
        let function = Self.texts(cache)
        for number in 0..<50 { try function.store(String(repeating: "x", count: 100), for: number) }
        #expect(try (5..<20).contains(cache.count()))
        #expect(try function.isCached(49) && !function.isCached(0))
        try cache.close()
    }

    @Test func `a store that fails costs nothing but requests`() async throws {
        let storage = CountingStorage(try DictionaryStorage.make())
        let cache = try Self.make(storage, memory: 0)
        let function = cache.function("f") { (number: Int) async throws -> Int in number }
        storage.fail(true)
        for policy in FetchPolicy.allCases where policy != .cacheOnly { #expect(try await function(1, policy) == 1) }
        await #expect(throws: CallError.self) { try await function(1, .cacheOnly) }
        #expect(throws: StoreError.self) { try function.store(1, for: 1) }
        #expect(cache.statistics[.storeFailed] == 5 && cache.statistics[.stored] == 0)
        storage.fail(false)
        #expect(try await function(1, .cacheElseNetwork) == 1)
        #expect(try await function(1, .cacheOnly) == 1)
        try cache.close()
        await #expect(throws: CacheError.closed) { try await function(1, .cacheOnly) }
    }

    @Test func `an answer that cannot be encoded is given and not stored, nor is the old one left`() async throws {
        struct Fickle: Codable, Sendable, Equatable {
            var number = 0
            func encode(to encoder: any Encoder) throws {
                if number == 0 { throw Trouble() } else { try number.encode(to: encoder) }
            }
            init(_ number: Int) { self.number = number }
            init(from decoder: any Decoder) throws { number = try Int(from: decoder) }
        }
        let cache = try Self.make(DictionaryStorage.make())
        let function = cache.function("f") { (_: Int) async throws -> Fickle in Fickle(0) }
        try function.store(Fickle(7), for: 1)
        #expect(try await function(1, .cacheOnly) == Fickle(7))
        #expect(try await function(1, .networkOnly) == Fickle(0))
        #expect(try !function.isCached(1, maxAge: .unlimited))
        try cache.close()
    }

    @Test func `a listener is told what happens, and may use the cache`() async throws {
        let told = Mutex<[String]>([])
        let hand = Mutex<CallCache?>(nil)
        var options = CallCacheOptions("calls")
        options.monitor = { event, function in
            told.withLock { $0.append("\(function) \(event)") }
            if event == .removed, let cache = hand.withLock({ $0 }) { try? cache.removeAll() }
        }
        let cache = try CallCache(options, policy: policy("lru"), storage: DictionaryStorage.make())
        hand.withLock { $0 = cache }
        let function = cache.function("f") { (number: Int) async throws -> Int in
            if number == 0 { throw Trouble() }
            return number
        }
        _ = try await function(1, .cacheElseNetwork)
        _ = try await function(1, .networkElseCache)
        await #expect(throws: Trouble()) { try await function(0, .networkElseCache) }
        try function.remove(1)
        #expect(
            told.withLock { $0 } == [
                "f miss", "f asked", "f stored", "f asked", "f stored", "f asked", "f originFailed", "f miss",
                "f removed", " cleared",
            ])
        #expect(cache.statistics[.asked] == 3)
        hand.withLock { $0 = nil }
        try cache.close()
    }

    @Test func `an origin that failed is spared for a while, where that is wanted`() async throws {
        for errorAge in [Duration.zero, .seconds(10)] {
            let clock = VirtualClock()
            var options = CallCacheOptions("calls")
            options.errorAge = errorAge
            options.clock = clock
            let cache = try CallCache(options, policy: policy("lru"), storage: DictionaryStorage.make())
            let function = Self.texts(cache)
            func asked(by policy: FetchPolicy) async -> Int {
                let before = cache.statistics[.asked]
                await #expect(throws: Trouble()) { try await function(1, policy) }
                return cache.statistics[.asked] - before
            }
            let spared = errorAge == .zero ? 1 : 0
            #expect(await asked(by: .cacheElseNetwork) == 1)
            for policy in FetchPolicy.allCases where policy.sharesOrigin { #expect(await asked(by: policy) == spared) }
            // Who wants an answer of now asks, and what is removed is forgotten.
            #expect(await asked(by: .networkOnly) == 1)
            try function.remove(1)
            #expect(await asked(by: .networkElseCache) == 1)
            try cache.removeAll()
            #expect(await asked(by: .networkElseCache) == 1)
            clock.advance(by: .seconds(10))
            #expect(await asked(by: .cacheElseNetwork) == 1)
            try function.store("a", for: 1)
            #expect(try await function(1, .cacheElseNetwork) == "a")
            #expect(await asked(by: .cacheThenNetwork) == 1)
            try cache.close()
        }
    }
}
