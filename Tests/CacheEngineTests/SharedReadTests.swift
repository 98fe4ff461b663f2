import CacheCore
import CacheEngine
import CachePolicies
import Foundation
import Testing

@Suite("Reads that share a lock")
struct SharedReadTests {
    static func cache<Value: Sendable>(
        _ name: String, _ capacity: Int, _ order: CacheOrder = .relaxed, values: Value.Type = Int.self
    ) throws -> Cache<Int, Value> {
        var options = CacheOptions<Int, Value>(capacity: .objects(capacity))
        options.order = order
        return try Cache(options, policy: ReplayTests.entry(name))
    }

    /// Caffeine's policy is told of hits by lossy buffers, so that its hit ratio depends on the load; here one thread's is the policy's.
    @Test(arguments: ReplayTests.policies)
    func `one thread finds the same order either way`(_ name: String) throws {
        let relaxed = try Self.cache(name, 40), strict = try Self.cache(name, 40, .strict)
        var differences = 0
        for (position, key) in mixedRequests(8000, keys: 100, seed: 11).enumerated() {
            let found = [relaxed, strict].map { cache in
                // More reads than a thread can note, now and then.
                if position % 1000 == 0 { for _ in 0..<300 { _ = cache.value(for: key) } }
                if position % 7 == 0 { _ = cache.peek(key / 2) }
                if let value = cache.value(for: key) { return value }
                cache.put(key, for: key)
                return -1
            }
            if found[0] != found[1] { differences += 1 }
        }
        #expect(differences == 0)
        #expect(relaxed.statistics == strict.statistics)
    }

    /// Nobody is handed the lock, so that a thread that waits for itself would wait for ever; Swift's own `Mutex` traps too.
    @Test func `a key whose comparison writes to its own cache ends the program`() async {
        struct Key: Hashable, Sendable {
            let number: Int
            let cache: @Sendable () -> Cache<Key, Int>

            static func == (one: Key, other: Key) -> Bool {
                one.cache().put(1, for: Key(number: 9, cache: one.cache))
                return one.number == other.number
            }

            func hash(into hasher: inout Hasher) { hasher.combine(0) }
        }
        await #expect(processExitsWith: .failure) {
            nonisolated(unsafe) var cache: Cache<Key, Int>!
            cache = Cache(4)
            for _ in 0..<2 { cache.put(0, for: Key(number: 1) { cache }) }
        }
    }

    /// A value that a writer replaces, and one that is evicted, end once, and not while somebody reads them.
    @Test(arguments: ["lru", "sieve", "s3fifo", "w-tinylfu"])
    func `values that are read while they leave`(_ name: String) async throws {
        let cache = try Self.cache(name, 40, values: [Int].self)
        let (wrong, reads) = (Counter(), Counter())
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(thread))
                    for step in 0..<20_000 {
                        let key = generator.next(below: 60)
                        switch step % 16 {
                        case 0, 1: cache.put([Int](repeating: key, count: 8), for: key)
                        case 2: cache.remove(key)
                        case 3: if let value = cache.peek(key), value != [Int](repeating: key, count: 8) { wrong.add() }
                        default:
                            reads.add()
                            if let value = cache.value(for: key), value != [Int](repeating: key, count: 8) {
                                wrong.add()
                            }
                        }
                    }
                }
            }
        }
        #expect(wrong.count == 0)
        let statistics = cache.statistics
        #expect(statistics.requests == reads.count && statistics.hits > 0 && cache.count <= 40)
        #expect(statistics.writes == statistics.removals.values.reduce(0, +) + cache.count)
    }

    /// A thread that ends gives its number to another, which goes on in the same notes; those that get none read alone.
    @Test func `more threads than there are numbers`() throws {
        let cache = try Self.cache("lru", 10)
        for key in 0..<10 { cache.put(key, for: key) }
        let found = Counter()
        let gate = DispatchSemaphore(value: 0), done = DispatchSemaphore(value: 0)
        for _ in 0..<3 {
            for thread in 0..<80 {
                Thread.detachNewThread {
                    for _ in 0..<60 where cache.value(for: thread % 10) == thread % 10 { found.add() }
                    done.signal()
                    gate.wait()
                    for _ in 0..<60 where cache.value(for: thread % 10) == thread % 10 { found.add() }
                    done.signal()
                }
            }
            for _ in 0..<80 { done.wait() }
            for _ in 0..<80 { gate.signal() }
            for _ in 0..<80 { done.wait() }
        }
        #expect(found.count == 3 * 80 * 120)
        #expect(cache.statistics.hits == 3 * 80 * 120)
    }

    @Test func `a read that finds its value over lets it go`() throws {
        let clock = VirtualClock()
        var options = CacheOptions<Int, Int>(capacity: .objects(10))
        options.clock = clock
        options.expiry = .afterWrite(.seconds(10))
        let cache = try Cache(options, policy: ReplayTests.entry("lru"))
        cache.put(1, for: 1)
        #expect(cache.value(for: 1) == 1 && cache.value(for: 1) == 1 && cache.peek(1) == 1)
        clock.advance(by: .seconds(10))
        #expect(cache.peek(1) == nil && cache.value(for: 1) == nil)
        cache.put(2, for: 2, expiring: .never)
        #expect(cache.peek(2) == 2 && cache.peek(3) == nil)
        #expect(cache.statistics.removals(.expired) == 1 && cache.statistics.misses == 1 && cache.statistics.hits == 2)
    }
}
