import CacheCore

/// Tries the orders in which the suspended operations of a program can go on.
struct InterleavingSearch {
    let context: CheckContext
    /// The most orders that are tried of one program.
    let ordersMax: Int

    /// As small as a cache can be whose programs fit for sure: one is opened for each order.
    private var setup: CacheSetup {
        guard let room = context.claims.room, room.isAdjustable, room.units.contains(.objects) else {
            return CacheSetup()
        }
        return CacheSetup(capacity: .objects(1_000))
    }

    /// An order that shows what must not be.
    struct Finding {
        let program: InterleavedProgram
        let run: InterleavedRun
        /// What is wrong.
        let complaint: String
        /// The contradiction, where that is what is wrong.
        let report: HistoryReport?
    }

    /// What a search saw.
    struct Tally {
        /// How many operations found something stored.
        var hits = 0
        /// How many steps there were to choose at.
        var forks = 0
    }

    /// The first order of the program that the claims do not permit, depth first; nil if none of those that were tried.
    func find(_ program: InterleavedProgram, _ tally: inout Tally) throws(CheckStop) -> Finding? {
        var choices: [Int]? = []
        var tried = 0
        while let next = choices, tried < ordersMax {
            tried += 1
            let run = try self.run(program, choosing: next)
            tally.forks += run.branches.count { $0 > 1 }
            tally.hits += run.history.operations.count { $0.kind == .get && $0.result > 0 }
            if let finding = try judge(program, run) { return finding }
            choices = Self.following(run)
        }
        return nil
    }

    /// The smallest program that still shows something wrong, with the order that shows it.
    func shrink(_ finding: Finding) -> Finding {
        var (best, tally) = (finding, Tally())
        while let next = best.program.smaller.lazy.compactMap({ try? self.find($0, &tally) }).first { best = next }
        return best
    }

    /// The choices after those of a run: the last that can be another is.
    static func following(_ run: InterleavedRun) -> [Int]? {
        guard let last = run.choices.indices.last(where: { run.choices[$0] + 1 < run.branches[$0] }) else { return nil }
        return run.choices[..<last] + [run.choices[last] + 1]
    }

    private func run(_ program: InterleavedProgram, choosing choices: [Int]) throws(CheckStop) -> InterleavedRun {
        let steps = ["open an empty cache on an executor that runs one job at a time"]
        let sandbox = try context.sandbox(steps: steps)
        defer { sandbox.end() }
        let executor = SteppedExecutor()
        let instance = try context.expecting("an open cache", steps: steps) { () throws(StoreError) in
            try context.subject.open(setup, in: sandbox.directory, on: executor)
        }
        let run = InterleavedRun(program, on: instance, executor, choosing: choices)
        context.note(operations: run.history.operations.count)
        _ = instance.perform(.close)
        return run
    }

    private func judge(_ program: InterleavedProgram, _ run: InterleavedRun) throws(CheckStop) -> Finding? {
        func finding(_ complaint: String, _ report: HistoryReport? = nil) -> Finding {
            Finding(program: program, run: run, complaint: complaint, report: report)
        }
        if let fault = run.fault { return finding("threw \(fault)") }
        if run.isStuck { return finding("every client waits, and nothing is left to run") }
        let checker = HistoryChecker(context.semantics(setup), limitSeconds: 20, configurationLimit: 200_000)
        guard let report = try? checker.check(run.history) else { throw .inconclusive("a clock went back") }
        switch report.verdict {
        case .linearizable: return nil
        case .unknown(let reason): throw .inconclusive(reason)
        case .notLinearizable(let violation): return finding(violation.reason, report)
        }
    }
}
