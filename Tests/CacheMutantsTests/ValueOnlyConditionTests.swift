import CacheConformance
import CacheCore
import CachePolicies
import CacheReference
import Testing

/// Caches whose conditional writes take a value alone, as Go's ttlcache and most of Python's: docs/subject-protocol.md, steps.
@Suite("Conditional writes that take no terms")
struct ValueOnlyConditionTests {
    private final class Instance: CacheInstance {
        private let cache: any CacheInstance
        private let isSound: Bool

        init(_ cache: any CacheInstance, isSound: Bool) { (self.cache, self.isSound) = (cache, isSound) }

        func perform(_ operation: CacheOperation) -> OperationResult {
            switch operation {
            case .putIfAbsent(let key, let payload, let terms) where terms != .plain,
                .replace(let key, let payload, let terms) where terms != .plain:
                if !isSound { _ = cache.perform(.put(key, payload)) }
                return .failure(StoreError(.unsupported, "it takes a value alone"))
            default: return cache.perform(operation)
            }
        }
    }

    private struct Subject: CacheSubject {
        let isSound: Bool
        let whole = ReferenceSubject(policies: BuiltinPolicies.all)
        var name: String { "value-only" }
        var orderPolicy: PolicyEntry? { whole.orderPolicy }
        func claims() throws(StoreError) -> Claims { try whole.claims() }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            Instance(try whole.open(setup, in: directory), isSound: isSound)
        }
    }

    @Test(arguments: ["TTL-9", "CAP-8", "CON-20", "BAS-11"])
    func `are no fault, unless what they refuse is done`(id: String) throws {
        let check = try #require(ConformanceSuite.cache.check(id))
        #expect(check.run(on: Subject(isSound: true), seed: 1).outcome == .pass)
        #expect(check.run(on: Subject(isSound: false), seed: 1).outcome.isNegative)
    }
}
