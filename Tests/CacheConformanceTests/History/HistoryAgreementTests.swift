import CacheConformance
import CacheCore
import Foundation
import Testing

@Suite("The history checker agrees with a search through every order")
struct HistoryAgreementTests {
    /// A run with `ASSAY_ALL_CELLS=1` takes 100 000 histories, others fewer.
    static let histories = ProcessInfo.processInfo.environment["ASSAY_ALL_CELLS"] == "1" ? 100_000 : 6_000

    /// What operations are made up.
    struct Mix: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kinds: [HistoryOperation.Kind]
        var hasUniqueValues: Bool
    }

    static let mixes = [
        Mix(testDescription: "unique writes", kinds: [.get, .get, .put, .put, .remove], hasUniqueValues: true),
        Mix(testDescription: "reads and unique writes", kinds: [.get, .get, .get, .put], hasUniqueValues: true),
        Mix(testDescription: "a register", kinds: [.get, .get, .put, .compareAndSet], hasUniqueValues: false),
        Mix(
            testDescription: "everything",
            kinds: HistoryOperation.Kind.allCases.filter { $0 != .append } + [.get, .get, .put],
            hasUniqueValues: false),
    ]

    @Test(arguments: mixes, HistorySemantics.allCases)
    func `every verdict is the same`(_ mix: Mix, _ semantics: HistorySemantics) throws {
        var maker = SmallHistories(
            random: SeededGenerator(seed: 20_261), kinds: mix.kinds, semantics: semantics,
            hasUniqueValues: mix.hasUniqueValues)
        let count = Self.histories / (Self.mixes.count * HistorySemantics.allCases.count) + 1
        let checker = HistoryChecker(semantics)
        var linearizable = 0
        for number in 0..<count {
            let history = maker.next()
            let expected = BruteForce(history, semantics).isLinearizable
            let verdict = try checker.check(history).verdict
            linearizable += expected ? 1 : 0
            guard verdict.name == (expected ? "linearizable" : "not linearizable") else {
                Issue.record("history \(number) is \(expected) and was found \(verdict)\n\(history.jsonLines)")
                return
            }
            guard case .notLinearizable(let violation) = verdict else { continue }
            #expect(!violation.witness.isEmpty)
            // A witness that counts from the empty cache must be impossible by itself.
            if violation.knowsInitialState {
                #expect(!BruteForce(History(violation.witness), semantics).isLinearizable, "\(history.jsonLines)")
            }
        }
        #expect(linearizable > count / 5 && linearizable < count * 9 / 10, "\(linearizable) of \(count)")
    }

    @Test func `the brute force finds what it should`() {
        func verdict(_ operations: HistoryOperation..., semantics: HistorySemantics = .exact) -> Bool {
            BruteForce(History(operations), semantics).isLinearizable
        }
        let put = HistoryOperation(.put, client: 0, key: 0, argument: 1, callTime: 0, returnTime: 2)
        let miss = HistoryOperation(.get, client: 1, key: 0, result: 0, callTime: 3, returnTime: 4)
        let hit = HistoryOperation(.get, client: 1, key: 0, result: 1, callTime: 5, returnTime: 6)
        #expect(verdict(put, hit))
        #expect(!verdict(put, miss))
        #expect(verdict(put, miss, semantics: .evicting))
        #expect(!verdict(put, miss, hit, semantics: .evicting))
        #expect(verdict(put, miss, hit, semantics: .lossy))
    }
}
