import CacheEngine
import Testing

@Suite("Refreshing and stale values", .timeLimit(.minutes(30)))
struct StaleTests {
    @Test func `an old value is served and loaded anew beside it, once`() async throws {
        let (cache, clock) = try makeCache {
            $0.expiry = .afterWrite(.nanoseconds(100))
            $0.refreshAfter = .nanoseconds(50)
        }
        let gate = Gate()
        let calls = Counter()
        func ask() async throws -> Int {
            try await cache.value(for: 1) { _ in
                calls.add()
                await gate.pass()
                return 2
            }
        }
        cache.put(1, for: 1)
        clock.advance(nanoseconds: 49)
        #expect(try await ask() == 1)
        #expect(calls.count == 0)
        clock.advance(nanoseconds: 1)
        for _ in 0..<5 { #expect(try await ask() == 1) }
        #expect(await eventually { calls.count == 1 })
        // Past its deadline it is not served, however long the refresh takes: who asks joins it.
        clock.advance(nanoseconds: 50)
        #expect(cache.value(for: 1) == nil)
        let late = Task { try await ask() }
        gate.open()
        #expect(try await late.value == 2)
        #expect(calls.count == 1)
        #expect(cache.peek(1) == 2)
    }

    @Test func `a refresh that fails leaves the value and is tried again`() async throws {
        let (cache, clock) = try makeCache { $0.refreshAfter = .nanoseconds(50) }
        cache.put(1, for: 1)
        clock.advance(nanoseconds: 50)
        for round in 1...3 {
            #expect(try await cache.value(for: 1) { _ in throw LoadFailure() } == 1)
            #expect(await eventually { cache.statistics.loadFailures == round })
        }
        #expect(try await cache.value(for: 1) { _ in 2 } == 1)
        #expect(await eventually { cache.peek(1) == 2 })
    }

    @Test func `stale while revalidate: within its time yes, after it never`() async throws {
        let (cache, clock) = try makeCache {
            $0.expiry = .afterWrite(.nanoseconds(10))
            $0.staleWhileRevalidate = .nanoseconds(5)
        }
        cache.put(1, for: 1)
        clock.advance(nanoseconds: 10)
        #expect(cache.value(for: 1) == nil && !cache.contains(1) && cache.keys == [])
        let gate = Gate()
        let stale = try await cache.value(for: 1) { _ in
            await gate.pass()
            throw LoadFailure()
        }
        #expect(stale == 1)
        #expect(cache.statistics.staleHits == 1)
        gate.open()
        #expect(await eventually { cache.statistics.loadFailures == 1 })
        clock.advance(nanoseconds: 5)
        #expect(try await cache.value(for: 1) { _ in 2 } == 2)
        #expect(cache.statistics.removals(.expired) == 1)
    }

    @Test func `stale if error`() async throws {
        let (cache, clock) = try makeCache {
            $0.expiry = .afterWrite(.nanoseconds(10))
            $0.staleIfError = .nanoseconds(5)
        }
        cache.put(1, for: 1)
        clock.advance(nanoseconds: 14)
        #expect(try await cache.value(for: 1) { _ in throw LoadFailure() } == 1)
        #expect(try LoadingTests.blocking(cache, 1) { _ in throw LoadFailure() } == 1)
        clock.advance(nanoseconds: 1)
        await #expect(throws: LoadFailure.self) { try await cache.value(for: 1) { _ in throw LoadFailure() } }
        cache.put(3, for: 2)
        clock.advance(nanoseconds: 12)
        #expect(try await cache.value(for: 2) { _ in 4 } == 4)
    }

    @Test func `the blocking face refreshes on the thread that finds it due`() throws {
        let (cache, clock) = try makeCache { $0.refreshAfter = .nanoseconds(50) }
        cache.put(1, for: 1)
        clock.advance(nanoseconds: 50)
        #expect(try LoadingTests.blocking(cache, 1) { _ in throw LoadFailure() } == 1)
        #expect(try LoadingTests.blocking(cache, 1) { _ in 2 } == 2)
        #expect(cache.peek(1) == 2)
    }
}
