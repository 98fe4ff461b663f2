import CacheCore
import CacheEngine
import CacheStorage
import Testing

@Suite("Loading through memory and a backend")
struct TieredLoadingTests {
    typealias Tiers = TieredCache<[UInt8], [UInt8]>

    @Test func `a missing value is loaded once and is in both tiers`() async throws {
        let storage = FaultyStorage()
        let cache = try TieredCacheTests.make(storage)
        let calls = Counter()
        for _ in 0..<3 {
            let value = try await cache.value(for: [1]) { key in
                calls.add()
                return key + [9]
            }
            #expect(value == [1, 9])
        }
        cache.dropMemory()
        #expect(try cache.blockingValue(for: [1]) { _ in [] } == [1, 9])
        #expect(calls.count == 1 && storage.entries[[1]]?.value == [1, 9])
    }

    @Test func `those who ask at once share one load, over both tiers`() async throws {
        let cache = try TieredCacheTests.make(FaultyStorage())
        let calls = Counter()
        let gate = Gate()
        let results = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await cache.value(for: [1]) { _ in
                        calls.add()
                        await gate.pass()
                        return [7]
                    }
                }
            }
            _ = await eventually { cache.upperStatistics.misses == 20 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: [7], count: 20) && calls.count == 1)
    }

    @Test(arguments: [Tiers.Writing.through, .back(waiting: 100)])
    func `a write, a removal or a clear during a load wins in both tiers`(_ writing: Tiers.Writing) throws {
        let storage = FaultyStorage()
        let cache = try TieredCacheTests.make(storage, writing)
        let meanwhile: [(() throws -> Void, [UInt8]?)] = [
            ({ try cache.put([5], for: [1]) }, [5]), ({ try cache.remove([1]) }, nil), ({ try cache.removeAll() }, nil),
            ({ try cache.removeAll { $0 == [1] } }, nil),
        ]
        for (act, left) in meanwhile {
            try cache.removeAll()
            let value = try cache.blockingValue(for: [1]) { _ in
                try act()
                return [9]
            }
            #expect(value == [9])
            #expect(try cache.value(for: [1]) == left)
            cache.dropMemory()
            #expect(try cache.value(for: [1]) == left)
        }
        try cache.flush()
        #expect(storage.entries.isEmpty)
    }

    @Test func `what a load returns that all have given up is in no tier`() async throws {
        let storage = FaultyStorage()
        let cache = try TieredCacheTests.make(storage)
        let only = Task {
            try await cache.value(for: [1]) { _ in
                while !Task.isCancelled { await Task.yield() }
                return [5]
            }
        }
        #expect(await eventually { cache.upperStatistics.misses == 1 })
        only.cancel()
        await #expect(throws: CancellationError.self) { try await only.value }
        let statistics = { cache.upperStatistics }
        #expect(await eventually { statistics().loads + statistics().loadsOvertaken > 0 })
        #expect(cache.upperCount == 0 && storage.entries.isEmpty)
    }

    @Test func `a load goes on when memory is dropped, and others join it`() async throws {
        let storage = FaultyStorage()
        let cache = try TieredCacheTests.make(storage)
        let calls = Counter()
        let gate = Gate()
        let load = {
            Task {
                try await cache.value(for: [1]) { _ in
                    calls.add()
                    await gate.pass()
                    return [5]
                }
            }
        }
        let first = load()
        #expect(await eventually { calls.count == 1 })
        cache.dropMemory()
        let second = load()
        #expect(await eventually { cache.upperStatistics.misses == 2 })
        gate.open()
        #expect(try await first.value == [5])
        #expect(try await second.value == [5])
        #expect(calls.count == 1)
        #expect(storage.entries[[1]]?.value == [5] && cache.upperContains([1]))
    }

    @Test func `a load that fails stores nothing, and one that the backend refuses is returned all the same`() throws {
        let storage = FaultyStorage()
        let cache = try TieredCacheTests.make(storage)
        #expect(throws: LoadFailure()) { try cache.blockingValue(for: [1]) { _ in throw LoadFailure() } }
        let long = [UInt8](repeating: 1, count: 2000)
        #expect(try cache.blockingValue(for: [1]) { _ in long } == long)
        #expect(try !cache.contains([1]) && cache.lowerStatistics.failures > 0)
        storage.fail(.inputOutput)
        #expect(try cache.blockingValue(for: [2]) { _ in [3] } == [3])
        storage.fail(nil)
        #expect(try !cache.contains([2]))
    }

    @Test func `a loaded value expires in both tiers at the same moment`() throws {
        let clock = VirtualClock(wallNanoseconds: 1000)
        let storage = FaultyStorage()
        let cache = try TieredCacheTests.make(storage, clock: clock)
        _ = try cache.blockingValue(for: [1], expiring: .after(.nanoseconds(10))) { _ in [1] }
        #expect(storage.entries[[1]]?.expiresAtNanoseconds == 1010)
        clock.advance(nanoseconds: 9)
        #expect(try cache.value(for: [1]) == [1])
        clock.advance(nanoseconds: 1)
        #expect(!cache.upperContains([1]))
        #expect(try cache.storedValue(for: [1])?.value == [1])
        #expect(try cache.removeExpired() == 1)
        #expect(try cache.storedValue(for: [1]) == nil && storage.entries.isEmpty)
    }

    @Test func `what satisfies a condition is removed from both tiers`() throws {
        let cache = try TieredCacheTests.make(FaultyStorage(), .back(waiting: 16))
        for key in 0..<100 as Range<UInt8> { try cache.put([key], for: [key]) }
        #expect(try cache.removeAll { $0[0] % 2 == 0 } == 50)
        #expect(try Set(cache.keys) == Set((0..<50).map { [2 * $0 + 1] }))
    }

    @Test func `what memory has and the backend has evicted is listed, and removed by a condition`() throws {
        let lower = try BoundedStorage(.objects(1), policy: ReplayTests.entry("lru"), over: FaultyStorage())
        let cache = try Tiers(
            CacheOptions(capacity: .objects(10)), policy: ReplayTests.entry("lru"), over: lower, codec: .bytes)
        for key in UInt8(0)..<3 { try cache.put([key], for: [key]) }
        #expect(try Set(cache.keys) == [[0], [1], [2]] && Set(cache.storedKeys()) == [[0], [1], [2]])
        #expect(try cache.removeAll { $0[0] < 2 } == 2)
        #expect(try cache.value(for: [0]) == nil && cache.value(for: [1]) == nil && cache.keys == [[2]])
    }
}
