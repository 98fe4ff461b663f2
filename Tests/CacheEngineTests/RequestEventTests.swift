import CacheCore
import CacheEngine
import CachePolicies
import Synchronization
import Testing

/// Keeps the requests that a cache tells of, a line each.
private final class RequestLog: Sendable {
    private let list = Mutex<[String]>([])

    func add(_ event: RequestEvent<Int>) {
        let weight = event.weight.map { " weight=\($0)" } ?? ""
        let time = event.timeToLiveNanoseconds.map { " ttl=\($0)" } ?? ""
        list.withLock { $0.append("\(event.operation) \(event.key) \(event.outcome)\(weight)\(time)") }
    }

    /// The lines since the last call.
    func take() -> [String] {
        list.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

@Suite("A cache tells of its requests")
struct RequestEventTests {
    private static func cache(
        _ log: RequestLog, _ change: (inout CacheOptions<Int, Int>) -> Void = { _ in }
    ) throws -> Cache<Int, Int> {
        var options = CacheOptions<Int, Int>(capacity: .bytes(100))
        options.weigher = { _, value in value }
        options.onRequest = log.add
        change(&options)
        return try Cache(options, policy: LRUPolicy<ByteSizes>.self)
    }

    @Test func `reads, writes and removals are told once, with what came of them`() throws {
        let log = RequestLog()
        let clock = VirtualClock()
        let cache = try Self.cache(log) { $0.clock = clock }
        _ = cache.value(for: 1)
        cache.put(10, for: 1)
        cache[1] = 20
        _ = cache.value(for: 1)
        cache.put(101, for: 2)
        cache.put(5, for: 3, expiring: .after(.nanoseconds(7)))
        cache.put(5, for: 4, expiring: .after(.zero))
        clock.advance(nanoseconds: 7)
        _ = cache.value(for: 3)
        cache.remove(3)
        cache.remove(1)
        #expect(
            log.take() == [
                "read 1 miss", "write 1 stored weight=10", "write 1 stored weight=20", "read 1 hit weight=20",
                "write 2 refused weight=101", "write 3 stored weight=5 ttl=7", "write 4 refused weight=5 ttl=1",
                "read 3 miss", "remove 3 miss", "remove 1 hit weight=20",
            ])
    }

    @Test func `bulk and conditional operations tell of what they do`() throws {
        let log = RequestLog()
        let cache = try Self.cache(log)
        for key in [1, 2] { cache.put(key, for: key, tags: ["even"]) }
        _ = cache.values(for: [1, 3, 1])
        _ = cache.putIfAbsent(9, for: 1)
        _ = cache.replace(1, with: 3)
        _ = cache.compute(1) { $0.map { $0 + 1 } }
        _ = cache.compute(1) { _ in nil }
        cache.removeAll(taggedWith: "even")
        #expect(
            log.take() == [
                "write 1 stored weight=1", "write 2 stored weight=2", "read 1 hit weight=1", "read 3 miss",
                "write 1 stored weight=3", "write 1 stored weight=4", "remove 1 hit weight=4", "remove 2 hit weight=2",
            ])
    }

    @Test func `what counts nothing is no request`() throws {
        let log = RequestLog()
        let cache = try Self.cache(log)
        cache.put(1, for: 1)
        _ = log.take()
        _ = cache.peek(1)
        _ = cache.contains(1)
        _ = cache.count
        cache.setExpiry(.after(.seconds(1)), of: 1)
        cache.removeAll()
        try cache.resize(to: 50)
        cache.close()
        #expect(log.take() == [])
    }

    @Test func `a load is a read that misses and a write, and then a hit`() async throws {
        let log = RequestLog()
        let cache = try Self.cache(log) {
            $0.negativeTimeToLive = .seconds(1)
            $0.clock = VirtualClock()
        }
        _ = try await cache.value(for: 1) { _ in 5 }
        _ = try await cache.value(for: 1) { _ in 5 }
        _ = try cache.blockingValue(for: 2) { _ in 6 }
        #expect(
            log.take() == [
                "read 1 miss", "write 1 stored weight=5", "read 1 hit weight=5", "read 2 miss",
                "write 2 stored weight=6",
            ])
        _ = try await cache.optionalValue(for: 3) { _ in nil }
        _ = try await cache.optionalValue(for: 3) { _ in nil }
        let lines = log.take()
        #expect(lines[0] == "read 3 miss" && lines[1].hasPrefix("write 3 stored weight=1 ttl=") && lines.count == 3)
        #expect(lines[2] == "read 3 hit weight=1")
    }

    @Test func `the upper tier of two tells of one miss for each read that goes below`() throws {
        let log = RequestLog()
        var options = CacheOptions<[UInt8], [UInt8]>(capacity: .objects(10))
        options.onRequest = { event in
            log.add(RequestEvent(key: Int(event.key[0]), operation: event.operation, outcome: event.outcome))
        }
        let cache = try TieredCache(
            options, policy: ReplayTests.entry("lru"), over: FaultyStorage(), codec: .bytes)
        _ = try cache.value(for: [1])
        try cache.put([7], for: [1])
        _ = try cache.value(for: [1])
        #expect(log.take() == ["read 1 miss", "write 1 stored", "read 1 hit"])
    }

    @Test func `hits and misses that are told are those that are counted`() throws {
        let told = Mutex<[RequestOutcome: Int]>([:])
        var options = CacheOptions<Int, Int>(capacity: .objects(50))
        options.onRequest = { event in told.withLock { $0[event.outcome, default: 0] += 1 } }
        let cache = try Cache(options, policy: ReplayTests.entry("s3fifo"))
        for key in mixedRequests(5000, keys: 200, seed: 3) where cache.value(for: key) == nil { cache.put(1, for: key) }
        let statistics = cache.statistics
        let counts = told.withLock { $0 }
        #expect(
            counts[.hit] == statistics.hits && counts[.miss] == statistics.misses
                && counts[.stored] == statistics.writes)
        #expect(counts[.refused, default: 0] == statistics.refusals)
    }
}
