import CacheCore
import CacheEngine
import CachePolicies
import Testing

@Suite("Capacity, ids and life cycle")
struct CapacityTests {
    @Test func `what is refused is gone, and the rest stays`() throws {
        var options = CacheOptions<Int, Int>(capacity: .bytes(100))
        options.weigher = { _, value in value }
        let cache = try Cache(options, policy: LRUPolicy<ByteSizes>.self)
        cache.put(30, for: 1)
        cache.put(40, for: 2)
        #expect(cache.put(101, for: 1) == .refused(.tooHeavy))
        #expect(cache.peek(1) == nil && cache.peek(2) == 40 && cache.weight == 40)
        #expect(cache.put(-5, for: 3) == .stored)
        #expect(cache.weight == 40)
        #expect(cache.put(100, for: 4) == .stored)
        #expect(cache.peek(2) == nil && cache.weight == 100)
    }

    @Test func `limits and totals above 32 bits`() throws {
        var options = CacheOptions<Int, Int>(capacity: .bytes(1 << 40))
        options.weigher = { _, value in value }
        let cache = try Cache(options, policy: LRUPolicy<ByteSizes>.self)
        for key in 0..<300 { cache.put(1 << 33, for: key) }
        #expect(cache.count == 128 && cache.weight == 1 << 40)
    }

    /// Weights are kept in 32 bits where they fit: those around the edge must be told apart when an entry is rewritten,
    /// which the policy has to know.
    @Test func `weights around 32 bits are kept exactly, and rewritten`() throws {
        var options = CacheOptions<Int, Int>(capacity: .bytes(1 << 40))
        options.weigher = { _, value in value }
        let cache = try Cache(options, policy: LRUPolicy<ByteSizes>.self)
        let edge = Int(UInt32.max)
        var generator = SeededGenerator(seed: 1)
        var model: [Int: Int] = [:]
        for _ in 0..<2000 {
            let key = generator.next(below: 12)
            if generator.next(below: 5) == 0 {
                #expect(cache.removeValue(for: key) == model.removeValue(forKey: key))
            } else {
                let weight = [edge - 1, edge, edge + 1, edge * 3, 7][generator.next(below: 5)]
                cache.put(weight, for: key)
                model[key] = weight
            }
            #expect(cache.weight == model.values.reduce(0, +))
        }
        try cache.resize(to: (1 << 40) - 1)
        #expect(cache.count == model.count && cache.weight == model.values.reduce(0, +))
    }

    @Test(arguments: ["lru", "sieve", "s3fifo", "arc", "w-tinylfu", "lirs", "lfu", "2q"])
    func `the id space grows, and no entry is lost by it`(_ name: String) throws {
        var options = CacheOptions<Int, Int>(capacity: .bytes(100_000))
        options.weigher = { _, _ in 10 }
        options.expectedEntries = 1
        let cache = try Cache(options, policy: ReplayTests.entry(name))
        for key in 0..<5000 { cache.put(key, for: key) }
        #expect(cache.count == 5000)
        #expect((0..<5000).allSatisfy { cache.value(for: $0) == $0 })
        for key in 5000..<40_000 { cache.put(key, for: key) }
        #expect(cache.count <= 10_000 && cache.count > 9000)
    }

