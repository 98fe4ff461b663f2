import CacheCore
import Synchronization
import Testing

@testable import CacheConformance

/// A cache whose reads now and then answer what was there before: wrong for one client as for several.
private let forgetful = ScriptedSubject(made: Claims(StorageClaims(isConcurrent: true))) {
    let values = Mutex<[[UInt8]: (now: StoredEntry, before: StoredEntry?)]>([:])
    let reads = Atomic(0)
    return { operation in
        values.withLock { values in
            switch operation {
            case .put(let key, _, _, _):
                values[key] = (operation.entry!, values[key]?.now)
                return .done
            case .get(let key):
                let isOld = reads.add(1, ordering: .relaxed).newValue % 3 == 0
                return .entry(isOld ? values[key]?.before ?? values[key]?.now : values[key]?.now)
            case .remove(let key): return .flag(values.removeValue(forKey: key) != nil)
            default: return .done
            }
        }
    }
}

@Suite("Shrinking of what several clients saw")
struct StressShrinkerTests {
    @Test func `a plan becomes smaller, and what is told comes from the smaller one`() throws {
        let check = try #require(ConformanceSuite.cache.check("LIN-2"))
        guard case .fail(let failure) = check.run(on: forgetful).outcome else {
            Issue.record("stale reads are not noticed")
            return
        }
        let line = try #require(failure.steps.first { $0.hasPrefix("made smaller: ") })
        #expect(line.contains("2 clients") && line.contains("on 1 key") && line.contains("of 8 runs"))
        #expect(failure.steps.filter { $0.hasPrefix("client ") }.count <= 6)
        #expect(failure.history != nil && failure.operationsAsked ?? 0 > 0)
    }
}
