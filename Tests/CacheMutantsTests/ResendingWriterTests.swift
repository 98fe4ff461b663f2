import CacheConformance
import CacheCore
import CachePolicies
import CacheReference
import Synchronization
import Testing

/// A cache may write again what its writer took before it failed: nobody told it which that was.
@Suite("What is written again after a failure")
struct ResendingWriterTests {
    /// The reference that writes behind, which writes all of it again after a flush in which one write failed.
    private struct Resending: CacheSubject {
        private struct State {
            var isFailing = false
            /// What the writer took while it failed for another key.
            var doubtful: [WrittenEntry] = []
            var told: [WrittenEntry] = []
        }

        private final class Instance: CacheInstance {
            private let cache: any CacheInstance
            private let state = Mutex(State())
            private let reportsFailures: Bool

            init(_ cache: any CacheInstance, _ reportsFailures: Bool) {
                (self.cache, self.reportsFailures) = (cache, reportsFailures)
            }

            func perform(_ operation: CacheOperation) -> OperationResult {
                switch operation {
                case .failWritesOf(let keys):
                    state.withLock { $0.isFailing = !keys.isEmpty }
                    return cache.perform(operation)
                case .flush:
                    let result = cache.perform(.flush)
                    let written = taken()
                    let isFailing = state.withLock { state in
                        state.told += state.isFailing ? written : state.doubtful + written
                        state.doubtful = state.isFailing ? written : []
                        return state.isFailing
                    }
                    let failure = OperationResult.failure(StoreError(.unavailable, "the writer failed"))
                    return isFailing && reportsFailures ? failure : result
                case .writes:
                    let written = taken()
                    return state.withLock { state in
                        defer { state.told = [] }
                        return .writes(state.told + written)
                    }
                default: return cache.perform(operation)
                }
            }

            private func taken() -> [WrittenEntry] {
                if case .writes(let written) = cache.perform(.writes) { written } else { [] }
            }
        }

        let name = "resending"
        let needsDirectory = false
        let reportsFailures: Bool
        private let cache = ReferenceSubject(flavour: .behind, policies: BuiltinPolicies.all)

        init(reportsFailures: Bool) { self.reportsFailures = reportsFailures }

        func claims() throws(StoreError) -> Claims { try cache.claims() }

        func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
            Instance(try cache.open(setup, in: directory), reportsFailures)
        }
    }

    @Test(arguments: [true, false]) func `is no failure, whether the flush was one or not`(reportsFailures: Bool) throws
    {
        let check = try #require(ConformanceSuite.cache.check("WRT-9"))
        #expect(check.run(on: Resending(reportsFailures: reportsFailures), seed: 1).outcome == .pass)
    }
}
