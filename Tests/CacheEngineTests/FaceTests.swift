import CacheCore
import CacheEngine
import CachePolicies
import Testing

/// Code that is written against the face must find the same in whatever cache it is given.
@Suite("One face for three caches")
struct FaceTests {
    private static func options<Value: Sendable>(_ clock: VirtualClock) -> CacheOptions<[UInt8], Value> {
        var options = CacheOptions<[UInt8], Value>(capacity: .objects(8))
        options.clock = clock
        return options
    }

    /// A cache of each kind, empty.
    private static func run(
        _ body: (any CacheProtocol<[UInt8], [UInt8]>, VirtualClock) async throws -> Void
    ) async throws {
        let lru = try ReplayTests.entry("lru")
        let clocks = [VirtualClock(), VirtualClock(), VirtualClock()]
        try await body(try Cache(options(clocks[0]), policy: lru), clocks[0])
        try await body(
            try StoredCache(options(clocks[1]), policy: lru, storage: FaultyStorage(), codec: .bytes), clocks[1])
        try await body(
            try TieredCache(options(clocks[2]), policy: lru, over: FaultyStorage(), codec: .bytes), clocks[2])
    }

    /// What a task does, by the operations that wait without blocking.
    private static func work<C: CacheProtocol>(_ cache: C) async throws -> [[UInt8]?]
    where C.Key == [UInt8], C.Value == [UInt8] {
        try await cache.put([9], for: [9], expiring: nil)
        let found = try await cache.value(for: [9])
        let removed = try await cache.remove([9])
        return [found, removed ? [1] : nil, try await cache.value(for: [9])]
    }

    /// What a thread does.
    private static func work<C: CacheProtocol>(_ cache: C, _ clock: VirtualClock) throws
    where C.Key == [UInt8], C.Value == [UInt8] {
        #expect(try cache.put([1], for: [1]) == .stored && cache.put([2], for: [1]) == .replaced)
        #expect(try cache.value(for: [1]) == [2] && cache.value(for: [2]) == nil)
        #expect(try cache.put([3], for: [3], expiring: .after(.nanoseconds(5))) == .stored)
        #expect(try cache.put([4], for: [4], expiring: .after(.zero)) == .refused(.expired))
        #expect(try cache.put(contentsOf: [([5], [5]), ([6], [6])]) == [:])
        #expect(try cache.values(for: [[5], [6], [7], [5]]) == [[5]: [5], [6]: [6]])
        #expect(try cache.contains([3]) && !cache.contains([4]) && cache.count == 4)
        #expect(try Set(cache.keys) == [[1], [3], [5], [6]])
        clock.advance(nanoseconds: 5)
        #expect(try !cache.contains([3]) && cache.removeExpired() == 1 && cache.removeExpired() == 0)
        #expect(try cache.removeAll([[5], [5], [8]]) == 1 && cache.remove([6]) && !cache.remove([6]))
        #expect(cache.statistics.hits == 3 && cache.statistics.misses == 2)
        try cache.flush()
        try cache.removeAll()
        #expect(try cache.count == 0 && cache.keys == [])
        try cache.close()
        #expect(cache.isClosed)
    }

    @Test func `the same program finds the same`() async throws {
        try await Self.run { cache, clock in
            let found = try await Self.work(cache)
            #expect(found == [[9], [1], nil])
        }
        try await Self.run { cache, clock in try Self.work(cache, clock) }
    }

    private static func load<C: CacheProtocol>(_ cache: C) async throws -> [[UInt8]]
    where C.Key == [UInt8], C.Value == [UInt8] {
        [
            try await cache.value(for: [1], expiring: nil) { $0 + [1] },
            try cache.blockingValue(for: [1], expiring: nil) { _ in [0] },
            try cache.blockingValue(for: [2], expiring: nil) { $0 + [2] },
            try await cache.value(for: [2], expiring: nil) { _ in [0] },
        ]
    }

    @Test func `a value that is missing is loaded once and stored`() async throws {
        try await Self.run { cache, _ in
            let loaded = try await Self.load(cache)
            #expect(loaded == [[1, 1], [1, 1], [2, 2], [2, 2]] && cache.statistics.loads >= 2)
        }
    }

    /// A load that stores what was read before a write brings an old value back; several caches did.
    @Test func `a write, a removal and a clear during a load win`() async throws {
        try await Self.run { cache, _ in try Self.overtake(cache) }
    }

    private static func overtake<C: CacheProtocol>(_ cache: C) throws where C.Key == [UInt8], C.Value == [UInt8] {
        let writes: [(C) throws -> Void] = [
            { try $0.put([7], for: [1]) }, { try $0.remove([1]) }, { try $0.removeAll() },
        ]
        for (number, write) in writes.enumerated() {
            try cache.removeAll()
            let loaded = try cache.blockingValue(for: [1], expiring: nil) { _ in
                try write(cache)
                return [9]
            }
            #expect(try loaded == [9] && cache.value(for: [1]) == (number == 0 ? [7] : nil))
        }
    }
}
