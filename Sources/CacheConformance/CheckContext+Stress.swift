import CacheCore

/// What several clients do to one instance at once, again and again.
struct StressPlan: Sendable {
    /// How many clients there are.
    var clients = 4
    /// How many operations each of them asks for in a run.
    var operationsEach = 150
    /// How many keys they share.
    var keys = 3
    /// What they ask, each as often as it is listed.
    var kinds: [HistoryOperation.Kind] = [.get, .get, .get, .put, .put, .remove]
    /// How many runs there are, each on a fresh instance.
    var runs = 12
    /// One operation in so many empties the cache; 0 for none.
    var clearEvery = 0
    /// One operation in so many comes after a chore; 0 for none.
    var maintainEvery = 50
    /// What the cache is asked for between clients' operations.
    var chore = CacheOperation.maintain
    /// Bytes of a value.
    var valueBytes = 40
    /// What instances are opened with.
    var setup = CacheSetup()

    /// So many operations that overlap a write show that the clients ran at once.
    var overlapMin: Int { min(100, runs * clients * operationsEach / 40) }

    /// The same plan with no more clients than may be.
    func limited(toClients most: Int) -> StressPlan {
        var plan = self
        plan.clients = min(clients, most)
        return plan
    }
}

extension CheckContext {
    /// What histories of this subject may show: an entry that need not stay may be missing.
    func semantics(_ setup: CacheSetup) -> HistorySemantics {
        if claims.concurrency.readsMayMiss { return .lossy }
        let isRoomy = (setup.capacity ?? claims.room?.capacity).map { $0.amount >= 1_000 } ?? true
        return claims.retains && isRoomy ? .exact : .evicting
    }

    /// Fails if the answers of a run cannot be explained by one operation after the other; says in how many runs.
    ///
    /// A plan that fails is made smaller first: what is told is the smallest contradiction that was found.
    func stress(_ plan: StressPlan, steps: [String]) throws(CheckStop) {
        var plan = plan.limited(toClients: claims.concurrency.clientsMax)
        plan.runs = runs(plan.runs)
        let whole =
            plan.runs == 1
            ? try tally(plan, steps: steps)
            : try tally(plan, overlapMin: plan.overlapMin, timeMin: .milliseconds(60), steps: steps)
        if let found = whole.smallest {
            let small = makesSmaller ? StressShrinker(context: self, steps: steps).shrink(plan) : nil
            let again = small?.tally
            let seen = "\(whole.failing) of \(whole.runs) runs"
            let how = again.map { "made smaller: \(small!.plan.words), seen in \($0.failing) of \($0.runs) runs" }
            let best = [found, again?.smallest].compactMap(\.self).min {
                $0.violation.witness.count < $1.violation.witness.count
            }
            var failure = failure(best!, seen, steps + [how, small?.remark].compactMap(\.self))
            failure.operationsAsked = whole.askedUntilFirst
            throw .failed(failure)
        }
        if let undecided = whole.undecided { throw .inconclusive(undecided) }
        guard whole.hits > 0 else { throw .blocked("the witness: no read found anything") }
        guard whole.overlaps > 0 || plan.runs == 1 else {
            throw .inconclusive("no operation ran beside another client's write; the machine is too busy")
        }
    }

    /// Runs a plan as often as it says and judges each run.
    ///
    /// On a busy machine clients run one after the other: until so many operations overlap a write there are more runs, for
    /// a second at most. There are more, too, until they have taken `timeMin`: clients are held so often and no oftener. With a
    /// budget there are no more when its time is over.
    func tally(
        _ plan: StressPlan, overlapMin: Int = 0, timeMin: Duration = .zero, endingWith budget: ShrinkBudget? = nil,
        steps: [String]
    ) throws(CheckStop) -> StressTally {
        let checker = HistoryChecker(semantics(plan.setup), limitSeconds: 20, configurationLimit: 2_000_000)
        var tally = StressTally()
        let start = ContinuousClock.now
        for _ in 0..<plan.runs where budget?.isOver != true { try run(plan, checker, &tally, steps) }
        while tally.failing == 0, tally.undecided == nil {
            let time = ContinuousClock.now - start
            guard time < timeMin || tally.overlaps < overlapMin && time < .seconds(1) else { break }
            try run(plan, checker, &tally, steps)
        }
        return tally
    }

    /// Runs a plan once more and judges that.
    private func run(
        _ plan: StressPlan, _ checker: HistoryChecker, _ tally: inout StressTally, _ steps: [String]
    ) throws(CheckStop) {
        let seed = mix64(seed &+ UInt64(tally.runs))
        let clients = try withInstance(plan.setup, steps: steps) { (instance) throws(CheckStop) in
            ClientThreads.together(plan.clients) { StressClient(Int32($0), plan, seed).run(on: instance) }
        }
        if let error = clients.compactMap(\.fault).first {
            throw .failed(fault(error, steps))
        }
        note(operations: plan.clients * plan.operationsEach)
        let history = History(recorded: clients.map(\.recorder))
        tally.runs += 1
        tally.overlaps += history.overlaps
        tally.hits += clients.reduce(0) { $0 + $1.hits }
        guard let report = try? checker.check(history) else { throw .inconclusive("a clock went back") }
        switch report.verdict {
        case .linearizable: break
        case .unknown(let reason): tally.undecided = reason
        case .notLinearizable(let violation):
            tally.failing += 1
            tally.askedUntilFirst = tally.askedUntilFirst ?? operationsAsked
            if violation.witness.count < tally.smallest?.violation.witness.count ?? .max {
                tally.smallest = (violation, report, history)
            }
        }
    }

    private func fault(_ error: StoreError, _ steps: [String]) -> CheckFailure {
        CheckFailure(
            seed: seed, dueTo: "concurrent", observed: "threw \(error)", permitted: "no error", program: nil,
            steps: steps, end: CheckFailure.ProcessEnd(error))
    }

    private func failure(
        _ found: (violation: HistoryViolation, report: HistoryReport, history: History), _ runs: String,
        _ steps: [String]
    ) -> CheckFailure {
        let witness = found.violation.witness.map { operation in
            let end = operation.isPending ? "…" : "\(operation.returnTime)"
            return "client \(operation.client)  ns \(operation.callTime)–\(end)  \(found.history.text(of: operation))"
        }
        return CheckFailure(
            seed: seed, dueTo: "concurrent", observed: "in \(runs): \(found.violation.reason)",
            permitted: "answers that one operation after the other explains", program: nil, steps: steps + witness,
            history: found.report.result(of: found.history, source: "\(subject.name) \(check.id)"))
    }
}
