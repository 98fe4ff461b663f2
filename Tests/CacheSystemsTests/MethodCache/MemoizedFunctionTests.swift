import CacheCore
import CacheEngine
import CacheSystems
import Synchronization
import Testing

@Suite("A memoised function is called like the original, and calls it once")
struct MemoizedFunctionTests {
    static func make(
        _ capacity: Int = 100, _ change: (inout MethodCacheOptions) -> Void = { _ in }, policy name: String = "lru"
    ) throws -> MethodCache {
        var options = MethodCacheOptions(capacity: .objects(capacity))
        change(&options)
        return try MethodCache(options, policy: policy(name))
    }

    @Test func `equal arguments are computed once, others each once`() throws {
        let calls = Counter()
        let join = try Self.make().memoize { (a: String, b: Int, c: Bool) in
            calls.add()
            return "\(a)\(b)\(c)"
        }
        #expect(join("x", 1, true) == "x1true" && join("x", 1, true) == "x1true")
        #expect(calls.count == 1)
        #expect(join("x", 2, true) == "x2true" && join("y", 1, true) == "y1true" && join("x", 1, false) == "x1false")
        #expect(calls.count == 4)
        #expect(join.statistics.computed == 4 && join.statistics.answered == 1)
    }

    @Test func `a function without arguments has one result`() throws {
        let calls = Counter()
        let next = try Self.make().memoize { calls.add() }
        #expect(next() == 1 && next() == 1)
    }

    @Test func `the key may choose among the arguments, and drop all`() throws {
        let calls = Counter()
        let cache = try Self.make()
        let some = cache.memoize(key: { (a: Int, _: [Double], c: String) in Arguments(a, c) }) { a, b, c in
            calls.add()
            return "\(a)\(b.count)\(c)"
        }
        #expect(some(1, [], "x") == "10x" && some(1, [1, 2], "x") == "10x" && some(1, [], "y") == "10y")
        #expect(calls.count == 2)
        let none = cache.memoize(key: { (_: Int) in 0 }) { (a: Int) in a }
        #expect(none(7) == 7 && none(8) == 7)
    }

    @Test func `nil is a result, inside another optional too`() throws {
        let calls = Counter()
        let table: [Int??] = [.none, .some(.none), .some(.some(2))]
        let find = try Self.make().memoize { (a: Int) -> Int?? in
            calls.add()
            return table[a]
        }
        for _ in 0..<3 { #expect((0..<3).map { find($0) } == table) }
        #expect(calls.count == 3)
        let cached: [Int???] = (0..<4).map { find.cached($0) }
        #expect(cached == table.map { .some($0) } + [nil])
    }

    @Test func `a function that returns nothing is always called, unless one asks for less`() throws {
        let calls = Counter()
        let cache = try Self.make()
        let always = cache.memoize { (_: Int) in _ = calls.add() }
        always(1)
        always(1)
        #expect(calls.count == 2)
        let once = cache.memoize(MethodRules("once", skipsRepeatedEffects: true)) { (_: Int) in _ = calls.add() }
        once(1)
        once(1)
        once(2)
        #expect(calls.count == 4)
    }

    @Test func `an error is passed on as it is, and not remembered`() throws {
        let calls = Counter()
        let fail = try Self.make().memoize { (a: Int) throws(Trouble) -> Int in
            if calls.add() < 3 { throw Trouble(number: a) }
            return a
        }
        for _ in 0..<2 {
            do throws(Trouble) {
                _ = try fail(4)
                Issue.record("it did not throw")
            } catch { #expect(error.number == 4) }
        }
        #expect(try fail(4) == 4 && fail(4) == 4)
        #expect(calls.count == 3 && fail.statistics.threw == 2)
    }

    @Test func `a function may call itself through the cache`() throws {
        let cache = try Self.make()
        let calls = Counter()
        let memo = Mutex<MemoizedFunction<Int, Int, Never>?>(nil)
        let fibonacci = cache.memoize { (n: Int) -> Int in
            calls.add()
            let again = memo.withLock { $0 }!
            return n < 2 ? n : again(n - 1) + again(n - 2)
        }
        memo.withLock { $0 = fibonacci }
        #expect(fibonacci(80) == 23_416_728_348_467_685)
        #expect(calls.count == 81)
    }

    @Test func `two functions, and two instances, never share a result`() throws {
        let cache = try Self.make()
        struct Shape: Sendable { let side: Int }
        let areas = [2, 3].map { side in
            let shape = Shape(side: side)
            return cache.memoize { (scale: Int) in shape.side * scale }
        }
        #expect(areas[0](10) == 20 && areas[1](10) == 30 && areas[0](10) == 20)
        #expect(cache.count == 2)
        areas[0].forgetAll()
        #expect(areas[0].cached(10) == nil && areas[1].cached(10) == 30)
    }

    @Test func `results can be given, forgotten and looked at`() throws {
        let calls = Counter()
        let cache = try Self.make()
        let f = cache.memoize(MethodRules(admits: { $0 < 100 })) { (a: Int) in calls.add() * 0 + a }
        f.remember(50, for: 5)
        #expect(f(5) == 50 && calls.count == 0)
        let isTaken = f.remember(500, for: 5)
        #expect(!isTaken && f.cached(5) == nil)
        #expect(f(5) == 5 && f.forget(5) && !f.forget(5))
    }

    @Test func `what the insertion rule refuses is returned, evicts nothing and is computed again`() throws {
        let calls = Counter()
        let cache = try Self.make(2)
        let f = cache.memoize(MethodRules(admits: { $0 < 100 })) { (a: Int) in
            calls.add()
            return a
        }
        #expect(f(1) == 1 && f(2) == 2 && f(200) == 200 && f(200) == 200 && f(1) == 1 && f(2) == 2)
        #expect(calls.count == 4 && cache.count == 2)
    }

    @Test func `results expire by the cache's rule, or the function's own`() throws {
        let clock = VirtualClock()
        let cache = try Self.make(
            100,
            {
                $0.clock = clock
                $0.expiry = .afterWrite(.seconds(10))
            })
        let calls = Counter()
        let slow = cache.memoize { (a: Int) in calls.add() }
        let fast = cache.memoize(MethodRules(expiry: .after(.seconds(1)))) { (a: Int) in calls.add() }
        #expect(slow(0) == 1 && fast(0) == 2)
        clock.advance(by: .seconds(1))
        #expect(slow(0) == 1 && fast(0) == 3)
        clock.advance(by: .seconds(9) - .nanoseconds(1))
        #expect(slow(0) == 1)
        clock.advance(nanoseconds: 1)
        #expect(slow(0) == 4)
    }

    @Test func `a capacity in bytes counts what the functions' weighers say`() throws {
        let cache = try MethodCache(MethodCacheOptions(capacity: .bytes(100)), policy: policy("lru"))
        let text = cache.memoize(MethodRules(weigher: { $0.utf8.count })) { (n: Int) in String(repeating: "x", count: n)
        }
        #expect(text(60).count == 60 && text(30).count == 30 && cache.weight == 90)
        #expect(text(200).count == 200 && cache.weight == 90)
        #expect(text(40).count == 40 && cache.weight == 70)
    }
}
