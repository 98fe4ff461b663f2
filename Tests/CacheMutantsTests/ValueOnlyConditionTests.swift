import CacheConformance
import CacheCore
import Testing

/// Caches whose conditional writes take a value alone, as Go's ttlcache and most of Python's: docs/subject-protocol.md, steps.
@Suite("Conditional writes that take no terms")
struct ValueOnlyConditionTests {
    private static func subject(isSound: Bool) -> FrontedSubject {
        FrontedSubject { operation, cache in
            switch operation {
            case .putIfAbsent(let key, let payload, let terms) where terms != .plain,
                .replace(let key, let payload, let terms) where terms != .plain:
                if !isSound { _ = cache.perform(.put(key, payload)) }
                return .failure(StoreError(.unsupported, "it takes a value alone"))
            default: return cache.perform(operation)
            }
        }
    }

    @Test(arguments: ["TTL-9", "CAP-8", "CON-20", "BAS-11"])
    func `are no fault, unless what they refuse is done`(id: String) throws {
        let check = try #require(ConformanceSuite.cache.check(id))
        #expect(check.run(on: Self.subject(isSound: true), seed: 1).outcome == .pass)
        #expect(check.run(on: Self.subject(isSound: false), seed: 1).outcome.isNegative)
    }
}
