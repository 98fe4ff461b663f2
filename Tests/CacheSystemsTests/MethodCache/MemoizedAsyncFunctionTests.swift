import CacheCore
import CacheEngine
import CacheSystems
import Testing

@Suite("Asynchronous functions, and calls at the same time")
struct MemoizedAsyncFunctionTests {
    @Test func `an asynchronous function is computed once for those who ask at once`() async throws {
        let cache = try MemoizedFunctionTests.make()
        let calls = Counter()
        let asked = Counter()
        let gate = Gate()
        let f = cache.memoize { (a: Int, b: String) async -> String in
            calls.add()
            await gate.pass()
            return "\(a)\(b)"
        }
        let results = await withTaskGroup(of: String.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    asked.add()
                    return await f(1, "x")
                }
            }
            group.addTask {
                // The flight stays in the air until all have been started.
                while asked.count < 50 { await Task.yield() }
                gate.open()
                return "1x"
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results == Array(repeating: "1x", count: 51))
        #expect(calls.count == 1)
        #expect(await f(1, "x") == "1x" && f.statistics.calls == 51)
    }

    @Test func `threads that ask at once compute once`() async throws {
        let cache = try MemoizedFunctionTests.make(1000)
        let calls = Counter()
        let f = cache.memoize { (a: Int) in
            calls.add()
            return a
        }
        let sums = await onThreads(8) { _ in (0..<500).reduce(0) { $0 + f($1) } }
        #expect(sums == Array(repeating: 124_750, count: 8))
        #expect(calls.count == 500)
    }

    @Test func `an error goes to all who wait, and the next call computes again`() async throws {
        let cache = try MemoizedFunctionTests.make()
        let calls = Counter()
        let f = cache.memoize(key: { (a: Int, _: Int) in a }) { (a: Int, b: Int) async throws(Trouble) -> Int in
            if calls.add() == 1 { throw Trouble(number: b) }
            return b
        }
        await #expect(throws: Trouble(number: 7)) { try await f(1, 7) }
        #expect(try await f(1, 8) == 8)
        #expect(try await f(1, 9) == 8)
        #expect(calls.count == 2)
    }

    @Test func `a caller that is cancelled disturbs nobody`() async throws {
        let cache = try MemoizedFunctionTests.make()
        let gate = Gate()
        let calls = Counter()
        let f = cache.memoize { (a: Int) async throws -> Int in
            calls.add()
            try Task.checkCancellation()
            await gate.pass()
            return a
        }
        let first = Task { try await f(1) }
        while calls.count == 0 { await Task.yield() }
        let second = Task { try await f(1) }
        while cache.statistics.misses < 2 { await Task.yield() }
        first.cancel()
        // It has left the flight and asked the function itself, which saw the cancellation.
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await second.value == 1)
        #expect(f.cached(1) == 1)
    }

    @Test func `a closed cache costs calls and nothing else`() async throws {
        let cache = try MemoizedFunctionTests.make()
        let f = cache.memoize { (a: Int) in a }
        let g = cache.memoize { (a: Int) async in a }
        cache.close()
        #expect(f(1) == 1)
        #expect(await g(2) == 2)
        #expect(f.statistics.bypassed == 1 && g.statistics.bypassed == 1)
    }
}
