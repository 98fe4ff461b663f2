import CacheCore
import CacheEngine
import CachePolicies
import Testing

@Suite("Under threads", .timeLimit(.minutes(30)))
struct ConcurrencyTests {
    static let policies = ["lru", "sieve", "s3fifo", "arc", "lfu", "w-tinylfu", "lirs", "2q"]

    /// Every operation from four threads; afterwards everything adds up.
    @Test(arguments: policies)
    func `stress, and the accounts afterwards`(_ name: String) async throws {
        var options = CacheOptions<Int, [Int]>(capacity: .bytes(400))
        options.weigher = { _, value in value.count }
        options.expectedEntries = 4
        options.expiry = .afterAccess(.microseconds(300))
        let cache = try Cache(options, policy: ReplayTests.entry(name))
        let wrong = Counter()
        let gets = Counter()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask { Self.meddle(cache, SeededGenerator(seed: UInt64(thread)), wrong: wrong, gets: gets) }
            }
        }
        #expect(wrong.count == 0)
        let statistics = cache.statistics
        #expect(statistics.requests == gets.count)
        let entries = Array(cache.entries)
        #expect(Set(entries.map(\.key)).count == entries.count)
        #expect(entries.allSatisfy { Set($0.value).isSubset(of: [$0.key]) })
        #expect(cache.weight <= 400)
        let live = cache.count
        let left = cache.statistics.removals.values.reduce(0, +)
        #expect(cache.statistics.writes == left + live)
        cache.removeAll()
        #expect(cache.count == 0 && cache.weight == 0)
    }

    static func meddle(_ cache: Cache<Int, [Int]>, _ seed: SeededGenerator, wrong: Counter, gets: Counter) {
        var generator = seed
        for _ in 0..<3000 {
            let key = generator.next(below: 60)
            let value = [Int](repeating: key, count: generator.next(below: 30))
            switch generator.next(below: 16) {
            case 0..<6:
                gets.add()
                if let found = cache.value(for: key), !found.allSatisfy({ $0 == key }) { wrong.add() }
            case 6..<10: cache.put(value, for: key, tags: key % 3 == 0 ? ["t\(key % 2)"] : [])
            case 10: cache.remove(key)
            case 11: cache.putIfAbsent(value, for: key)
            case 12: cache.compute(key) { old in old.map { $0 + [key] } ?? value }
            case 13: cache.removeAll(taggedWith: "t0")
            case 14: for (key, value) in cache.entries where !value.allSatisfy({ $0 == key }) { wrong.add() }
            default: if generator.next(below: 40) == 0 { cache.removeAll() } else { cache.removeExpired() }
            }
        }
    }

    @Test func `one of many wins, and counters lose nothing`() async throws {
        let (cache, _) = try makeCache()
        let wins = Counter()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    if cache.putIfAbsent(thread, for: 1) == nil { wins.add() }
                    for _ in 0..<1000 { cache.compute(2) { ($0 ?? 0) + 1 } }
                    for _ in 0..<200 {
                        while true {
                            let old = cache.peek(3)
                            guard let old else {
                                if cache.putIfAbsent(1, for: 3) == nil { break }
                                continue
                            }
                            if cache.replace(3, expected: old, with: old + 1) { break }
                        }
                    }
                }
            }
        }
        #expect(wins.count == 1)
        #expect(cache.peek(2) == 8000)
        #expect(cache.peek(3) == 1600)
    }

    @Test func `a counter that reads and then writes loses some, and would be found out`() async throws {
        let (cache, _) = try makeCache()
        cache.put(0, for: 1)
        for _ in 0..<100 where cache.peek(1)! >= 0 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<50 {
                            let old = cache.peek(1)!
                            await Task.yield()
                            cache.put(old + 1, for: 1)
                        }
                    }
                }
            }
            if cache.peek(1)! < 400 { return }
            cache.put(0, for: 1)
        }
        Issue.record("no lost update in 100 rounds")
    }
}
