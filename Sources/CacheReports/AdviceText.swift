internal import CacheCore

/// What advice says in words: the sentences that the terminal and the page share.
struct AdviceText {
    let results: AdviceResults
    let advice: Advice

    var metric: AdviceQuestion.Metric { results.question.metric }

    private var trace: TraceDescription? { results.traces.first { $0.name == advice.trace } }

    /// The ratio that was asked about, as a heading has it.
    var metricName: String { metric == .hitRatio ? "Hit ratio" : "Byte hit ratio" }

    // MARK: - Figures

    /// A capacity for people, with its unit, told apart from those beside it.
    func amount(_ capacity: Int, beside others: [Int] = []) -> String {
        advice.capacityUnit == .objects
            ? Self.amount(capacity, .objects) : HumanFormat.bytes(capacity, beside: others)
    }

    static func amount(_ amount: Int, _ unit: Capacity.Unit) -> String {
        unit == .objects ? HumanFormat.counted(amount, "object", "objects") : HumanFormat.bytes(amount)
    }

    /// A capacity without its unit where that is clear, told apart from those beside it.
    func short(_ capacity: Int, beside others: [Int]) -> String {
        advice.capacityUnit == .objects ? HumanFormat.count(capacity) : HumanFormat.bytes(capacity, beside: others)
    }

    /// A candidate's capacity or the largest that fails, without its unit where that is clear, told apart from the other.
    private func short(_ capacity: Int, of candidate: AdviceCandidate) -> String {
        short(capacity, beside: [candidate.capacity, candidate.failsAt].compactMap(\.self))
    }

    /// Whether a price says something else than the capacity.
    var hasPrices: Bool {
        advice.priceUnit != advice.capacityUnit || results.question.countsPolicyMemory
    }

    func price(_ price: Int) -> String { Self.amount(price, advice.priceUnit) }

    /// The ratio that was asked about.
    func ratio(_ figures: AdviceFigures?) -> String {
        figures.map { HumanFormat.percent($0.ratio(metric)) } ?? HumanFormat.absent
    }

    /// With so many digits that two of them say something.
    private func footprintShare(_ capacity: Int) -> String {
        let share = Double(capacity) / Double(max(1, advice.largestCapacity))
        if share < 0.000_01 { return "under 0.001 %" }
        return HumanFormat.percent(share, digits: share < 0.001 ? 3 : share < 0.01 ? 2 : 1)
    }

    /// `taking 512 MiB, 12.1 % of the footprint`: what a capacity means.
    func details(_ choice: AdviceCandidate, _ capacity: Int) -> String {
        var details: [String] = []
        if advice.capacityUnit == .bytes {
            details.append("\(HumanFormat.count(capacity)) bytes")
        } else if !hasPrices, let trace, trace.hasSizes, trace.footprintBytes > 0 {
            let mean = Double(trace.footprintBytes) / Double(max(1, trace.objects))
            details.append(
                "about \(HumanFormat.bytes(mean * Double(capacity))) at \(HumanFormat.bytes(mean)), the mean size of an object"
            )
        }
        if hasPrices, let price = choice.price { details.append("taking \(self.price(price))") }
        return (details + ["\(footprintShare(capacity)) of the footprint"]).joined(separator: ", ")
    }

    static func name(_ candidate: AdviceCandidate) -> String {
        candidate.selection + (candidate.admission == "always" ? "" : " + \(candidate.admission)")
    }

    private func name(_ place: Int) -> String {
        advice.candidates.indices.contains(place) ? Self.name(advice.candidates[place]) : HumanFormat.absent
    }

    // MARK: - The answer

    /// The answer in a sentence or two.
    var answer: String {
        switch advice.outcome {
        case .reached: "\(choice) is the least that was found to reach a \(metric.rawValue) of \(target): \(reached)."
        case .best:
            "\(choice) does best\(ofThoseTried) within \(budget): a \(metric.rawValue) of \(reached)."
        case .unreachable:
            "No cache reaches a \(metric.rawValue) of \(target(beside: advice.unlimited).target): one that keeps everything "
                + "has \(target(beside: advice.unlimited).other), because \(reasonsToMiss). \(choice) is the least that has as much as "
                + "can be had: \(reached)."
        case .notReached:
            "None of the policies compared reaches a \(metric.rawValue) of \(target), though a cache that keeps everything has "
                + "\(ratio(advice.unlimited)). \(choice) comes nearest: \(reached)."
        case .nothing: "Nothing hits: \(nothing)"
        case .interrupted: "Interrupted before there was an answer."
        }
    }

