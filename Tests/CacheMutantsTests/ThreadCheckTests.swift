import CacheConformance
import CacheCore
import CachePolicies
import CacheReference
import Synchronization
import Testing

/// How often, and under which conditions, checks with threads ask.
@Suite("Checks with threads")
struct ThreadCheckTests {
    /// The reference, which counts how often it is opened and may answer loads without waiting for their origins.
    private final class Observed: CacheSubject {
        private final class Hasty: CacheInstance {
            private let cache: any CacheInstance
            init(_ cache: any CacheInstance) { self.cache = cache }

            func perform(_ operation: CacheOperation) -> OperationResult {
                guard case .load(let key, let origin) = operation else { return cache.perform(operation) }
                return cache.perform(.load(key, Origin(origin.answer)))
            }
        }

        let name = "observed"
        private let cache = ReferenceSubject(policies: BuiltinPolicies.all)
        private let isHasty: Bool
        let opened = Atomic(0)

        init(isHasty: Bool = false) { self.isHasty = isHasty }

        func claims() throws(StoreError) -> Claims { try cache.claims() }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            opened.add(1, ordering: .relaxed)
            let instance = try cache.open(setup, in: directory)
            return isHasty ? Hasty(instance) : instance
        }
    }

    @Test(arguments: ["LIN-1", "LIN-2", "LIN-4", "LIN-8", "LIN-10", "LIN-14", "ITR-4"])
    func `threads run once for each of many seeds, and several times for one`(id: String) throws {
        let check = try #require(ConformanceSuite.cache.check(id))
        func opened(isOneOfMany: Bool) -> Int {
            let subject = Observed()
            let answer = check.answer(of: subject, seed: 3, isOneOfMany: isOneOfMany)
            #expect(answer.result.outcome == .pass)
            #expect(answer.isRandom, "other seeds would not be asked")
            return subject.opened.load(ordering: .relaxed)
        }
        #expect(opened(isOneOfMany: true) == 1)
        #expect(opened(isOneOfMany: false) >= 6)
    }

    /// The reference without comparing and setting, which counts how often it is asked for that.
    private final class CannotSet: CacheSubject {
        private final class Instance: CacheInstance {
            private let subject: CannotSet
            private let cache: any CacheInstance

            init(_ subject: CannotSet, _ cache: any CacheInstance) { (self.subject, self.cache) = (subject, cache) }

            func perform(_ operation: CacheOperation) -> OperationResult {
                guard case .compareAndSet = operation else { return cache.perform(operation) }
                subject.asked.add(1, ordering: .relaxed)
                return .failure(.unsupported(operation))
            }
        }

        let name = "cannot-set"
        private let cache = ReferenceSubject(policies: BuiltinPolicies.all)
        let asked = Atomic(0)

        func claims() throws(StoreError) -> Claims {
            var claims = try cache.claims()
            claims.features.remove(.compareAndSet)
            return claims
        }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            Instance(self, try cache.open(setup, in: directory))
        }
    }

    /// The caches of Go, none of which can, were asked a million times, which took eight minutes.
    @Test func `each client asks a cache once whether it can compare and set`() throws {
        let subject = CannotSet()
        let answer = try #require(ConformanceSuite.cache.check("LIN-8")).answer(of: subject, seed: 1)
        #expect(answer.isPresent != true)
        let asked = subject.asked.load(ordering: .relaxed)
        #expect(1...100 ~= asked, "\(asked)")
    }

    @Test func `who comes too late to wait for a load leaves open whether waiting works`() throws {
        let check = try #require(ConformanceSuite.cache.check("LDR-7"))
        let outcome = check.run(on: Observed(isHasty: true), seed: 1).outcome
        #expect(outcome.name == "inconclusive", "\(outcome)")
        #expect(check.run(on: Observed(), seed: 1).outcome == .pass)
    }

    @Test(arguments: ["LDR-5", "LDR-18"])
    func `who waits for no origin has not shown that nobody waits for a load`(id: String) throws {
        let check = try #require(ConformanceSuite.cache.check(id))
        let outcome = check.run(on: Observed(isHasty: true), seed: 1).outcome
        #expect(outcome == .blocked(by: "the witness: no load waited for its origin"), "\(outcome)")
        #expect(check.run(on: Observed(), seed: 1).outcome == .pass)
    }
}
