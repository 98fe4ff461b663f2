import CacheCore
import CacheEngine
import Dispatch
import Testing

@Suite("Reading through memory and a backend while others load", .timeLimit(.minutes(30)))
struct TieredReadingTests {
    /// Loads a key until the gate opens; the load is under way when this returns.
    static func load(
        _ key: [UInt8], _ cache: TieredLoadingTests.Tiers, until gate: Gate,
        _ value: @escaping @Sendable () throws -> [UInt8]
    ) async -> Task<[UInt8], any Error> {
        let begun = Gate()
        let task = Task {
            try await cache.value(for: key) { _ in
                begun.open()
                await gate.pass()
                return try value()
            }
        }
        await begun.pass()
        return task
    }

    @Test func `a read waits for no loader, and finds what is written meanwhile`() async throws {
        let cache = try TieredCacheTests.make(FaultyStorage())
        let gate = Gate()
        let load = await Self.load([1], cache, until: gate) { throw LoadFailure() }
        defer { gate.open() }
        #expect(try await cache.value(for: [1]) == nil)
        #expect(try await onThread { try cache.value(for: [1]) } == nil)
        #expect(cache.upperCount == 0)
        gate.open()
        await #expect(throws: LoadFailure()) { try await load.value }
    }

    @Test func `a read beside a load finds what the backend has, and does not keep it`() async throws {
        let storage = FaultyStorage()
        let clock = VirtualClock(wallNanoseconds: 1000)
        let cache = try TieredCacheTests.make(storage, clock: clock)
        let gate = Gate()
        let load = await Self.load([1], cache, until: gate) { [9] }
        defer { gate.open() }
        try storage.put(StoredEntry([5], expiresAtNanoseconds: 1010), for: [1])
        #expect(try await cache.value(for: [1]) == [5] && cache.upperCount == 0)
        #expect(cache.lowerStatistics.hits == 1)
        clock.advance(nanoseconds: 10)
        #expect(try await cache.value(for: [1]) == nil && storage.entries.isEmpty)
        gate.open()
        #expect(try await load.value == [9])
        #expect(try await cache.value(for: [1]) == [9])
    }

    @Test func `loaders that read each other's keys end`() async throws {
        let cache = try TieredCacheTests.make(FaultyStorage())
        let (first, second) = (Gate(), Gate())
        let ends = (0..<2).map { number in
            let (mine, other) = number == 0 ? (first, second) : (second, first)
            return Task {
                try await cache.value(for: [UInt8(number)]) { _ in
                    mine.open()
                    await other.pass()
                    return try await cache.value(for: [UInt8(1 - number)]) ?? [7]
                }
            }
        }
        for end in ends { #expect(try await end.value == [7]) }
    }

    @Test func `a loader that joins a read does not fail with it`() async throws {
        let storage = FaultyStorage()
        let cache = try TieredCacheTests.make(storage)
        let begun = Gate()
        let goOn = DispatchSemaphore(value: 0)
        storage.beforeNextGet {
            begun.open()
            goOn.wait()
            storage.fail(.inputOutput)
        }
        let read = Task { try await onThread { code { _ = try cache.value(for: [1]) } } }
        await begun.pass()
        let load = Task { try await cache.value(for: [1]) { _ in [3] } }
        _ = await eventually { cache.upperStatistics.misses == 2 }
        goOn.signal()
        #expect(try await read.value == .inputOutput)
        #expect(try await load.value == [3])
    }
}
