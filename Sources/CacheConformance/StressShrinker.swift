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
    /// The most candidates that are tried.
    private static let candidatesMax = 24

    /// A plan that still failed, with what it showed.
    private struct Best {
        var plan: StressPlan
        var tally: StressTally?
        var candidates = 0
    }

    /// The smallest plan that still failed; with nil if none smaller than the given one did.
    func shrink(_ plan: StressPlan) -> (plan: StressPlan, tally: StressTally?) {
        var best = Best(plan: plan)
        while best.plan.clients > 2, accept(&best, { $0.clients -= 1 }) {}
        while best.plan.operationsEach > 2, accept(&best, { $0.operationsEach /= 2 }) {}
        while best.plan.keys > 1, accept(&best, { $0.keys -= 1 }) {}
        if best.plan.clearEvery > 0 { _ = accept(&best) { $0.clearEvery = 0 } }
        if best.plan.maintainEvery > 0 { _ = accept(&best) { $0.maintainEvery = 0 } }
        for kind in distinct(plan.kinds) where distinct(best.plan.kinds).count > 1 {
            _ = accept(&best) { $0.kinds.removeAll { $0 == kind } }
        }
        return (best.plan, best.tally)
    }

    /// Keeps a smaller plan if it fails in one of its runs.
    private func accept(_ best: inout Best, _ change: (inout StressPlan) -> Void) -> Bool {
        guard best.candidates < Self.candidatesMax else { return false }
        best.candidates += 1
        var candidate = best.plan
        candidate.runs = Self.runs
        change(&candidate)
        guard let tally = try? context.tally(candidate, steps: steps), tally.smallest != nil else { return false }
        best.plan = candidate
        best.tally = tally
        return true
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
