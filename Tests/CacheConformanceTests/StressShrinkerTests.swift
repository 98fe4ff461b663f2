import CacheCore
import Synchronization
import Testing

@testable import CacheConformance

/// A cache whose reads now and then answer what was there before: wrong for one client as for several.
private final class ForgetfulReads: CacheInstance {
    private struct State {
        var values: [[UInt8]: (now: StoredEntry, before: StoredEntry?)] = [:]
        var reads = 0
    }

    private let state = Mutex(State())

    func perform(_ operation: CacheOperation) -> OperationResult {
        state.withLock { state in
            switch operation {
            case .put(let key, _, _, _):
                state.values[key] = (operation.entry!, state.values[key]?.now)
                return .done
            case .get(let key):
                state.reads += 1
                let found = state.values[key]
                return .entry(state.reads % 3 == 0 ? found?.before ?? found?.now : found?.now)
            case .remove(let key): return .flag(state.values.removeValue(forKey: key) != nil)
            default: return .done
            }
        }
    }
}

private struct Forgetful: CacheSubject {
    let name = "forgetful"
    func claims() throws(StoreError) -> Claims { Claims(StorageClaims(isConcurrent: true)) }
    func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance { ForgetfulReads() }
}

@Suite("Shrinking of what several clients saw")
struct StressShrinkerTests {
    @Test func `a plan becomes smaller, and what is told comes from the smaller one`() throws {
        let check = try #require(ConformanceSuite.cache.check("LIN-2"))
        guard case .fail(let failure) = check.run(on: Forgetful()).outcome else {
            Issue.record("stale reads are not noticed")
            return
        }
        let line = try #require(failure.steps.first { $0.hasPrefix("made smaller: ") })
        #expect(line.contains("2 clients") && line.contains("on 1 key") && line.contains("of 8 runs"))
        #expect(failure.steps.filter { $0.hasPrefix("client ") }.count <= 6)
        #expect(failure.history != nil && failure.operationsAsked ?? 0 > 0)
    }
}
