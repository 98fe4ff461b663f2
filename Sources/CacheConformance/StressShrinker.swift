import CacheCore

/// What the runs of a plan showed.
struct StressTally {
    /// A contradiction, with the history that it is in.
    typealias Found = (violation: HistoryViolation, report: HistoryReport, history: History)

    /// How many runs there were.
    var runs = 0
    /// In how many of them there was one.
    var failing = 0
    /// How many operations overlapped another client's write of the same key.
    var overlaps = 0
    /// How many answers showed something stored.
    var hits = 0
    /// The contradiction of the fewest operations.
    var smallest: Found?
    /// Why a run could not be judged.
    var undecided: String?
    /// How many operations were asked until the first.
    var askedUntilFirst: Int?
}

/// Makes a plan smaller that several clients failed: fewer clients, then fewer operations, fewer keys, fewer kinds of operations.
///
/// What threads do differs from run to run, so each candidate has eight runs, and is kept if one of them fails.
struct StressShrinker {
    let context: CheckContext
    let steps: [String]
    /// The runs of a candidate.
    private static let runs = 8
    /// How many candidates are tried, and for how many seconds, at most.
    var budget = ShrinkBudget(tries: 24, seconds: 10)

    /// A plan that still failed, with what it showed.
    struct Best {
        fileprivate(set) var plan: StressPlan
        /// Nil if none smaller than the given one failed.
        fileprivate(set) var tally: StressTally?
        fileprivate var budget: ShrinkBudget

        /// That there may be a smaller one, in words; nil where everything was tried.
        var remark: String? { budget.words("what the clients did") }
    }

    /// The smallest plan that still failed.
    func shrink(_ plan: StressPlan) -> Best {
        var best = Best(plan: plan, budget: budget)
        while best.plan.clients > 2, accept(&best, { $0.clients -= 1 }) {}
        while best.plan.operationsEach > 2, accept(&best, { $0.operationsEach /= 2 }) {}
        while best.plan.keys > 1, accept(&best, { $0.keys -= 1 }) {}
        if best.plan.clearEvery > 0 { _ = accept(&best) { $0.clearEvery = 0 } }
        if best.plan.maintainEvery > 0 { _ = accept(&best) { $0.maintainEvery = 0 } }
        for kind in distinct(plan.kinds) where distinct(best.plan.kinds).count > 1 {
            _ = accept(&best) { $0.kinds.removeAll { $0 == kind } }
        }
        return best
    }

    /// Keeps a smaller plan if it fails in one of its runs.
    private func accept(_ best: inout Best, _ change: (inout StressPlan) -> Void) -> Bool {
        guard best.budget.take() else { return false }
        var candidate = best.plan
        candidate.runs = Self.runs
        change(&candidate)
        do throws(CheckStop) {
            let tally = try context.tally(candidate, endingWith: best.budget, steps: steps)
            guard tally.smallest != nil else { return false }
            (best.plan, best.tally) = (candidate, tally)
            return true
        } catch {
            // Whatever is tried next might cost the deadline again.
            if case .failed(let failure) = error, failure.end == .hung { best.budget.endByHanging() }
            return false
        }
    }

    private func distinct(_ kinds: [HistoryOperation.Kind]) -> [HistoryOperation.Kind] {
        kinds.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension StressPlan {
    /// How large it is, in words.
    var words: String {
        let names = kinds.reduce(into: [String]()) { if !$0.contains("\($1)") { $0.append("\($1)") } }
        return "\(clients) clients, \(operationsEach) operations each (\(names.joined(separator: ", "))) on \(keys) "
            + (keys == 1 ? "key" : "keys")
    }
}
