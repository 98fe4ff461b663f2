public import CacheCore
internal import Foundation

/// A gate over times and rates: two sides are measured in turns until every figure has its verdict or the budget is used up.
public struct PairedGate: Sendable {
    /// One of the two.
    public enum Side: Sendable { case baseline, candidate }

    fileprivate struct Key: Hashable {
        var subject: String
        var parameters: String
        var place: [String: String]
        var name: String

        init(_ figure: ResultFigure) {
            (subject, parameters, place, name) = (figure.subject, figure.parameters, figure.place, figure.name)
        }

        /// The figure of the cell of that number.
        init(_ cell: Int, _ name: String) { (subject, parameters, place, self.name) = ("\(cell)", "", [:], name) }
    }

    /// When a figure counts as worse, better or the same.
    public var rules = PairedRules()
    /// How long is measured, in seconds. The last pair ends within it if it takes no longer than those before on average.
    public var budgetSeconds = 60.0
    /// Whether what is better fails the gate, too.
    public var isStrict = false
    /// Whether figures that are undecided when the budget is used up pass.
    public var allowsUndecided = false
    /// Whether figures that the candidate lacks pass.
    public var allowsMissing = false
    /// Whether a figure that is worse ends the gate before the others have their verdicts.
    public var endsAtWorse = false
    /// Whether the first cell of one side is held against the first of the other, and so on: for sides that name other subjects.
    public var pairsInOrder = false
    /// The command that measures it again.
    public var command = ""
    /// The seed of the order and of the bootstrap.
    public var seed: UInt64

    /// A gate with the default rules.
    public init(seed: UInt64) { self.seed = seed }

    /// Measures and judges.
    ///
    /// The first block of each side tells which figures there are and is not counted. Of each later pair a coin decides which side
    /// comes first.
    ///
    /// - Parameters:
    ///   - baseline: What the outcome calls the side that is taken as good.
    ///   - candidate: What it calls the side that is judged.
    ///   - seconds: A clock that never goes back.
    ///   - block: Measures one side once.
    /// - Throws: What a block throws, and `AssayError` with code `badInput` if the sides have no time or rate in common.
    public func judge(
        baseline: String, candidate: String, seconds: () -> Double,
        block: (Side) throws(AssayError) -> [ResultFigure]
    ) throws(AssayError) -> GateOutcome {
        let start = seconds()
        let (old, new) = (timed(try block(.baseline)), timed(try block(.candidate)))
        let former = Dictionary(uniqueKeysWithValues: old)
        let common = new.filter { former[$0.key] != nil }
        let (keys, figures) = (common.map(\.key), common.map(\.figure))
        guard !figures.isEmpty else {
            throw AssayError(
                .badInput,
                "'\(baseline)' and '\(candidate)' have no time and no rate in common. Give both the same policies.")
        }
        var comparison = PairedComparison(better: figures.map(\.better), rules: rules, seed: seed)
        var coin = SeededGenerator(seed: mix64(seed))
        var (looks, pairs) = (rules.looks[...], 0)
        func isOpen() -> Bool {
            !comparison.isDecided && !(endsAtWorse && comparison.verdicts.contains(.worse))
        }
        func elapsed() -> Double { seconds() - start }
        // The first blocks are a pair as well.
        while isOpen(), elapsed() * Double(pairs + 2) / Double(pairs + 1) <= budgetSeconds {
            let order: [Side] = coin.next() & 1 == 0 ? [.baseline, .candidate] : [.candidate, .baseline]
            var values: [Side: [Key: Double]] = [:]
            for side in order {
                let measured = Dictionary(uniqueKeysWithValues: timed(try block(side)))
                values[side] = measured.compactMapValues(\.value.number)
            }
            comparison.add(
                baseline: keys.map { values[.baseline]?[$0] }, candidate: keys.map { values[.candidate]?[$0] })
            pairs += 1
            let share = elapsed() / budgetSeconds
            guard let look = looks.first, share >= look else { continue }
            comparison.look(at: share)
            looks = looks.drop { $0 <= share }
        }
        // Whatever was not spent is spent on what is still open.
        if isOpen() { comparison.look(at: 1) }
        var lines = figures.indices.map { line(figures[$0], former[keys[$0]], comparison.finding(of: $0)) }
        lines += old.filter { !keys.contains($0.key) }.map { alone($0.figure, .missing, !allowsMissing || isStrict) }
        lines += new.filter { !keys.contains($0.key) }.map { alone($0.figure, .added, isStrict) }
        return GateOutcome(
            baseline: baseline, candidate: candidate, lines: Self.sorted(lines), comparedFigures: figures.count,
            comparedCells: Set(keys.map(\.cell)).count,
            notes: notes(comparison, pairs: pairs, figures: figures.count, seconds: elapsed()))
    }

