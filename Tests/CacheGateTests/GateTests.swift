import CacheCore
import CacheGate
import Testing

@Suite("A gate over runs")
struct GateTests {
    /// One change to a cell, and what a gate must say about it.
    struct Change: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var verdict: GateLine.Verdict
        var figure: String
        var others: [String]
        var apply: @Sendable (inout ReplayCounts) -> Void

        init(
            _ description: String, _ verdict: GateLine.Verdict, _ figure: String, _ others: [String] = [],
            _ apply: @escaping @Sendable (inout ReplayCounts) -> Void
        ) {
            (testDescription, self.verdict, self.figure, self.others, self.apply) =
                (description, verdict, figure, others, apply)
        }
    }

    static let changes: [Change] = [
        Change("fewer requests", .worse, "requests") { $0.requests -= 1 },
        Change("more requests", .worse, "requests") { $0.requests += 1 },
        Change("fewer bytes requested", .worse, "bytes-requested") { $0.bytesRequested -= 1 },
        Change("more bytes requested", .worse, "bytes-requested") { $0.bytesRequested += 1 },
        Change("one hit less", .worse, "hits") { $0.hits -= 1 },
        Change("one hit more", .better, "hits") { $0.hits += 1 },
        Change("fewer bytes hit", .worse, "bytes-hit") { $0.bytesHit -= 1 },
        Change("more bytes hit", .better, "bytes-hit") { $0.bytesHit += 1 },
        Change("more evictions", .worse, "evictions") { $0.evictions += 1 },
        Change("fewer evictions", .better, "evictions") { $0.evictions -= 1 },
        Change("evictions that nobody counts", .missing, "evictions") { $0.countedEvictions = nil },
        Change("more bytes written", .worse, "bytes-written") { $0.bytesWritten += 1 },
        Change("fewer bytes written", .better, "bytes-written") { $0.bytesWritten -= 1 },
        Change("a cost that the baseline lacks", .added, "cost-missed") { $0.costMissed = 7 },
        Change("more residents", .changed, "resident-objects") { $0.residentObjects += 1 },
        Change("less resident weight", .changed, "resident-weight") { $0.residentWeight -= 1 },
        Change("more hits but more evictions", .worse, "evictions", ["better: hits 503 → 504 (+0.20 %)"]) {
            $0.hits += 1
            $0.evictions += 1
        },
        Change("more hits and other residents", .changed, "resident-objects", ["better: hits 503 → 504"]) {
            $0.hits += 1
            $0.residentObjects += 1
        },
    ]

    @Test func `equal figures pass in any order, and times are left out and counted`() throws {
        let baseline = GateSample.run()
        var candidate = baseline
        candidate.cells.reverse()
        for index in candidate.cells.indices { candidate.cells[index].requestsPerSecond = 1 }
        let outcome = try GateSample.gate(baseline, candidate, GateRules(isStrict: true))
        #expect(outcome.passes && outcome.lines.isEmpty)
        #expect(outcome.comparedCells == 8 && outcome.comparedFigures == 8 * 9)
        #expect(
            outcome.notes.contains {
                $0.hasPrefix("8 figures that depend on time were left out") && $0.contains("--against")
            })
        try outcome.throwUnlessPassed()
    }

    @Test(arguments: changes)
    func `each figure that moves is found, in one line`(_ change: Change) throws {
        let candidate = GateSample.changed { cell in
            var counts = cell.counts!
            change.apply(&counts)
            cell.counts = counts
        }
        let outcome = try GateSample.gate(GateSample.run(), candidate)
        #expect(outcome.lines.count == 1)
        let line = try #require(outcome.lines.first)
        #expect(line.verdict == change.verdict && line.figure == change.figure)
        #expect(line.subject == "lru" && line.place["capacity"] == "100 objects" && line.place["trace"] == "web")
        #expect(line.command == #"assay run --trace 'it'\''s.txt'"#)
        #expect(change.others.allSatisfy { line.reason?.contains($0) == true })
        #expect(outcome.passes == ![.worse, .missing].contains(change.verdict))
        let strict = try GateSample.gate(GateSample.run(), candidate, GateRules(isStrict: true))
        let error = #expect(throws: AssayError.self) { try strict.throwUnlessPassed() }
        #expect(error?.code == .verdict)
    }

    @Test func `a change of parameters is one drop of the hit ratio`() throws {
        let baseline = GateSample.run()
        var candidate = baseline
        candidate.cells[3].parameters = "small=0.2;ghost=0.9"
        candidate.cells[3].counts?.hits = 483
        let outcome = try GateSample.gate(baseline, candidate)
        #expect(outcome.lines.count == 1)
        let line = try #require(outcome.lines.first)
        #expect(line.verdict == .worse && line.fails && line.parameters == "small=0.2,ghost=0.9")
        #expect((line.baseline, line.candidate) == (.count(503), .count(483)))
        #expect(line.reason == "hit ratio 50.30 → 48.30 %; the baseline had small=0.1,ghost=0.9")
        #expect(outcome.notes.contains("1 cell has other parameters than in the baseline"))
    }

    @Test func `a subject that is there twice at a place is matched by its parameters alone`() throws {
        let baseline = GateSample.run()
        var candidate = baseline
        candidate.cells[3].parameters = "small=0.2;ghost=0.9"
        var other = candidate.cells[3]
        other.parameters = "small=0.3;ghost=0.9"
        candidate.cells.append(other)
        let outcome = try GateSample.gate(baseline, candidate)
        #expect(outcome.lines.map(\.verdict) == [.missing, .added, .added])
    }

    @Test func `a cell of one side is told, and fails as the rules say`() throws {
        let full = GateSample.run()
        var short = full
        short.cells.removeFirst(2)
        let missing = try GateSample.gate(full, short)
        #expect(missing.lines.map(\.verdict) == [.missing, .missing] && !missing.passes)
        let error = #expect(throws: AssayError.self) { try missing.throwUnlessPassed() }
        #expect(error?.message.hasPrefix("2 cells are missing.") == true)
        #expect(try GateSample.gate(full, short, GateRules(allowsMissing: true)).passes)
        let added = try GateSample.gate(short, full)
        #expect(added.passes && added.lines.map(\.verdict) == [.added, .added])
        let strict = try GateSample.gate(short, full, GateRules(isStrict: true))
        let refused = #expect(throws: AssayError.self) { try strict.throwUnlessPassed() }
        #expect(refused?.message == "2 cells are not in the baseline, and --strict allows no difference.")
    }

    @Test func `messages count what is worse and what is missing apart`() throws {
        let baseline = GateSample.run()
        var candidate = baseline
        for index in 0...1 { candidate.cells[index].counts?.hits -= 1 }
        candidate.cells[3].memory = nil
        candidate.cells.remove(at: 2)
        let outcome = try GateSample.gate(baseline, candidate)
        let error = #expect(throws: AssayError.self) { try outcome.throwUnlessPassed() }
        #expect(
            error?.message.hasPrefix(
                "2 cells are worse and 1 cell is missing and 1 cell is without a figure of the baseline.")
                == true)
    }

    @Test func `results that no run can have written are bad input`() {
        let spoils: [(inout RunResults) -> Void] = [
            { $0.traces = [] }, { $0.cells.append($0.cells[0]) }, { $0.cells[0].counts?.hits = 1 << 40 },
            { $0.cells[0].counts?.bytesHit = -1 },
        ]
        for spoil in spoils {
            var run = GateSample.run()
            spoil(&run)
            let error = #expect(throws: AssayError.self) { try FigureSet(run, from: "r.json") }
            #expect(error?.code == .badInput)
        }
    }

    @Test func `a cell that fails now is worse, one that works again better, and one that fails still is no pass`()
        throws
    {
        let working = GateSample.run()
        let failing = GateSample.changed {
            $0.counts = nil
            $0.failure = CellFailure(.crashed, "The process ended with SIGILL.")
        }
        let broke = try GateSample.gate(working, failing)
        #expect(
            broke.lines.first?.verdict == .worse && broke.lines.first?.candidate == .word("crashed") && !broke.passes)
        #expect(broke.lines.first?.reason == "crashed: The process ended with SIGILL.")
        #expect(try GateSample.gate(failing, working).lines.map(\.verdict) == [.better])
        let still = try GateSample.gate(failing, failing)
        #expect(still.passes && still.lines.map(\.verdict) == [.incomparable] && still.comparedCells == 7)
    }

    @Test func `nothing compared is an error, never a pass`() {
        let full = GateSample.run()
        var (empty, failed) = (full, full)
        empty.cells = []
        for index in failed.cells.indices { failed.cells[index].failure = CellFailure(.failed, "broken") }
        for (baseline, candidate) in [(empty, full), (full, empty), (failed, failed), (failed, full)] {
            let error = #expect(throws: AssayError.self) {
                try GateSample.gate(baseline, candidate, GateRules(allowsMissing: true))
            }
            #expect(error?.code == .badInput)
        }
    }

    @Test func `the worst comes first: failures, then the largest loss, then gains`() throws {
        let baseline = GateSample.run()
        var candidate = baseline
        candidate.cells[0].counts?.hits -= 1
        candidate.cells[1].counts?.hits -= 50
        candidate.cells[2].counts?.hits += 90
        candidate.cells[3].failure = CellFailure(.hung, "No progress.")
        let lines = try GateSample.gate(baseline, candidate).lines
        #expect(
            lines.map { "\($0.subject) \($0.place["capacity"]!)" }
                == [3, 1, 0, 2].map {
                    "\(baseline.cells[$0].policy) \(baseline.cells[$0].capacity) objects"
                })
    }

    @Test func `two shares that resolve to one capacity are two cells`() throws {
        var baseline = GateSample.run()
        var twin = baseline.cells[0]
        twin.capacityRequested = "0.2%"
        baseline.cells.append(twin)
        var candidate = baseline
        candidate.cells.reverse()
        #expect(try GateSample.gate(baseline, candidate).lines.isEmpty)
        candidate.cells.removeAll { $0.capacityRequested == "0.2%" }
        #expect(try GateSample.gate(baseline, candidate).lines.map(\.verdict) == [.missing])
    }

    @Test func `other counts under another seed name the seed to repeat with`() throws {
        #expect(try GateSample.gate(GateSample.run(), GateSample.changed { $0.seed = 9 }).lines.isEmpty)
        let candidate = GateSample.changed {
            $0.seed = 9
            $0.counts?.hits -= 1
        }
        #expect(try GateSample.gate(GateSample.run(), candidate).lines.first?.reason?.contains("--seed 1") == true)
    }
}
