import CacheConformance
import CacheCore
import Synchronization
import Testing

@Suite("The history checker")
struct HistoryCheckerTests {
    typealias Change = @Sendable (inout [HistoryOperation]) -> Void

    /// A checker that is wrong in one way, as a change to what it looks at.
    struct BrokenChecker: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kinds: [HistoryOperation.Kind]
        var change: Change

        init(_ description: String, _ kinds: [HistoryOperation.Kind], _ change: @escaping Change) {
            testDescription = description
            self.kinds = kinds
            self.change = change
        }
    }

    static let simple: [HistoryOperation.Kind] = [.get, .get, .put, .remove]
    static let brokenCheckers = [
        BrokenChecker("ignores time", simple) { all in
            for index in all.indices { all[index].callTime = 0 }
        },
        BrokenChecker("lets operations return later", simple) { all in
            for index in all.indices where !all[index].isPending { all[index].returnTime += 1 }
        },
        BrokenChecker("ignores reads", simple) { $0.removeAll { $0.kind == .get } },
        BrokenChecker("ignores misses", simple) { $0.removeAll { $0.kind == .get && $0.result == 0 } },
        BrokenChecker("ignores removals", simple) { $0.removeAll { $0.kind == .remove } },
        BrokenChecker("ignores answers of removals", simple) { all in
            for index in all.indices where all[index].kind == .remove { all[index].result = HistoryOperation.unknown }
        },
        BrokenChecker("forgets pending writes", simple) { $0.removeAll(where: \.isPending) },
        BrokenChecker("takes pending writes as done", simple) { all in
            for index in all.indices where all[index].isPending { all[index].returnTime = all[index].callTime + 1 }
        },
        BrokenChecker("mixes keys", simple) { all in
            for index in all.indices { all[index].key = 0 }
        },
        BrokenChecker("ignores failed comparisons", [.get, .put, .compareAndSet]) {
            $0.removeAll { $0.kind == .compareAndSet && $0.result == 0 }
        },
        BrokenChecker("takes comparisons for writes", [.get, .put, .compareAndSet]) { all in
            for index in all.indices where all[index].kind == .compareAndSet && all[index].result == 1 {
                all[index].kind = .put
            }
        },
        BrokenChecker("ignores what an exchange returns", [.get, .put, .getAndPut]) { all in
            for index in all.indices where all[index].kind == .getAndPut { all[index].kind = .put }
        },
    ]

    @Test(arguments: brokenCheckers)
    func `the comparison with the brute force would notice a checker that`(_ broken: BrokenChecker) throws {
        var maker = SmallHistories(
            random: SeededGenerator(seed: 7), kinds: broken.kinds, semantics: .exact,
            hasUniqueValues: broken.kinds == Self.simple)
        for _ in 0..<3_000 {
            let history = maker.next()
            var changed = history
            broken.change(&changed.operations)
            let verdict = try HistoryChecker().check(changed).verdict
            if (verdict == .linearizable) != BruteForce(history, .exact).isLinearizable { return }
        }
        Issue.record("nothing was noticed")
    }

    @Test func `a checker with other semantics would be noticed`() throws {
        for (claimed, used) in [(HistorySemantics.exact, HistorySemantics.evicting), (.evicting, .lossy)] {
            var maker = SmallHistories(
                random: SeededGenerator(seed: 8), kinds: Self.simple, semantics: used, hasUniqueValues: true)
            let histories = (0..<3_000).map { _ in maker.next() }
            let isNoticed = try histories.contains {
                try (HistoryChecker(used).check($0).verdict == .linearizable) != BruteForce($0, claimed).isLinearizable
            }
            #expect(isNoticed)
        }
    }

    @Test(arguments: HistorySemantics.allCases)
    func `long histories that a cache made are linearizable, by zones and by search`(
        _ semantics: HistorySemantics
    ) throws {
        var sampler = HistorySampler()
        sampler.semantics = semantics
        sampler.keys = 20
        sampler.pendingPerThousand = 5
        for kinds in [Self.simple, HistoryOperation.Kind.allCases.filter { $0 != .append }] {
            sampler.kinds = kinds
            for seed in 1...4 as ClosedRange<UInt64> {
                let history = sampler.history(operations: 4_000, seed: seed)
                #expect(try HistoryChecker(semantics).check(history).verdict == .linearizable, "seed \(seed)")
            }
        }
    }

    @Test func `one stale read among many operations is found with a short witness`() throws {
        var sampler = HistorySampler()
        sampler.keys = 50
        sampler.kinds = [.get, .get, .put]
        for seed in 1...20 as ClosedRange<UInt64> {
            var history = sampler.history(operations: 5_000, seed: seed)
            let reads = history.operations.indices.filter {
                history.operations[$0].kind == .get && history.operations[$0].result > 0
            }
            var random = SeededGenerator(seed: seed)
            // The late copy of a read: by then the value was replaced, if the key was written at all since.
            let index = reads[random.next(below: reads.count / 2)]
            var stale = history.operations[index]
            let writes = history.operations.filter { $0.kind == .put && $0.key == stale.key }
            guard let later = writes.first(where: { $0.callTime > stale.returnTime + 1_000 }) else { continue }
            stale.callTime = later.returnTime + 1
            stale.returnTime = later.returnTime + 2
            stale.client = 99
            history.operations.append(stale)
            guard case .notLinearizable(let violation) = try HistoryChecker().check(history).verdict else {
                Issue.record("seed \(seed) finds nothing")
                return
            }
            #expect(violation.key == stale.key && violation.keysAtFault == 1)
            #expect(violation.witness.contains(stale) && violation.witness.count <= 6, "\(violation.witness)")
        }
    }

    @Test func `a search's witness leaves out what came before and what is not needed`() throws {
        var operations: [HistoryOperation] = []
        for round in 0..<200 as Range<Int64> {
            let value = Int32(1 + round % 5)
            operations.append(
                HistoryOperation(
                    .put, client: 0, key: 3, argument: value, callTime: round * 10, returnTime: round * 10 + 3))
            operations.append(
                HistoryOperation(
                    .get, client: 1, key: 3, result: value, callTime: round * 10 + 4, returnTime: round * 10 + 6))
        }
        operations.append(
            HistoryOperation(
                .compareAndSet, client: 2, key: 3, argument: 9, expected: 4, result: 1, callTime: 1_998,
                returnTime: 1_999))
        guard case .notLinearizable(let violation) = try HistoryChecker().check(History(operations)).verdict else {
            Issue.record("not found")
            return
        }
        #expect(!violation.knowsInitialState)
        #expect(violation.witness.count == 2)
        #expect(violation.window == 1_994...1_999 || violation.window == 1_990...1_999)
        #expect(violation.reason.contains("compare-and-set"))
    }

    @Test func `limits end in unknown, and say which`() throws {
        // Writes of equal values that all overlap, and a read of none of them: every order must be tried.
        var operations = (0..<24).map {
            HistoryOperation(
                .compareAndSet, client: $0, key: 0, argument: $0 % 12 + 2, expected: $0 % 12 + 1, result: 0,
                callTime: 0,
                returnTime: 100)
        }
        operations += (0..<12).map {
            HistoryOperation(.put, client: 50 + $0, key: 0, argument: $0 + 1, callTime: 0, returnTime: 100)
        }
        operations.append(HistoryOperation(.get, client: 99, key: 0, result: 77, callTime: 101, returnTime: 102))
        let few = try HistoryChecker(configurationLimit: 1_000).check(History(operations))
        guard case .unknown(let reason) = few.verdict else {
            Issue.record("\(few.verdict)")
            return
        }
        #expect(reason.contains("1000 configurations"))
        guard case .unknown(let late) = try HistoryChecker(limitSeconds: 0.01).check(History(operations)).verdict else {
            Issue.record("not late")
            return
        }
        #expect(late.contains("0.01 s"))
        // A fault that is found counts for more than a limit.
        operations.append(HistoryOperation(.get, client: 0, key: 1, result: 5, callTime: 0, returnTime: 1))
        #expect(
            try HistoryChecker(configurationLimit: 1_000).check(History(operations)).verdict.name == "not linearizable")
    }

    @Test func `the key with the fewest operations is named, and how many are at fault`() throws {
        var operations: [HistoryOperation] = []
        for key in 0..<5 as Range<Int32> {
            for time in 0...Int64(10 - key) {
                operations.append(
                    HistoryOperation(.get, client: 0, key: key, callTime: time * 2, returnTime: time * 2 + 1))
                operations[operations.count - 1].result = key == 2 || key == 3 ? 7 : 0
            }
        }
        guard case .notLinearizable(let violation) = try HistoryChecker().check(History(operations)).verdict else {
            Issue.record("not found")
            return
        }
        #expect(violation.key == 3 && violation.keysAtFault == 2)
    }

    @Test func `what cannot be judged is an error`() {
        let backwards = HistoryOperation(.get, client: 0, key: 0, callTime: 5, returnTime: 4)
        #expect(throws: AssayError.self) { try HistoryChecker().check(History([backwards])) }
        let append = HistoryOperation(.append, client: 0, key: 0, argument: 1, callTime: 5, returnTime: 6)
        #expect(throws: AssayError.self) { try HistoryChecker(.evicting).check(History([append])) }
        let negative = HistoryOperation(.get, client: 0, key: 0, result: -2, callTime: 5, returnTime: 6)
        #expect(throws: AssayError.self) { try HistoryChecker().check(History([negative])) }
    }

    @Test func `an empty history is linearizable`() throws {
        #expect(try HistoryChecker().check(History([])).verdict == .linearizable)
    }
}