    /// A policy whose ghosts have no bound is made to forget some, and goes on.
    @Test func `ids run out, and ghosts go`() throws {
        let entry = try ReplayTests.entry("lfu")
        let parameters = try ParameterValues(parsing: "history=perfect", for: entry.descriptor.parameters, of: "lfu")
        let cache = try Cache(CacheOptions<Int, Int>(capacity: .objects(10)), policy: entry, parameters: parameters)
        for key in 0..<20_000 { cache.put(key, for: key) }
        #expect(cache.count == 10)
        for key in cache.keys { #expect(cache.value(for: key) == key) }
    }

    @Test(arguments: ReplayTests.policies)
    func `growing keeps everything, shrinking keeps the limit`(_ name: String) throws {
        let cache = try Cache(CacheOptions<Int, Int>(capacity: .objects(20)), policy: ReplayTests.entry(name))
        for key in 0..<50 { cache.put(key, for: key) }
        let before = Set(cache.keys)
        try cache.resize(to: 500)
        #expect(Set(cache.keys) == before)
        // Twice, since LARC lets nothing in at its first request; nop never does.
        for key in 200..<800 { cache.put(key / 2, for: key / 2) }
        try cache.resize(to: 7)
        #expect(cache.count <= 7 && (cache.count > 0 || name == "nop"))
        #expect(cache.capacity == .objects(7))
        for key in 0..<50 { cache.put(key, for: key) }
        #expect(cache.count <= 7)
    }

    @Test(arguments: BuiltinAdmissions.all.filter { !$0.needsFuture }.map(\.descriptor.name))
    func `growing keeps everything behind every admission policy`(_ name: String) throws {
        let entry = try #require(BuiltinAdmissions.all.first { $0.descriptor.name == name })
        let admission = AdmissionSelection(entry, ParameterValues(defaults: entry.descriptor.parameters))
        let isInBytes = admission.unknownToCaches(in: .objects) != nil
        var options = CacheOptions<Int, Int>(capacity: isInBytes ? .bytes(20) : .objects(20))
        if isInBytes { options.weigher = { _, _ in 1 } }
        options.admission = admission
        let cache = try Cache(options, policy: ReplayTests.entry("lru"))
        for key in 0..<200 { cache.put(key, for: key % 40) }
        let before = Set(cache.keys)
        #expect(!before.isEmpty)
        try cache.resize(to: 500)
        #expect(Set(cache.keys) == before)
    }

    @Test func `an unbounded policy grows without end`() throws {
        let cache = try Cache(CacheOptions<Int, Int>(capacity: .objects(1)), policy: ReplayTests.entry("infinite"))
        for key in 0..<5000 { cache.put(key, for: key) }
        #expect(cache.count == 5000 && (0..<5000).allSatisfy { cache.value(for: $0) == $0 })
        #expect(cache.statistics.removals.isEmpty)
    }

    @Test(arguments: ReplayTests.policies)
    func `after clear the cache fills again`(_ name: String) throws {
        let cache = try Cache(CacheOptions<Int, Int>(capacity: .objects(20)), policy: ReplayTests.entry(name))
        for key in 0..<100 { cache.put(key, for: key) }
        cache.removeAll()
        #expect(cache.count == 0 && cache.weight == 0 && cache.keys == [])
        for key in 0..<30 { cache.put(key / 2, for: key / 2) }
        #expect(cache.count > 0 || name == "nop")
    }

    /// Caches of shards with a part of the room each (Guava's, bigcache's) evict what would have fitted.
    @Test(arguments: [CacheOrder.relaxed, .strict])
    func `a capacity of n holds n keys, however they fall and whoever writes them`(_ order: CacheOrder) async throws {
        for capacity in [1, 7, 1001] {
            var options = CacheOptions<Int, Int>(capacity: .objects(capacity))
            options.order = order
            let cache = try Cache(options, policy: LRUPolicy<UnitSizes>.self)
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    group.addTask { for key in stride(from: thread, to: capacity, by: 4) { cache.put(key, for: key) } }
                }
            }
            #expect(cache.capacity == .objects(capacity) && cache.statistics.removals.isEmpty)
            #expect(Set(cache.keys) == Set(0..<capacity))
            for key in 0..<50 * capacity { cache.put(key, for: key) }
            #expect(cache.count == capacity)
            for (key, value) in cache.entries { #expect(cache.peek(key) == value) }
        }
    }

    @Test func `a first cache takes one line`() {
        let pages = Cache<String, Int>(2)
        pages["/"] = 1
        pages.put(2, for: "/index")
        _ = pages["/"]
        pages["/about"] = 3
        // SIEVE gives up what nobody has asked for.
        #expect(pages["/"] == 1 && pages["/index"] == nil && pages["/about"] == 3)
    }

    @Test func `use after close`() async throws {
        let (cache, _) = try makeCache()
        cache.put(1, for: 1)
        cache.close()
        cache.close()
        #expect(cache.isClosed && cache.value(for: 1) == nil && cache.count == 0)
        #expect(cache.put(2, for: 1) == .refused(.closed))
        await #expect(throws: CacheError.closed) { try await cache.value(for: 1) { _ in 1 } }
        #expect(throws: CacheError.closed) { try LoadingTests.blocking(cache, 1) { _ in 1 } }
        try cache.resize(to: 5)
    }

    @Test func `options that do not go together are refused`() {
        func refused(_ capacity: Capacity, _ change: (inout CacheOptions<Int, Int>) -> Void = { _ in }) -> Bool {
            var options = CacheOptions<Int, Int>(capacity: capacity)
            change(&options)
            do {
                _ = try Cache(options, policy: ReplayTests.entry("lru"))
                return false
            } catch let error as AssayError { return error.code == .usage } catch { return false }
        }
        #expect(refused(.objects(0)) && refused(.objects(-1)) && refused(.bytes(5)))
        #expect(refused(.objects(5)) { $0.weigher = { _, _ in 1 } })
        #expect(refused(.objects(5)) { $0.expiry = .afterAccess(.zero) })
        #expect(!refused(.objects(5)))
        var options = CacheOptions<Int, Int>(capacity: .bytes(5))
        options.weigher = { _, _ in 1 }
        #expect(throws: AssayError.self) { try Cache(options, policy: LRUPolicy<UnitSizes>.self) }
        #expect(throws: AssayError.self) { try Cache(options, policy: ReplayTests.entry("belady")) }
    }

    @Test func `peeking changes nothing`() throws {
        let (cache, _) = try makeCache(.objects(2))
        cache.put(1, for: 1)
        cache.put(2, for: 2)
        for _ in 0..<5 { _ = (cache.peek(1), cache.contains(1), cache.keys) }
        cache.put(3, for: 3)
        #expect(Set(cache.keys) == [2, 3])
        #expect(cache.statistics.requests == 0)
        #expect(cache.resetStatistics().writes == 3)
        #expect(cache.statistics == CacheStatistics())
    }

    @Test func `the expired leave before the living`() throws {
        let (cache, clock) = try makeCache(.objects(3))
        cache.put(1, for: 1)
        cache.put(2, for: 2, expiring: .after(.nanoseconds(5)))
        cache.put(3, for: 3)
        clock.advance(nanoseconds: 5)
        cache.put(4, for: 4)
        #expect(Set(cache.keys) == [1, 3, 4])
        #expect(cache.statistics.removals(.evicted) == 0)
    }
}
