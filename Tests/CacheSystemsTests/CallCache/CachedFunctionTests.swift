import CacheCore
import CacheEngine
import CacheStorage
import CacheSystems
import Testing
import _CacheTestSupport

@Suite("Calls at the same time, and calls that are given up")
struct CachedFunctionTests {
    /// Waits until something is so; a test that waits for ever hangs, and is ended by its limit.
    static func wait(until isSo: () -> Bool) async { while !isSo() { await Task.yield() } }

    @Test(.timeLimit(.minutes(30)), arguments: [FetchPolicy.cacheElseNetwork, .networkElseCache, .cacheThenNetwork])
    func `calls that may share a request do, on both faces`(_ policy: FetchPolicy) async throws {
        let cache = try CallCacheTests.make(DictionaryStorage.make())
        let gate = Gate()
        let function = cache.function("f") { (_: Int) async throws -> Int in
            await gate.pass()
            return 7
        }
        async let first = function(1, policy)
        await Self.wait { cache.statistics[.asked] == 1 }
        async let others = withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { try await function(1, policy) } }
            return try await group.reduce(0, +)
        }
        async let blocking = onThreads(2) { _ in
            try? function.blockingAnswer(to: 1, policy) { throw Trouble() }.value
        }
        if policy != .networkElseCache { await Self.wait { cache.statistics[.miss] == 7 } }
        for _ in 0..<1000 { await Task.yield() }
        #expect(cache.statistics[.asked] == 1)
        gate.open()
        #expect(try await first == 7)
        #expect(try await others == 28)
        let found = await blocking
        if policy == .cacheElseNetwork {
            // Who came too late to join has read what was stored.
            #expect(found == [7, 7])
            #expect(cache.statistics[.asked] == 1 && cache.statistics[.stored] == 1)
        }
        try cache.close()
    }

    @Test(.timeLimit(.minutes(30)), arguments: [FetchPolicy.ignoreCache, .networkOnly])
    func `who wants an answer of now asks alone`(_ policy: FetchPolicy) async throws {
        let cache = try CallCacheTests.make(DictionaryStorage.make())
        let gate = Gate()
        let asked = Counter()
        let function = cache.function("f") { (_: Int) async throws -> Int in
            let number = asked.add()
            await gate.pass()
            return number
        }
        async let answers = withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<3 { group.addTask { try await function(1, policy) } }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        await Self.wait { asked.count == 3 }
        gate.open()
        #expect(try await answers == [1, 2, 3])
        try cache.close()
    }

    enum Overtaking: CaseIterable { case removing, clearing, storing }

    @Test(.timeLimit(.minutes(30)), arguments: Overtaking.allCases, FetchPolicy.allCases.dropFirst(2))
    func `a removal or a write during a request wins`(_ overtaking: Overtaking, _ policy: FetchPolicy) async throws {
        let cache = try CallCacheTests.make(DictionaryStorage.make())
        let gate = Gate()
        let asked = Counter()
        let function = cache.function("f") { (_: Int) async throws -> Int in
            if asked.add() == 1 { await gate.pass() }
            return asked.count
        }
        async let slow = function(1, policy)
        await Self.wait { asked.count == 1 }
        switch overtaking {
        case .removing: try function.remove(1)
        case .clearing: try cache.removeAll()
        case .storing: try function.store(99, for: 1)
        }
        // Whoever comes now gets nothing of the request that was under way.
        #expect(try await function(1, .cacheElseNetwork) == (overtaking == .storing ? 99 : 2))
        if overtaking != .storing { try function.remove(1) }
        gate.open()
        _ = try await slow
        #expect(try function.isCached(1) == (overtaking == .storing))
        #expect(cache.statistics[.overtaken] == 1)
        try cache.close()
    }

    @Test(.timeLimit(.minutes(30))) func `who gives up hears nothing more, and disturbs nobody`() async throws {
        let cache = try CallCacheTests.make(DictionaryStorage.make())
        let gate = Gate()
        let function = cache.function("f") { (_: Int) async throws -> Int in
            await gate.pass()
            return 2
        }
        try function.store(1, for: 1)
        let heard = Counter()
        let listener = Task {
            for try await _ in function.answers(to: 1, .cacheThenNetwork) { heard.add() }
        }
        await Self.wait { heard.count == 1 && cache.statistics[.asked] == 1 }
        async let patient = function(1, .networkElseCache)
        listener.cancel()
        try await listener.value
        gate.open()
        #expect(try await patient == 2)
        #expect(heard.count == 1)
        try cache.close()
    }

    @Test(.timeLimit(.minutes(30))) func `a request that nobody waits for any more is cancelled`() async throws {
        let cache = try CallCacheTests.make(DictionaryStorage.make())
        let cancelled = Switch()
        let function = cache.function("f") { (_: Int) async throws -> Int in
            await withTaskCancellationHandler {
                while !Task.isCancelled { await Task.yield() }
            } onCancel: {
                cancelled.raise()
            }
            throw CancellationError()
        }
        try function.store(1, for: 1)
        for try await answer in function.answers(to: 1, .cacheThenNetwork) {
            #expect(answer.isCached)
            // The request may be under way already, or not have begun.
            break
        }
        for policy in [FetchPolicy.networkElseCache, .networkOnly] {
            let asked = cache.statistics[.asked]
            let call = Task { try await function(2, policy) }
            await Self.wait { cache.statistics[.asked] > asked }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        await Self.wait { cancelled.isRaised }
        try cache.close()
    }

    @Test func `only errors that are named for it make a call fall back, and they can be seen`() async throws {
        let cache = try CallCacheTests.make(DictionaryStorage.make())
        let function = cache.function("f") { (_: Int) async throws -> Int in throw Trouble(number: 5) }
        try function.store(1, for: 1)
        let rules = CallRules(fallsBack: { ($0 as? Trouble)?.number == 5 })
        let answer = try await function.answer(to: 1, .networkElseCache, rules: rules)
        #expect(answer.value == 1 && answer.isCached && answer.originError as? Trouble == Trouble(number: 5))
        #expect(cache.statistics[.fellBack] == 1)
        let strict = CallRules(fallsBack: { ($0 as? Trouble)?.number == 6 })
        await #expect(throws: Trouble(number: 5)) { try await function(1, .networkElseCache, rules: strict) }
        try cache.close()
    }

    @Test func `an origin that asks for its own answer is told so`() async throws {
        let cache = try CallCacheTests.make(DictionaryStorage.make())
        let function = cache.function("f") { (_: Int) async throws -> Int in 1 }
        await #expect(throws: CacheError.recursiveLoad) {
            try await onThread {
                Result {
                    try function.blockingAnswer(to: 1, .cacheElseNetwork) {
                        try function.blockingAnswer(to: 1, .cacheElseNetwork) { 1 }.value
                    }
                }
            }.get()
        }
        try cache.close()
    }

    @Test(.timeLimit(.minutes(30)), arguments: [false, true])
    func `what a request throws that was cancelled is no error of the origin`(_ blocks: Bool) async throws {
        var options = CallCacheOptions("calls")
        options.errorAge = .seconds(10)
        let cache = try CallCache(options, policy: policy("lru"), storage: DictionaryStorage.make())
        let begun = Gate()
        let function = cache.function("f") { (_: Int) async throws -> String in
            begun.open()
            while !Task.isCancelled { await Task.yield() }
            // As a transport has it, and not a CancellationError.
            throw Trouble()
        }
        let only = Task {
            guard blocks else { return try await function(1, .networkElseCache) }
            while !Task.isCancelled { await Task.yield() }
            return try function.blockingAnswer(to: 1, .networkElseCache) { throw Trouble() }.value
        }
        if !blocks { await begun.pass() }
        only.cancel()
        _ = await only.result
        await Self.wait { cache.statistics[.originFailed] > 0 }
        #expect(try function.blockingAnswer(to: 1, .networkElseCache) { "a" }.value == "a")
        #expect(cache.statistics[.asked] == 2 && cache.statistics[.spared] == 0)
        try cache.close()
    }

    @Test(.timeLimit(.minutes(30)), arguments: [FetchPolicy.cacheElseNetwork, .networkElseCache, .networkOnly])
    func `what a request answers that nobody waits for any more is not stored`(_ policy: FetchPolicy) async throws {
        let cache = try CallCacheTests.make(DictionaryStorage.make())
        let ended = Counter()
        let function = cache.function("f") { (_: Int) async throws -> Int in
            while !Task.isCancelled { await Task.yield() }
            // A part of the answer, perhaps.
            ended.add()
            return 5
        }
        let calls = (0..<2).map { _ in Task { try await function(1, policy) } }
        await Self.wait { cache.statistics[.asked] + cache.statistics[.joined] > 0 }
        for call in calls { call.cancel() }
        for call in calls { _ = await call.result }
        let asked = cache.statistics[.asked]
        await Self.wait { cache.statistics[.overtaken] + cache.statistics[.stored] == asked && ended.count > 0 }
        #expect(try !function.isCached(1) && cache.statistics[.stored] == 0)
        #expect(try function.blockingAnswer(to: 1, .cacheElseNetwork) { 6 }.value == 6)
        #expect(try function.isCached(1))
        try cache.close()
    }
}
