import CacheCore
import CacheEngine
import CachePolicies
import CacheSystems
import Synchronization
import Testing

@Suite("One cache serves many functions, with any policy, and can be switched off")
struct MethodCacheTests {
    /// Every policy that can drive a cache that people use.
    static let policies = BuiltinPolicies.all.filter {
        !$0.needsFuture && !$0.descriptor.isUnbounded && $0.descriptor.name != "nop"
    }.map(
        \.descriptor.name)

    /// The results of a seeded mix of calls of two functions that share a cache, and how often these were called.
    static func results(_ policy: String, seed: UInt64, switching: Bool = false) throws -> (results: [Int], calls: Int)
    {
        let cache = try MemoizedFunctionTests.make(10, { $0.seed = seed }, policy: policy)
        let calls = Counter()
        let square = cache.memoize { (a: Int) in
            calls.add()
            return a * a
        }
        let sum = cache.memoize { (a: Int, b: Int) in
            calls.add()
            return a + b
        }
        var generator = SeededGenerator(seed: seed)
        var results: [Int] = []
        for _ in 0..<2000 {
            if switching, generator.next(below: 20) == 0 { cache.isOn.toggle() }
            // Small numbers more often, as with hot methods.
            let a = generator.next(below: 1 + generator.next(below: 12))
            results.append(generator.next(below: 2) == 0 ? square(a) : sum(a, generator.next(below: 3)))
            #expect(cache.count <= 10)
        }
        return (results, calls.count)
    }

    @Test(arguments: policies)
    func `every built-in policy gives the results of none, with fewer calls`(_ policy: String) throws {
        var generator = SeededGenerator(seed: 5)
        let plain = (0..<2000).map { _ in
            let a = generator.next(below: 1 + generator.next(below: 12))
            return generator.next(below: 2) == 0 ? a * a : a + generator.next(below: 3)
        }
        let (results, calls) = try Self.results(policy, seed: 5)
        #expect(results == plain)
        #expect(calls < 1900)
    }

    @Test func `switching on and off changes no result`() throws {
        for seed in 1..<20 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let plain = (0..<2000).map { _ in
                _ = generator.next(below: 20)
                let a = generator.next(below: 1 + generator.next(below: 12))
                return generator.next(below: 2) == 0 ? a * a : a + generator.next(below: 3)
            }
            // The generator of the run with a switch draws once more at each step, as this one does.
            #expect(try Self.results("lru", seed: seed, switching: true).results == plain)
        }
    }

    @Test func `while it is off nothing is read or stored, and afterwards what was stored is there again`() throws {
        let cache = try MemoizedFunctionTests.make()
        let calls = Counter()
        let f = cache.memoize { (_: Int) in calls.add() }
        #expect(f(1) == 1)
        cache.isOn = false
        #expect(f(1) == 2 && f(2) == 3 && f(2) == 4)
        cache.isOn = true
        #expect(f(1) == 1 && f(2) == 5 && f(2) == 5)
        #expect(f.statistics.bypassed == 3)
    }

    @Test(arguments: [("fifo", [3, 4, 5, 6]), ("lru", [4, 3, 1, 5]), ("lfu", [1, 2, 3])])
    func `the original's golden traces`(_ trace: (policy: String, kept: [Int])) throws {
        let cache = try MemoizedFunctionTests.make(4, policy: trace.policy)
        let f = cache.memoize { (a: Int) in a }
        switch trace.policy {
        case "fifo": for number in 1...6 { _ = f(number) }
        case "lru": for number in [1, 2, 3, 4, 1, 3, 1, 5] { _ = f(number) }
        default: for number in [1, 1, 1, 2, 2, 2, 2, 2, 3, 1, 1, 1] { _ = f(number) }
        }
        #expect(Set((1...6).filter { f.cached($0) != nil }) == Set(trace.kept))
    }

    @Test func `eviction goes across the functions of a cache`() throws {
        let cache = try MemoizedFunctionTests.make(2)
        let f = cache.memoize { (a: Int) in a }
        let g = cache.memoize { (a: Int) in -a }
        _ = (f(1), g(1), g(2))
        #expect(f.cached(1) == nil && g.cached(1) == -1 && g.cached(2) == -2)
    }

    @Test func `the monitor is told of every call once, also by many threads`() async throws {
        let events = Mutex<[MethodEvent.Kind: Int]>([:])
        let cache = try MemoizedFunctionTests.make(
            1000,
            { options in
                options.monitor = { event in events.withLock { $0[event.kind, default: 0] += 1 } }
            })
        let f = cache.memoize(MethodRules("f")) { (a: Int) throws(Trouble) -> Int in
            if a % 10 == 9 { throw Trouble() }
            return a
        }
        _ = await onThreads(4) { thread in for number in 0..<200 { _ = try? f(number) } }
        let told = events.withLock { $0 }
        #expect(
            told.values.reduce(0, +) == 800
                && told
                    == [
                        .computed: f.statistics.computed, .answered: f.statistics.answered, .threw: f.statistics.threw,
                    ].filter { $0.value > 0 }
        )
        #expect(f.statistics.computed == 180)
        #expect(cache.statistics.requests == 800)
    }

    @Test(arguments: ["fifo", "lru", "lfu", "s3fifo"])
    func `a trigger clears every kind of cache, once, until it is detached`(_ policy: String) throws {
        let cache = try MemoizedFunctionTests.make(100, policy: policy)
        let calls = Counter()
        let f = cache.memoize { (_: Int) in calls.add() }
        let trigger = InvalidationTrigger()
        trigger.attach(cache)
        trigger.attach(cache)
        #expect(f(1) == 1)
        trigger.fire()
        #expect(f(1) == 2 && cache.statistics.removals(.cleared) == 1)
        trigger.detach(cache)
        trigger.fire()
        #expect(f(1) == 2)
    }

    @Test func `a trigger during a call lets its result be returned and not kept`() throws {
        let cache = try MemoizedFunctionTests.make()
        let trigger = InvalidationTrigger()
        trigger.attach(cache)
        let f = cache.memoize { (a: Int) in
            trigger.fire()
            return a
        }
        #expect(f(1) == 1 && f.cached(1) == nil)
    }

    @Test func `a trigger fires for each element of a sequence, and keeps no cache alive`() async throws {
        let trigger = InvalidationTrigger()
        weak var gone: MethodCache?
        do {
            let cache = try MemoizedFunctionTests.make()
            gone = cache
            trigger.attach(cache)
            let f = cache.memoize { (a: Int) in a }
            _ = f(1)
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
            let task = trigger.fire(onEach: stream)
            continuation.yield()
            continuation.finish()
            try await task.value
            #expect(cache.count == 0)
        }
        #expect(gone == nil)
        trigger.fire()
    }
}
