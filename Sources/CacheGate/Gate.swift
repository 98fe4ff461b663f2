public import CacheCore

/// Holds recorded figures against a baseline's.
///
/// Exact figures are compared by equality, counted ones within a tolerance, times never: two recorded times say nothing. Traces
/// are paired by what they hold and cells by subject and place, so that neither the names of files nor the order matters. A
/// cell whose parameters changed is compared with the one before, if the subject has no other at that place. O(cells · log
/// cells).
public enum Gate {
    /// Compares a candidate with a baseline.
    ///
    /// - Throws: `AssayError` with code `badInput` if nothing is worse and nothing was compared, since a gate that compares
    ///   nothing must not pass.
    public static func compare(
        baseline: FigureSet, candidate: FigureSet, rules: GateRules = GateRules()
    ) throws(AssayError) -> GateOutcome {
        guard baseline.cells.contains(where: \.isWhole) else {
            throw AssayError(
                .badInput, "The baseline holds no cells, so nothing can be compared. Record it again.",
                at: .init(baseline.source))
        }
        let traces = TracePairing(baseline.traces, candidate.traces)
        var judge = GateJudge(rules: rules)
        for pair in paired(baseline, candidate, traces) { judge.judge(pair, traces) }
        var outcome = GateOutcome(
            baseline: baseline.source, candidate: candidate.source, lines: judge.lines.sorted(by: isWorse),
            comparedFigures: judge.comparedFigures, comparedCells: judge.comparedCells,
            notes: baseline.notes + candidate.notes + traces.notes + judge.notes)
        outcome.toleratedFigures = judge.toleratedFigures
        guard outcome.comparedFigures > 0 || !outcome.passes else {
            let isTimed = judge.timedFigures > 0
            throw AssayError(
                .badInput,
                "No figure of the candidate could be held against one of the baseline, so nothing was compared. "
                    + (isTimed
                        ? "They share times alone, which 'assay gate --against' measures side by side."
                        : "Run the same traces, policies, capacities and backends as the baseline did."),
                at: .init(candidate.source))
        }
        return outcome
    }

    /// The two sides of one cell, of which one may be missing. The candidate's is in the baseline's words.
    enum Pair {
        case both(FigureCell, FigureCell)
        case missing(FigureCell)
        case added(FigureCell)
    }

    static func paired(_ baseline: FigureSet, _ candidate: FigureSet, _ traces: TracePairing) -> [Pair] {
        let after = candidate.cells.map { cell in
            var cell = cell
            cell.identity.place = traces.place(cell.identity.place)
            return cell
        }
        var open = Dictionary(after.map { ($0.identity, $0) }) { first, _ in first }
        var pairs: [Pair] = []
        var unpaired: [FigureCell] = []
        // What one machine alone still has of a baseline is no cell of it.
        let before = baseline.cells.filter(\.isWhole)
        for cell in before {
            if let same = open.removeValue(forKey: cell.identity) {
                pairs.append(.both(cell, same))
            } else {
                unpaired.append(cell)
            }
        }
        let (oldRivals, newRivals) = (before.rivals, after.rivals)
        var lone = Dictionary(open.values.map { ($0.identity.withoutParameters, $0) }) { first, _ in first }
        for cell in unpaired {
            let place = cell.identity.withoutParameters
            let isLone = oldRivals[place] == 1 && newRivals[place] == 1
            let other = isLone ? lone.removeValue(forKey: place) : nil
            if let other { open[other.identity] = nil }
            pairs.append(other.map { .both(cell, $0) } ?? .missing(cell))
        }
        return pairs + open.values.map { .added($0) }
    }

    private static func isWorse(_ a: GateLine, _ b: GateLine) -> Bool {
        if a.rank != b.rank { return a.rank < b.rank }
        let (first, second) = (a.magnitude, b.magnitude)
        if first != second { return first > second }
        return (a.subject, a.parameters, a.placeText, a.figure) < (b.subject, b.parameters, b.placeText, b.figure)
    }
}