    /// That other capacities within the budget might do better; empty where all are known.
    private var ofThoseTried: String {
        let compared = advice.candidates.filter { $0.failure == nil }
        let areKnown = compared.allSatisfy { $0.certainty == .pass || $0.certainty == .exhaustive }
        return areKnown ? "" : " of the capacities tried"
    }

    /// How many were compared, and how to compare all where the default policies were.
    var scope: String {
        let compared = advice.candidates.filter { $0.failure == nil }
        guard !compared.isEmpty else { return "" }
        let policies = HumanFormat.counted(Set(compared.map(\.selection)).count, "policy was", "policies were")
        let pairs =
            Set(compared.map(\.admission)).count > 1 ? ", in \(compared.count) pairs with admission policies" : ""
        let names = results.commandLine.contains { $0 == "--policy" || $0.hasPrefix("--policy=") }
        return " \(policies) compared\(pairs)\(names ? "." : "; --policy all compares all.")"
    }

    private var reasonsToMiss: String {
        trace?.statesOperations == true
            ? "reads of what was not stored before, or was deleted, miss" : "first requests miss"
    }

    /// `2 GiB`, or `5% (120 objects)` where a share was asked for.
    var budget: String {
        let asked = results.question.budget ?? HumanFormat.absent
        guard let budget = advice.budget else { return asked }
        return asked.contains("%") ? "\(asked) (\(price(budget)))" : price(budget)
    }

    private var nothing: String {
        let reasons = Set(advice.candidates.compactMap(\.failure?.message))
        if reasons.count == 1, let reason = reasons.first { return reason }
        return advice.unlimited.hits == 0
            ? "no object is asked for twice." : "no candidate has a hit within the budget; give a larger one."
    }

    /// The target and a ratio that misses it, told apart.
    private func target(beside figures: AdviceFigures) -> (target: String, other: String) {
        HumanFormat.percents(results.question.target ?? 0, figures.ratio(metric))
    }

    private var target: String {
        results.question.target.map { HumanFormat.percent($0, digits: 2) } ?? HumanFormat.absent
    }

    /// `s3fifo with 1,234 objects (512 MiB, 12.1 % of the footprint)`.
    private var choice: String {
        guard let choice = advice.choice, let capacity = choice.capacity else { return "Nothing" }
        return "\(Self.name(choice)) with \(amount(capacity)) (\(details(choice, capacity)))"
    }

    private var reached: String { ratio(advice.choice?.figures) }

    // MARK: - How it was found

    /// How a candidate's capacity was found, and what follows from that.
    func certainty(_ candidate: AdviceCandidate) -> String {
        if advice.outcome == .interrupted { return "not finished" }
        let isTarget = advice.outcome == .reached
        let fails = candidate.failsAt.map { short($0, of: candidate) }
        switch candidate.certainty {
        case .pass: return "proven: one pass over all capacities"
        case .exhaustive:
            return isTarget ? "proven: no smaller one reaches" : "proven: every capacity replayed"
        case .bisection:
            return "bisection: \(fails ?? HumanFormat.absent) \(isTarget ? "fails" : "has less")"
        case .bracket:
            guard candidate.capacity != nil else { return fails.map { "\($0) fails" } ?? "not reached" }
            return isTarget ? "between: \(fails ?? "nothing smaller") fails" : "best of those tried"
        }
    }

    /// A candidate's capacity; `≤` and `>` where only one side is known.
    func capacity(_ candidate: AdviceCandidate) -> String {
        let isOpen = candidate.certainty == .bracket && advice.outcome == .reached
        if let capacity = candidate.capacity { return (isOpen ? "≤ " : "") + short(capacity, of: candidate) }
        return candidate.failsAt.map { "> " + short($0, of: candidate) } ?? HumanFormat.absent
    }

    /// What the method cannot rule out; nil where the choice is proven.
    var caution: String? {
        guard let choice = advice.choice, choice.certainty == .bisection || choice.certainty == .bracket else {
            return nil
        }
        return "\(Self.name(choice)) need not hit more with more capacity, so that a smaller one may do as well; of "
            + "those below, \(HumanFormat.count(choice.smallerTried)) were "
            + "replayed and do less. --exhaustive replays them all where they are at most 1048576."
    }

    // MARK: - How sure it is

