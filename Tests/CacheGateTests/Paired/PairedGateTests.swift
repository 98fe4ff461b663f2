import CacheCore
import CacheGate
import Testing

@Suite("A gate over times of interleaved blocks")
struct PairedGateTests {
    /// Two programs whose blocks take a second each on a clock that stands otherwise.
    private final class Programs {
        var now = 0.0
        var order: [PairedGate.Side] = []
        var noise = 1.001
        /// The names whose rate is that of their side; nil for all.
        var slowNames: [String]?
        var rate: [PairedGate.Side: Double] = [.baseline: 100, .candidate: 100]
        var names: [PairedGate.Side: [String]] = [.baseline: ["lru"], .candidate: ["lru"]]

        func judge(_ change: (inout PairedGate) -> Void = { _ in }) throws(AssayError) -> GateOutcome {
            var gate = PairedGate(seed: 3)
            change(&gate)
            return try gate.judge(baseline: "old", candidate: "new", seconds: { now }) { side throws(AssayError) in
                now += 1
                order.append(side)
                // Every third block is faster.
                let factor = now.truncatingRemainder(dividingBy: 3) == 0 ? noise : 1
                let (rate, slowNames) = (rate[side] ?? 0, slowNames)
                return names[side, default: []].map {
                    ResultFigure(
                        subject: $0, place: ["kind": "bench"], name: "requests-per-second", unit: "1/s",
                        value: .real(
                            slowNames?.contains($0) == false ? 100 * factor : rate * (slowNames == nil ? factor : 1)),
                        kind: .timed, better: .more)
                }
            }
        }
    }

    @Test func `a slower candidate is worse, with its ratio, its interval and the command that repeats it`() throws {
        let programs = Programs()
        programs.rate[.candidate] = 90
        let outcome = try programs.judge { $0.command = "assay gate --against old -- bench" }
        let line = try #require(outcome.lines.first)
        #expect(line.verdict == .worse && line.fails && !outcome.passes && outcome.comparedFigures == 1)
        #expect(line.subject == "lru" && line.figure == "requests-per-second" && line.unit == "1/s")
        let interval = try #require(line.ratioInterval)
        #expect(interval[0] < 0.9 + 1e-9 && interval[1] > 0.9 - 1e-9 && interval[0] <= interval[1])
        #expect(line.command == "assay gate --against old -- bench")
        #expect(line.reason?.hasPrefix("-10.0 % over ") == true)
    }

    @Test func `equal sides are the same and end the gate before its budget`() throws {
        let programs = Programs()
        let outcome = try programs.judge { $0.budgetSeconds = 1000 }
        #expect(outcome.lines.map(\.verdict) == [.same] && outcome.passes)
        #expect(outcome.lines.first?.reason?.hasSuffix(" pairs: a change of 3 % or more is ruled out") == true)
        #expect(programs.now < 300)
    }

    @Test func `the budget is kept, both orders occur, and the first blocks do not count`() throws {
        let programs = Programs()
        programs.noise = 1.2
        let outcome = try programs.judge { $0.budgetSeconds = 41 }
        #expect(programs.now <= 41 && programs.now >= 38)
        let pairs = stride(from: 2, to: programs.order.count, by: 2).map { programs.order[$0] }
        #expect(pairs.contains(.baseline) && pairs.contains(.candidate))
        #expect(outcome.notes.first?.hasPrefix("19 pairs of blocks in 40 s") == true)
    }

    @Test(arguments: [false, true])
    func `too small a budget leaves all undecided, which fails unless that is allowed, and says what is needed`(
        isAllowed: Bool
    ) throws {
        let outcome = try Programs().judge {
            $0.budgetSeconds = 6
            $0.allowsUndecided = isAllowed
        }
        #expect(outcome.lines.map(\.verdict) == [.undecided] && outcome.passes == isAllowed)
        #expect(outcome.notes.contains { $0.contains("at least 7 are needed") })
    }

    @Test func `figures of one side alone are told, and what the candidate lacks fails`() throws {
        let programs = Programs()
        programs.names = [.baseline: ["lru", "fifo"], .candidate: ["lru", "arc", "lru"]]
        let outcome = try programs.judge()
        #expect(outcome.lines.map(\.verdict) == [.missing, .added, .same])
        #expect(
            outcome.lines.map(\.subject) == ["fifo", "arc", "lru"]
                && outcome.lines.map(\.fails) == [true, false, false])
        #expect(try programs.judge { $0.allowsMissing = true }.passes)
        #expect(outcome.comparedFigures == 1 && outcome.comparedCells == 1)
    }

    @Test func `a gate until something is worse ends then, and leaves the rest undecided`() throws {
        let programs = Programs()
        programs.names = [.baseline: ["lru", "fifo"], .candidate: ["lru", "fifo"]]
        programs.rate[.candidate] = 90
        let all = try programs.judge { $0.budgetSeconds = 1000 }
        let needed = programs.now
        programs.slowNames = ["lru"]
        (programs.now, programs.noise) = (0, 2)
        let outcome = try programs.judge {
            $0.budgetSeconds = 1000
            $0.endsAtWorse = true
        }
        #expect(all.lines.map(\.verdict) == [.worse, .worse])
        #expect(outcome.lines.map(\.verdict) == [.worse, .undecided] && outcome.lines[0].subject == "lru")
        #expect(programs.now <= needed + 2 && !outcome.passes)
    }

    @Test func `cells in order are compared whatever they are called, and say against what`() throws {
        let programs = Programs()
        programs.names = [.baseline: ["lru", "fifo"], .candidate: ["sieve", "fifo", "arc"]]
        let outcome = try programs.judge { $0.pairsInOrder = true }
        #expect(outcome.lines.map(\.subject) == ["arc", "fifo", "sieve"])
        #expect(outcome.lines.map(\.verdict) == [.added, .same, .same] && outcome.comparedCells == 2)
        #expect(outcome.lines[2].reason?.hasPrefix("against lru: ") == true)
        #expect(outcome.lines[1].reason?.contains("against") == false)
    }

    @Test func `sides without a figure in common are refused, and a failing block ends the gate`() {
        let programs = Programs()
        programs.names[.candidate] = ["arc"]
        #expect { try programs.judge() } throws: { ($0 as? AssayError)?.code == .badInput }
        #expect(throws: AssayError(.crashed, "no")) {
            try PairedGate(seed: 1).judge(baseline: "a", candidate: "b", seconds: { 0 }) { _ throws(AssayError) in
                throw AssayError(.crashed, "no")
            }
        }
    }
}
