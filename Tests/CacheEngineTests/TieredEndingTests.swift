import CacheCore
import CacheEngine
import Synchronization
import Testing

@Suite("Two tiers: values that use the cache when they end")
struct TieredEndingTests {
    typealias Cache = TieredCache<UInt8, Fond>

    /// A value that asks the cache for what is stored under its key when it ends.
    final class Fond: Sendable {
        let key: UInt8
        let home: Home
        init(_ key: UInt8, _ home: Home) { (self.key, self.home) = (key, home) }
        deinit { home.ended(key) }
    }

    final class Home: Sendable {
        private let cache = Mutex<Cache?>(nil)
        let ends = Mutex(0)
        private let isAsking = Mutex(false)

        func open(_ cache: Cache) { self.cache.withLock { $0 = cache } }
        func leave() { cache.withLock { $0 = nil } }

        func ended(_ key: UInt8) {
            // What is read below is a value too, and ends.
            guard let cache = cache.withLock({ $0 }), !isAsking.withLock({ $0 }) else { return }
            ends.withLock { $0 += 1 }
            isAsking.withLock { $0 = true }
            // Where the cache held its lock this would not return.
            _ = try? cache.storedValue(for: key)
            isAsking.withLock { $0 = false }
        }
    }

    private static func make(_ home: Home, _ storage: FaultyStorage, _ writing: Cache.Writing) throws -> Cache {
        var options = CacheOptions<UInt8, Fond>(capacity: .objects(2))
        options.clock = VirtualClock()
        let codec = CacheCodec<UInt8, Fond>(
            encodeKey: { [$0] }, decodeKey: { $0[0] }, encodeValue: { [$0.key] }, decodeValue: { Fond($0[0], home) })
        let cache = try Cache(
            options, policy: ReplayTests.entry("lru"), over: storage, codec: codec, writing: writing)
        home.open(cache)
        return cache
    }

    @Test(arguments: [Cache.Writing.through, .back(waiting: 16)])
    func `they end outside of its locks, at once`(_ writing: Cache.Writing) throws {
        let home = Home()
        let storage = FaultyStorage()
        let cache = try Self.make(home, storage, writing)
        func expectEnds(_ expected: Int, _ doing: () throws -> Void) throws {
            home.ends.withLock { $0 = 0 }
            try doing()
            #expect(home.ends.withLock { $0 } == expected)
        }
        try expectEnds(0) { for key in UInt8(0)..<2 { try cache.put(Fond(key, home), for: key) } }
        try expectEnds(1) { try cache.put(Fond(1, home), for: 1) }
        try expectEnds(1) { try cache.put(Fond(2, home), for: 2) }
        try expectEnds(1) { try cache.remove(2) }
        try expectEnds(1) { try cache.removeAll() }
        try cache.put(Fond(3, home), for: 3)
        try cache.flush()
        storage.refuse([3])
        // The old value and the new one, which nobody wanted.
        try expectEnds(2) {
            _ = try? cache.put(Fond(3, home), for: 3)
            try? cache.flush()
        }
        try expectEnds(0) { try cache.put(Fond(4, home), for: 4) }
        try expectEnds(1) { try cache.close() }
        home.leave()
    }
}
