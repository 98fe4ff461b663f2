import CacheGate

/// Outcomes of gates as the tests of their outputs need them.
enum SampleOutcomes {
    static let place = ["kind": "run", "trace": "zipf-1.0", "trace-digest": "ab12", "capacity": "5%"]
    static let command = "assay run --trace zipf-1.0 --policy s3fifo:small=0.2 --capacity 5%"

    /// Every verdict, in no order.
    static let mixed = GateOutcome(
        baseline: "base.json", candidate: "new.json",
        lines: [
            GateLine(
                subject: "sieve", place: place, figure: "hits", baseline: .count(375), candidate: .count(376),
                verdict: .better, fails: false, command: "assay run --trace zipf-1.0 --policy sieve --capacity 5%"),
            GateLine(
                subject: "s3fifo", parameters: "small=0.2", place: place, figure: "hit-ratio",
                baseline: .real(0.50304), candidate: .real(0.5030399), verdict: .worse, fails: true,
                reason: "the baseline has small=0.1", command: command),
            GateLine(
                subject: "s3fifo", parameters: "small=0.2", place: place, figure: "evictions",
                baseline: .count(1_000_000), candidate: .count(1_000_001), verdict: .worse, fails: true,
                command: command),
            GateLine(
                subject: "dictionary", place: ["kind": "bench", "trace": "zipf-1.0"], figure: "p99", unit: "ns",
                baseline: .count(1234), candidate: .count(1300), ratioInterval: [0.98, 1.09], verdict: .undecided,
                fails: false, reason: "60 blocks were not enough"),
            GateLine(subject: "arc", parameters: "p=1,5", place: place, verdict: .missing, fails: true),
            GateLine(subject: "lfu", place: place, verdict: .added, fails: false),
            GateLine(
                subject: "log", place: ["kind": "conform", "revision": "3"], figure: "survives-a-kill",
                baseline: .word("passed"), candidate: .word("failed"), verdict: .worse, fails: false,
                reason: "may fail until 2027-01-01: log is being rewritten"),
            GateLine(
                subject: "lru", place: place, figure: "resident-bytes", unit: "bytes", baseline: .real(201.4),
                verdict: .incomparable, fails: false),
        ], comparedFigures: 1204, comparedCells: 96, notes: ["the trace 'zipf' is 'zipf-1.0' in the candidate"])

    /// So many cells that fail, the same way.
    static func failing(_ count: Int, named name: String = "lru", text: String = "") -> GateOutcome {
        GateOutcome(
            baseline: "base.json" + text, candidate: "new.json" + text,
            lines: (0..<count).map { index in
                GateLine(
                    subject: name, parameters: "n=\(index)" + text, place: ["trace": "web" + text],
                    figure: "hits" + text, baseline: .count(index), candidate: .word("x" + text), verdict: .worse,
                    fails: true,
                    reason: "because" + text, command: "assay run --policy lru:n=\(index)" + text)
            }, comparedFigures: count, comparedCells: count, notes: ["note" + text])
    }
}
