import CacheCore
import CacheEngine
import CachePolicies
import Testing

@Suite("Loads that have ended, or that nobody wants any more", .timeLimit(.minutes(30)))
struct LoadingEndTests {
    @Test func `what a load returns that all have given up is not stored`() async throws {
        let (cache, _) = try makeCache()
        let ends = Counter()
        let only = Task {
            try await cache.value(for: 1) { _ in
                while !Task.isCancelled { await Task.yield() }
                ends.add()
                return 5
            }
        }
        #expect(await eventually { cache.statistics.misses == 1 })
        only.cancel()
        await #expect(throws: CancellationError.self) { try await only.value }
        #expect(await eventually { ends.count == 1 && cache.statistics.loads == 1 })
        #expect(cache.peek(1) == nil && cache.statistics.loadsOvertaken == 1)
    }

    @Test func `a task that outlives the load that began it may wait for any other`() async throws {
        let (cache, _) = try makeCache()
        let gate = Gate()
        let begun = Counter()
        let joined = Gate()
        let late = try await withCheckedThrowingContinuation {
            (continuation: CheckedContinuation<Task<Int, any Error>, any Error>) in
            Task {
                _ = try await cache.value(for: -1) { _ in
                    continuation.resume(
                        returning: Task {
                            await joined.pass()
                            return try await withThrowingTaskGroup(of: Int.self) { group in
                                for key in 0..<100 { group.addTask { try await cache.value(for: key) { _ in -1 } } }
                                return try await group.reduce(0, +)
                            }
                        })
                    return 0
                }
            }
        }
        _ = await eventually { cache.peek(-1) != nil }
        // Some of these loads are likely to lie where the one that has ended did.
        for key in 0..<100 {
            Task {
                try await cache.value(for: key) { _ in
                    begun.add()
                    await gate.pass()
                    return 1
                }
            }
        }
        _ = await eventually { begun.count == 100 }
        joined.open()
        _ = await eventually { cache.statistics.misses == 201 }
        gate.open()
        #expect(try await late.value == 100)
    }

    @Test func `nothing is left of loads of keys that are not equal to themselves`() async throws {
        final class Token: Sendable {}
        let cache = try Cache<Double, Token>(
            CacheOptions(capacity: .objects(100)), policy: LRUPolicy<UnitSizes>.self)
        weak var blocking: Token?
        weak var waited: Token?
        do {
            blocking = try cache.blockingValue(for: .nan) { _ in Token() }
            waited = try await cache.value(for: .nan) { _ in Token() }
        }
        #expect(await eventually { blocking == nil && waited == nil })
        #expect(cache.count == 0)
    }

    @Test(arguments: ["own task", "own thread", "together"])
    func `a task that outlives the load that began it keeps nothing of its outcome`(_ kind: String) async throws {
        final class Token: Sendable {}
        let cache = try Cache<Int, Token>(CacheOptions(capacity: .objects(100)), policy: LRUPolicy<UnitSizes>.self)
        let gate = Gate()
        let begun = Counter()
        let ended = Counter()
        @Sendable func load() -> Token {
            Task {
                begun.add()
                await gate.pass()
                ended.add()
            }
            return Token()
        }
        weak var outcome: Token?
        switch kind {
        case "own task": outcome = try await cache.value(for: 1) { _ in load() }
        case "own thread": outcome = try cache.blockingValue(for: 1) { _ in load() }
        default: outcome = try await cache.values(for: [1]) { _ in [1: load()] }[1]
        }
        #expect(outcome != nil)
        cache.remove(1)
        #expect(await eventually { begun.count == 1 && outcome == nil })
        gate.open()
        #expect(await eventually { ended.count == 1 })
    }
}