    /// The times and rates, each once.
    private func timed(_ figures: [ResultFigure]) -> [(key: Key, figure: ResultFigure)] {
        var seen = Set<Key>()
        var cells: [Key: Int] = [:]
        return figures.compactMap { figure in
            guard figure.kind == .timed, figure.value.number != nil else { return nil }
            var key = Key(figure)
            if pairsInOrder {
                let number = cells[key.cell] ?? cells.count
                cells[key.cell] = number
                key = Key(number, figure.name)
            }
            return seen.insert(key).inserted ? (key, figure) : nil
        }
    }

    /// What tells the baseline's subject from the candidate's, as `lru: ` or `backend=log: `; empty for equal ones.
    private static func other(_ old: ResultFigure, than new: ResultFigure) -> String {
        var words =
            (old.subject, old.parameters) == (new.subject, new.parameters)
            ? [] : [old.subject + (old.parameters.isEmpty ? "" : ":\(old.parameters)")]
        words += old.place.filter { new.place[$0.key] != $0.value && $0.key != "trace-digest" }
            .map { "\($0.key)=\($0.value)" }.sorted()
        return words.isEmpty ? "" : "against \(words.joined(separator: ", ")): "
    }

    private func line(_ figure: ResultFigure, _ former: ResultFigure?, _ finding: PairedFinding) -> GateLine {
        let fails =
            switch finding.verdict {
            case .worse: true
            case .undecided: !allowsUndecided
            case .same: false
            default: isStrict
            }
        var line = alone(figure, finding.verdict, fails)
        line.baseline = finding.baseline.map { .real($0) }
        line.candidate = finding.candidate.map { .real($0) }
        line.ratioInterval = finding.interval.map { [$0.lowerBound, $0.upperBound] }
        let other = former.map { Self.other($0, than: figure) } ?? ""
        let typical = other + String(format: "%+.1f %%", (finding.ratio - 1) * 100) + " over \(finding.pairs) pairs"
        let least = String(format: "%g %%", rules.smallestEffect * 100)
        line.reason =
            switch finding.verdict {
            case .same: "\(typical): a change of \(least) or more is ruled out"
            case .undecided: "\(typical), which neither shows nor rules out a change of \(least)"
            default: typical
            }
        return line
    }

    private func alone(_ figure: ResultFigure, _ verdict: GateLine.Verdict, _ fails: Bool) -> GateLine {
        GateLine(
            subject: figure.subject, parameters: figure.parameters, place: figure.place, figure: figure.name,
            unit: figure.unit, baseline: verdict == .missing ? figure.value : nil,
            candidate: verdict == .added ? figure.value : nil, verdict: verdict, fails: fails, command: command)
    }

    private func notes(_ comparison: PairedComparison, pairs: Int, figures: Int, seconds: Double) -> [String] {
        var notes = [
            String(
                format: "\(pairs) pairs of blocks in %.0f s, the order of each drawn by a coin (seed \(seed)).", seconds
            )
        ]
        let undecided = comparison.verdicts.count { $0 == .undecided }
        guard undecided > 0 else { return notes }
        let fewest = PairedComparison.fewestPairs(figures: figures, rules: rules, part: 1)
        notes.append(
            "\(undecided) of \(figures) figures are undecided. "
                + (pairs < fewest
                    ? "So few pairs decide nothing: at least \(fewest) are needed. " : "They need more pairs. ")
                + "Raise --budget, make blocks shorter, or compare fewer policies at once.")
        return notes
    }

    /// The worst verdicts first, then by subject and place.
    private static func sorted(_ lines: [GateLine]) -> [GateLine] {
        let ranks = Dictionary(uniqueKeysWithValues: GateLine.Verdict.allCases.enumerated().map { ($1, $0) })
        func place(_ line: GateLine) -> String {
            "\(line.subject):\(line.parameters) \(line.place.sorted { $0.key < $1.key }) \(line.figure)"
        }
        return lines.map { (rank: ranks[$0.verdict] ?? 0, place: place($0), line: $0) }
            .sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.line)
    }
}

extension PairedGate.Key {
    /// The same key for every figure of a cell.
    fileprivate var cell: Self {
        var cell = self
        cell.name = ""
        return cell
    }
}
