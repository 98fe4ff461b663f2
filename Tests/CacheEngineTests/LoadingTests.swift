import CacheCore
import CacheEngine
import CachePolicies
import Synchronization
import Testing

@Suite("Loading reads", .timeLimit(.minutes(30)))
struct LoadingTests {
    @Test func `many tasks, one load`() async throws {
        let (cache, _) = try makeCache()
        let calls = Counter()
        let gate = Gate()
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await cache.value(for: 7) { key in
                        calls.add()
                        await gate.pass()
                        return key * 10
                    }
                }
            }
            #expect(await eventually { cache.statistics.misses == 200 })
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: 70, count: 200))
        #expect(calls.count == 1)
        #expect(cache.statistics.loads == 1)
        #expect(cache.peek(7) == 70)
    }

    @Test func `a subject that checks outside of the flight loads twice, and would be found out`() async throws {
        let (cache, _) = try makeCache()
        let calls = Counter()
        let gate = Gate()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    guard cache.value(for: 7) == nil else { return }
                    calls.add()
                    await gate.pass()
                    cache.put(1, for: 7)
                }
            }
            _ = await eventually { cache.statistics.misses == 20 }
            gate.open()
        }
        #expect(calls.count > 1)
    }

    @Test func `a failure reaches all who wait, stores nothing, and is not remembered`() async throws {
        let (cache, _) = try makeCache()
        let gate = Gate()
        let failures = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do {
                        _ = try await cache.value(for: 1) { _ in
                            await gate.pass()
                            throw LoadFailure()
                        }
                        return false
                    } catch { return error is LoadFailure }
                }
            }
            _ = await eventually { cache.statistics.misses == 20 }
            gate.open()
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(failures == 20)
        #expect(cache.statistics.loadFailures == 1)
        #expect(cache.count == 0)
        #expect(try await cache.value(for: 1) { _ in 5 } == 5)
    }

    @Test func `a cancelled waiter disturbs nobody`() async throws {
        let (cache, _) = try makeCache()
        let gate = Gate()
        let leader = Task {
            try await cache.value(for: 1) { _ in
                await gate.pass()
                return Task.isCancelled ? -1 : 5
            }
        }
        #expect(await eventually { cache.statistics.misses == 1 })
        let other = Task { try await cache.value(for: 1) { _ in 6 } }
        #expect(await eventually { cache.statistics.misses == 2 })
        leader.cancel()
        await #expect(throws: CancellationError.self) { try await leader.value }
        gate.open()
        #expect(try await other.value == 5)
        #expect(cache.peek(1) == 5)
    }

    @Test func `when all who wait are cancelled, so is the load, and the next caller starts another`() async throws {
        let (cache, _) = try makeCache()
        let cancellations = Counter()
        let first = Task {
            try await cache.value(for: 1) { _ in
                while !Task.isCancelled { await Task.yield() }
                cancellations.add()
                throw CancellationError()
            }
        }
        #expect(await eventually { cache.statistics.misses == 1 })
        first.cancel()
        #expect(try await cache.value(for: 1) { _ in 9 } == 9)
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(await eventually { cancellations.count == 1 })
        #expect(cache.peek(1) == 9)
    }

    enum Overtaking: CaseIterable { case put, remove, compute, clear, tag, close }

    @Test(arguments: Overtaking.allCases)
    func `a write while loading wins`(_ overtaking: Overtaking) async throws {
        let (cache, _) = try makeCache()
        let gate = Gate()
        let task = Task {
            try await cache.value(for: 1, tags: ["t"]) { _ in
                await gate.pass()
                return 5
            }
        }
        #expect(await eventually { cache.statistics.misses == 1 })
        switch overtaking {
        case .put: cache.put(6, for: 1)
        case .remove: cache.remove(1)
        case .compute: cache.compute(1) { _ in nil }
        case .clear: cache.removeAll()
        case .tag: cache.removeAll(taggedWith: "t")
        case .close: cache.close()
        }
        gate.open()
        #expect(try await task.value == 5)
        #expect(cache.peek(1) == (overtaking == .put ? 6 : nil))
        #expect(cache.statistics.loadsOvertaken == 1)
        // Another tag overtakes nothing.
        #expect(cache.removeAll(taggedWith: "u") == 0)
    }

    @Test func `a load that asks for itself is refused, one that asks for another is not`() async throws {
        let (cache, _) = try makeCache()
        await #expect(throws: CacheError.recursiveLoad) {
            try await cache.value(for: 1) { _ in try await cache.value(for: 1) { _ in 2 } }
        }
        #expect(try await cache.value(for: 1) { _ in try await cache.value(for: 2) { _ in 3 } } == 3)
        #expect(throws: CacheError.recursiveLoad) {
            try Self.blocking(cache, 5) { _ in try Self.blocking(cache, 5) { _ in 2 } }
        }
        #expect(try Self.blocking(cache, 5) { _ in try Self.blocking(cache, 6) { _ in 4 } } == 4)
        #expect(cache.count == 4)
    }

    /// The blocking face, whatever the context is.
    static func blocking(_ cache: Cache<Int, Int>, _ key: Int, _ loader: (Int) throws -> Int) throws -> Int {
        try cache.blockingValue(for: key, loader: loader)
    }

    @Test func `the blocking face joins a load and is joined`() async throws {
        let (cache, _) = try makeCache()
        let gate = Gate()
        let task = Task {
            try await cache.value(for: 1) { _ in
                await gate.pass()
                return 5
            }
        }
        #expect(await eventually { cache.statistics.misses == 1 })
        gate.open()
        #expect(try Self.blocking(cache, 1) { _ in 5 } == 5)
        #expect(try await task.value == 5)
        #expect(throws: LoadFailure.self) { try Self.blocking(cache, 2) { _ in throw LoadFailure() } }
        #expect(try await cache.value(for: 2) { _ in 8 } == 8)
    }

    @Test func `that there is nothing is remembered for its time`() async throws {
        let (cache, clock) = try makeCache { $0.negativeTimeToLive = .nanoseconds(10) }
        let calls = Counter()
        func ask() async throws -> Int? {
            try await cache.optionalValue(for: 1) { _ in
                calls.add()
                return nil
            }
        }
        #expect(try await ask() == nil)
        #expect(try await ask() == nil)
        #expect(calls.count == 1)
        #expect(cache.count == 0 && !cache.contains(1) && cache.value(for: 1) == nil && cache.keys == [])
        #expect(cache.statistics.negativeHits == 1)
        #expect(try await cache.value(for: 2) { _ in 3 } == 3)
        clock.advance(nanoseconds: 10)
        #expect(try await ask() == nil)
        #expect(calls.count == 2)
        #expect(try await cache.value(for: 1) { _ in 4 } == 4)
        #expect(cache.count == 2)
        #expect(try await ask() == 4)
    }

    @Test func `without a time for it, nothing is not remembered`() async throws {
        let (cache, _) = try makeCache()
        for _ in 0..<2 { #expect(try await cache.optionalValue(for: 1) { _ in nil } == nil) }
        #expect(cache.statistics.loads == 2)
        #expect(cache.weight == 0)
    }

    @Test func `the value's time starts when it has been loaded`() async throws {
        let (cache, clock) = try makeCache { $0.expiry = .afterWrite(.nanoseconds(10)) }
        _ = try await cache.value(for: 1) { _ in
            clock.advance(nanoseconds: 100)
            return 5
        }
        #expect(cache.remainingTime(of: 1) == .nanoseconds(10))
        #expect(cache.statistics.loadNanoseconds == 100)
    }
}
