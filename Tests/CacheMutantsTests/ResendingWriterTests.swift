import CacheConformance
import CacheCore
import CachePolicies
import CacheReference
import Synchronization
import Testing

/// A cache may write again what its writer took before it failed: nobody told it which that was.
@Suite("What is written again after a failure")
struct ResendingWriterTests {
    private struct State {
        var isFailing = false
        /// What the writer took while it failed for another key.
        var doubtful: [WrittenEntry] = []
        var told: [WrittenEntry] = []
    }

    /// The reference that writes behind, which writes all of it again after a flush in which one write failed.
    private final class Resending: CacheInstance {
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

    @Test(arguments: [true, false]) func `is no failure, whether the flush was one or not`(reportsFailures: Bool) throws
    {
        let check = try #require(ConformanceSuite.cache.check("WRT-9"))
        let behind = ReferenceSubject(flavour: .behind, policies: BuiltinPolicies.all)
        let subject = FrontedSubject(behind, front: { Resending($0, reportsFailures) })
        #expect(check.run(on: subject, seed: 1).outcome == .pass)
    }
}
