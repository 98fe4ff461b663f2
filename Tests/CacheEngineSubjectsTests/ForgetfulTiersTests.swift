import CacheConformance
import CacheCore
import CacheEngineSubjects
import CachePolicies
import CacheStorage
import Synchronization
import Testing
import _CacheTestSupport

@Suite("Tiers that forget what was refused are caught")
struct ForgetfulTiersTests {
    @Test func `what a flush could not write is to be there after one that could`() async throws {
        let log = try #require(BuiltinStorage.embedded.first { $0.descriptor.name == "log" })
        let policy = try #require(BuiltinPolicies.all.first { $0.descriptor.name == "lru" })
        let tiers = TieredSubject(policy, over: log, isBack: true)
        let check = try #require(ConformanceSuite.cache.check("TIR-7"))
        let outcomes = await onThread {
            (sound: check.run(on: tiers).outcome, forgetful: check.run(on: ForgetfulTiers(tiers: tiers)).outcome)
        }
        #expect(outcomes.sound == .pass, "\(outcomes.sound.detail ?? "")")
        guard case .fail = outcomes.forgetful else {
            Issue.record("not caught: \(outcomes.forgetful)")
            return
        }
    }
}

/// Tiers whose flush tells of the failure once and then no longer knows what was to be written.
private struct ForgetfulTiers: CacheSubject {
    let tiers: TieredSubject

    var name: String { "forgetful \(tiers.name)" }
    var needsDirectory: Bool { tiers.needsDirectory }

    func claims() throws(StoreError) -> Claims { try tiers.claims() }

    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        Instance(tiers: try tiers.open(setup, in: directory))
    }

    private final class Instance: CacheInstance {
        private struct Unwritten {
            var keys: Set<[UInt8]> = []
            var isFailing = false
            var isForgotten = false
        }

        private let tiers: any CacheInstance
        private let unwritten = Mutex(Unwritten())

        init(tiers: any CacheInstance) { self.tiers = tiers }

        func perform(_ operation: CacheOperation) -> OperationResult {
            unwritten.withLock { unwritten in
                switch operation {
                case .failLower(let fails): unwritten.isFailing = fails
                case .put(let key, _, _, _) where unwritten.isFailing: unwritten.keys.insert(key)
                case .flush where unwritten.isFailing: unwritten.isForgotten = true
                case .dropMemory where unwritten.isForgotten:
                    for key in unwritten.keys { _ = tiers.perform(.remove(key)) }
                default: break
                }
            }
            return tiers.perform(operation)
        }
    }
}