extension [FigureCell] {
    /// How many cells there are of each place and subject, which differ in nothing but parameters.
    fileprivate var rivals: [FigureCell.Identity: Int] {
        reduce(into: [:]) { $0[$1.identity.withoutParameters, default: 0] += 1 }
    }
}

extension GateLine {
    /// How far the figure moved, as a fraction of the baseline; infinite for what cannot be calculated.
    fileprivate var magnitude: Double {
        guard let baseline, let candidate else { return figure == "failure" ? .infinity : 0 }
        return baseline.change(to: candidate).map(abs) ?? .infinity
    }

    /// The place as one text, to sort by.
    fileprivate var placeText: String {
        place.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }
}

extension ResultFigure.Value {
    /// The change as a fraction of this value: 0.01 is 1 % more. Nil for words, and from 0.
    func change(to other: Self) -> Double? {
        guard let old = number, let new = other.number, old != 0 else { return nil }
        return (new - old) / abs(old)
    }

    /// Whether another value is the same, whether or not it was written as a whole number.
    func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.count(let a), .count(let b)): a == b
        case (.word(let a), .word(let b)): a == b
        default: number != nil && number == other.number
        }
    }

    /// The value as text, without needless digits.
    var text: String {
        switch self {
        case .count(let count): "\(count)"
        case .real(let real): "\(real)"
        case .word(let word): word
        }
    }
}

extension GateOutcome {
    /// Does nothing if the gate passes.
    ///
    /// - Throws: `AssayError` with code `verdict` for what is worse, missing or, under strict rules, different; with code
    ///   `undecided` if nothing of that but an undecided figure fails; with code `badInput` if only cells that cannot be
    ///   compared do.
    public func throwUnlessPassed() throws(AssayError) {
        // The worst line of a cell comes first.
        var worst: [FigureCell.Identity: GateLine] = [:]
        for line in lines where line.fails {
            let cell = FigureCell.Identity(subject: line.subject, parameters: line.parameters, place: line.place)
            if worst[cell] == nil { worst[cell] = line }
        }
        guard let first = lines.first(where: \.fails) else { return }
        let states = worst.values.map(\.state)
        let found = GateLine.states.compactMap { state -> String? in
            let count = states.count { $0 == state }
            return count == 0 ? nil : count == 1 ? "1 cell is \(state)" : "\(count) cells are \(state)"
        }
        let text = found.joined(separator: " and ")
        let all = Set(worst.values.map(\.verdict))
        if all == [.incomparable] {
            throw AssayError(
                .badInput,
                "\(text): \(first.reason ?? "both sides have figures that cannot be compared"). "
                    + "Use the same input, or record the baseline again.", at: .init(candidate))
        }
        if all.isSubset(of: [.undecided, .incomparable]) {
            throw AssayError(.undecided, "\(text). Measure for longer.", at: .init(candidate))
        }
        throw AssayError(
            .verdict,
            all.isDisjoint(with: [.worse, .missing])
                ? "\(text), and --strict allows no difference."
                : "\(text). Mend the cause, or accept the new figures with 'assay gate --update'.")
    }
}

extension GateLine {
    /// What can be said of a cell, the worst first.
    fileprivate static let states = [
        "worse", "missing", "without a figure of the baseline", "undecided", "not comparable", "different",
        "not in the baseline", "with a figure that the baseline lacks", "better", "the same",
    ]

    /// What the line says of its cell.
    fileprivate var state: String {
        switch verdict {
        case .worse: "worse"
        case .missing: figure.isEmpty ? "missing" : "without a figure of the baseline"
        case .undecided: "undecided"
        case .incomparable: "not comparable"
        case .changed: "different"
        case .added: figure.isEmpty ? "not in the baseline" : "with a figure that the baseline lacks"
        case .better: "better"
        case .same: "the same"
        }
    }
}