    /// The verdict with its reason.
    var verdict: String? {
        guard let evidence = advice.evidence else { return nil }
        let tied = evidence.rivals.filter { $0.interval.low <= 0 }.map { name($0.candidate) }
        switch evidence.verdict {
        case .alone: return "alone: there was no other candidate to compare it with"
        case .firm:
            let seeds = evidence.seeds.isEmpty ? "" : " and with \(evidence.seeds.count) other seeds"
            return
                "firm: first in both halves of the trace\(seeds), ahead of each runner-up by more than windows scatter"
        case .likely:
            return "likely: ahead of each runner-up by more than windows scatter, but not first "
                + (evidence.halves.contains { $0.best != 0 } ? "in each half" : "with each seed")
        case .open:
            return "open: \(HumanFormat.list(tied)) cannot be told from it on this trace"
        }
    }

    /// What the verdict rests on, a sentence an item.
    var grounds: [String] {
        guard let evidence = advice.evidence else { return [] }
        var lines = [
            "Its \(metric.rawValue) lies in \(interval(evidence.interval)) with 95 % confidence, by "
                + "\(evidence.windows) windows of the trace."
        ]
        let halves = zip(["first half", "second half"], evidence.halves).map { name, half in
            "\(HumanFormat.percent(half.ratio)) in the \(name)\(half.best == 0 ? "" : ", where \(self.name(half.best)) is first")"
        }
        lines.append("It has \(halves.joined(separator: ", and ")).")
        if results.question.target != nil, advice.outcome == .reached, evidence.halves.count == 2 {
            let needs = evidence.halves.map { $0.capacity.map { "about " + amount($0) } ?? "more than was tried" }
            lines.append("For the target in the first half alone it would take \(needs[0]), in the second \(needs[1]).")
        }
        if !evidence.seeds.isEmpty { lines.append(seeds(evidence.seeds)) }
        return lines
    }

    private func seeds(_ seeds: [AdviceSeed]) -> String {
        let ratios = seeds.map(\.ratio)
        let range = AdviceInterval(low: ratios.min() ?? 0, high: ratios.max() ?? 0)
        var facts: [String] = []
        // A choice that draws no numbers has one ratio whatever the seed; only those that it is compared with may move.
        if range.low != range.high {
            facts.append("has \(interval(range))")
            if seeds.allSatisfy({ $0.reaches != nil }) {
                facts.append("reaches the target with \(seeds.count { $0.reaches == true })")
            }
        }
        facts.append("is first with \(seeds.count { $0.best == 0 })")
        return "Of \(seeds.count) other seeds, it \(facts.joined(separator: ", "))."
    }

    /// `81.20 to 83.00 %`.
    private func interval(_ interval: AdviceInterval) -> String {
        "\(HumanFormat.fixed(interval.low * 100, 2)) to \(HumanFormat.percent(interval.high))"
    }

    // MARK: - Bounds and steps

    /// What each bound says, a sentence an item.
    var bounds: [String] {
        guard let choice = advice.choice, let figures = choice.figures else { return [] }
        return advice.bounds.map { bound in
            let gap = HumanFormat.points(bound.figures.ratio(metric) - figures.ratio(metric))
            let what =
                switch bound.side {
                case .optimum: "The optimum (\(bound.selection)) has"
                case .above: "No policy has more than (\(bound.selection))"
                case .below: "A schedule that knows the future (\(bound.selection)) has"
                }
            let least = bound.capacity.map { ", and no policy does as much below \(amount($0))" } ?? ""
            return "\(what) \(ratio(bound.figures)) at this capacity, \(gap) points\(least)."
        }
    }

    /// What one more object, KiB or MiB brings between the choice and a step, in hits or bytes hit per million requested; nil for
    /// the choice.
    func slope(_ step: AdviceStep) -> Double? {
        guard let choice = advice.choice, let capacity = choice.capacity, let figures = choice.figures,
            step.capacity != capacity
        else { return nil }
        let gain = step.figures.ratio(metric) - figures.ratio(metric)
        let more = Double(step.capacity - capacity) / slopeStep.amount
        return gain / more * 1_000_000
    }

    /// What is called one more: about a thousandth of the choice, or more, where it counts bytes.
    private var slopeStep: (amount: Double, name: String) {
        guard advice.capacityUnit == .bytes else { return (1, "object") }
        return advice.choice?.capacity ?? 0 < 1 << 20 ? (1024, "KiB") : (1_048_576, "MiB")
    }

    var slopeUnit: String {
        "\(metric == .hitRatio ? "hits per million requests" : "bytes hit per million requested"), per \(slopeStep.name)"
    }

    /// A step's ratio less the choice's, in points.
    func gain(_ step: AdviceStep) -> Double? {
        guard let figures = advice.choice?.figures else { return nil }
        return step.figures.ratio(metric) - figures.ratio(metric)
    }
}
