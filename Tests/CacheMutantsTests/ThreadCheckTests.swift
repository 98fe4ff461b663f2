import CacheConformance
import CacheCore
import CachePolicies
import CacheReference
import Synchronization
import Testing

/// How often, and under which conditions, checks with threads ask.
@Suite("Checks with threads")
struct ThreadCheckTests {
    private static let cache = ReferenceSubject(policies: BuiltinPolicies.all)
    /// The reference, which answers loads without waiting for their origins.
    private static let hasty = FrontedSubject { operation, cache in
        guard case .load(let key, let origin) = operation else { return cache.perform(operation) }
        return cache.perform(.load(key, Origin(origin.answer)))
    }

    @Test(arguments: ["LIN-1", "LIN-2", "LIN-4", "LIN-8", "LIN-10", "LIN-14", "ITR-4"])
    func `threads run once for each of many seeds, and several times for one`(id: String) throws {
        let check = try #require(ConformanceSuite.cache.check(id))
        func opened(isOneOfMany: Bool) -> Int {
            let opened = Atomic(0)
            let subject = FrontedSubject(
                Self.cache,
                front: {
                    opened.add(1, ordering: .relaxed)
                    return $0
                })
            let answer = check.answer(of: subject, seed: 3, isOneOfMany: isOneOfMany)
            #expect(answer.result.outcome == .pass)
            #expect(answer.isRandom, "other seeds would not be asked")
            return opened.load(ordering: .relaxed)
        }
        #expect(opened(isOneOfMany: true) == 1)
        #expect(opened(isOneOfMany: false) >= 6)
    }

    /// The caches of Go, none of which can, were asked a million times, which took eight minutes.
    @Test func `each client asks a cache once whether it can compare and set`() throws {
        let asked = Atomic(0)
        var subject = FrontedSubject { operation, cache in
            guard case .compareAndSet = operation else { return cache.perform(operation) }
            asked.add(1, ordering: .relaxed)
            return .failure(.unsupported(operation))
        }
        subject.change = { $0.features.remove(.compareAndSet) }
        let answer = try #require(ConformanceSuite.cache.check("LIN-8")).answer(of: subject, seed: 1)
        #expect(answer.isPresent != true)
        let times = asked.load(ordering: .relaxed)
        #expect(1...100 ~= times, "\(times)")
    }

    @Test func `who comes too late to wait for a load leaves open whether waiting works`() throws {
        let check = try #require(ConformanceSuite.cache.check("LDR-7"))
        let outcome = check.run(on: Self.hasty, seed: 1).outcome
        #expect(outcome.name == "inconclusive", "\(outcome)")
        #expect(check.run(on: Self.cache, seed: 1).outcome == .pass)
    }

    @Test(arguments: ["LDR-5", "LDR-18"])
    func `who waits for no origin has not shown that nobody waits for a load`(id: String) throws {
        let check = try #require(ConformanceSuite.cache.check(id))
        let outcome = check.run(on: Self.hasty, seed: 1).outcome
        #expect(outcome == .blocked(by: "the witness: no load waited for its origin"), "\(outcome)")
        #expect(check.run(on: Self.cache, seed: 1).outcome == .pass)
    }
}
