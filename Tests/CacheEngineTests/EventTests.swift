import CacheCore
import CacheEngine
import CachePolicies
import Synchronization
import Testing

/// Collects what a cache tells.
final class EventLog: Sendable {
    private let list = Mutex<[RemovalEvent<Int, Int>]>([])
    var events: [RemovalEvent<Int, Int>] { list.withLock { $0 } }
    var lines: [String] { events.map { "\($0.key)=\($0.value) \($0.cause)" } }
    func add(_ event: RemovalEvent<Int, Int>) { list.withLock { $0.append(event) } }
}

@Suite("Removal events", .timeLimit(.minutes(30)))
struct EventTests {
    @Test func `every cause occurs, with the value that left`() throws {
        let clock = VirtualClock()
        var options = CacheOptions<Int, Int>(capacity: .bytes(10))
        options.weigher = { _, value in value }
        options.clock = clock
        let cache = try Cache(options, policy: FIFOPolicy<ByteSizes>.self)
        let log = EventLog()
        let subscription = cache.onRemoval(log.add)
        cache.put(5, for: 1)
        cache.put(5, for: 2)
        cache.put(4, for: 3)
        cache.put(3, for: 3)
        cache.put(99, for: 3)
        cache.remove(2)
        cache.put(1, for: 4, expiring: .after(.nanoseconds(5)))
        clock.advance(nanoseconds: 5)
        cache.removeExpired()
        cache.put(2, for: 5)
        cache.removeAll()
        cache.put(2, for: 6)
        cache.close()
        #expect(
            log.lines == [
                "1=5 evicted", "3=4 replaced", "3=3 rejected", "2=5 removed", "4=1 expired", "5=2 cleared",
                "6=2 closed",
            ])
        #expect(Set(log.events.map(\.cause)) == Set(RemovalCause.allCases))
        subscription.cancel()
    }

    @Test func `a refused write makes no event for what was refused`() throws {
        let (cache, _) = try makeCache()
        let log = EventLog()
        let subscription = cache.onRemoval(log.add)
        #expect(cache.put(1, for: 1, expiring: .after(.zero)) == .refused(.expired))
        #expect(log.lines == [] && cache.count == 0)
        subscription.cancel()
    }

    @Test func `a listener that uses the cache is told in order and does not wait for itself`() throws {
        let (cache, _) = try makeCache()
        let log = EventLog()
        let subscription = cache.onRemoval { event in
            #expect(cache.peek(event.key) != event.value)
            if event.value < 5 { cache.put(event.value + 1, for: event.key) }
            if event.value < 5 { cache.put(event.value + 100, for: event.key) }
            log.add(event)
        }
        cache.put(1, for: 1)
        cache.remove(1)
        #expect(
            log.lines == [
                "1=1 removed", "1=2 replaced", "1=101 replaced", "1=3 replaced", "1=102 replaced", "1=4 replaced",
                "1=103 replaced", "1=5 replaced",
            ])
        subscription.cancel()
        cache.removeAll()
        #expect(log.events.count == 8)
    }

    @Test func `from many threads: exactly once, in order for each key`() async throws {
        let options = CacheOptions<Int, Int>(capacity: .objects(64))
        let cache = try Cache(options, policy: S3FIFOPolicy<UnitSizes>.self)
        let log = EventLog()
        let subscription = cache.onRemoval(log.add)
        let rounds = 4000
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(thread))
                    // Each thread writes keys of its own, with values that grow, and everybody reads and removes.
                    for value in 0..<rounds {
                        cache.put(thread * rounds + value, for: 4 * generator.next(below: 50) + thread)
                        if generator.next(below: 8) == 0 { cache.remove(generator.next(below: 200)) }
                        _ = cache.value(for: generator.next(below: 200))
                    }
                }
            }
        }
        cache.close()
        let values = log.events.map(\.value)
        #expect(values.count == cache.statistics.writes)
        #expect(Set(values).count == values.count)
        let unordered = Dictionary(grouping: log.events, by: \.key).values.filter { events in
            events.map(\.value) != events.map(\.value).sorted()
        }
        #expect(unordered.isEmpty)
        subscription.cancel()
    }

    @Test func `values end outside of the lock`() throws {
        /// Uses the cache when it ends: under the lock that would never return.
        final class Meddler: Sendable {
            let cache: Cache<Int, Meddler>
            let key: Int
            init(_ cache: Cache<Int, Meddler>, _ key: Int) {
                self.cache = cache
                self.key = key
            }
            deinit { _ = cache.contains(key) }
        }
        let cache = try Cache(CacheOptions<Int, Meddler>(capacity: .objects(2)), policy: LRUPolicy<UnitSizes>.self)
        for key in 0..<20 { cache.put(Meddler(cache, key), for: key % 5) }
        cache.removeAll([0, 1, 2, 3, 4])
        #expect(cache.count == 0)
        cache.put(Meddler(cache, 1), for: 1)
        cache.close()
    }
}
