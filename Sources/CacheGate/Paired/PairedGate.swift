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
    }

    /// When a figure counts as worse, better or the same.
    public var rules = PairedRules()
    /// How long is measured, in seconds. The last pair ends within it if it takes no longer than those before.
    public var budgetSeconds = 60.0
    /// Whether everything but `same` fails the gate.
    public var isStrict = false
    /// Whether figures that the candidate lacks pass.
    public var allowsMissing = false
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
        let (old, new) = (Self.timed(try block(.baseline)), Self.timed(try block(.candidate)))
        var longest = seconds() - start
        let newKeys = Set(new.map(Key.init))
        let figures = old.filter { newKeys.contains(Key($0)) }
        let keys = figures.map(Key.init)
        guard !figures.isEmpty else {
            throw AssayError(
                .badInput,
                "'\(baseline)' and '\(candidate)' have no time and no rate in common. Give both the same policies.")
        }
        var comparison = PairedComparison(better: figures.map(\.better), rules: rules, seed: seed)
        var coin = SeededGenerator(seed: mix64(seed))
        var (looks, pairs) = (rules.looks[...], 0)
        while !comparison.isDecided, seconds() - start + longest <= budgetSeconds {
            let began = seconds()
            let order: [Side] = coin.next() & 1 == 0 ? [.baseline, .candidate] : [.candidate, .baseline]
            var values: [Side: [Key: Double]] = [:]
            for side in order {
                let measured = Self.timed(try block(side)).map { (Key($0), $0.value.number) }
                values[side] = Dictionary(measured) { first, _ in first }.compactMapValues(\.self)
            }
            comparison.add(
                baseline: keys.map { values[.baseline]?[$0] }, candidate: keys.map { values[.candidate]?[$0] })
            pairs += 1
            longest = max(longest, seconds() - began)
            let share = (seconds() - start) / budgetSeconds
            guard let look = looks.first, share >= look else { continue }
            comparison.look(at: share)
            looks = looks.drop { $0 <= share }
        }
        // Whatever was not spent is spent on what is still open.
        if !comparison.isDecided { comparison.look(at: 1) }
        var lines = figures.indices.map { line(figures[$0], comparison.finding(of: $0)) }
        let oldKeys = Set(keys)
        lines += old.filter { !oldKeys.contains(Key($0)) }.map { alone($0, .missing, !allowsMissing || isStrict) }
        lines += new.filter { !oldKeys.contains(Key($0)) }.map { alone($0, .added, isStrict) }
        return GateOutcome(
            baseline: baseline, candidate: candidate, lines: Self.sorted(lines), comparedFigures: figures.count,
            comparedCells: Set(figures.map { Key($0).cell }).count,
            notes: notes(comparison, pairs: pairs, figures: figures.count, seconds: seconds() - start))
    }

    /// The times and rates, each once.
    private static func timed(_ figures: [ResultFigure]) -> [ResultFigure] {
        var seen = Set<Key>()
        return figures.filter { $0.kind == .timed && $0.value.number != nil && seen.insert(Key($0)).inserted }
    }

    private func line(_ figure: ResultFigure, _ finding: PairedFinding) -> GateLine {
        var line = alone(figure, finding.verdict, finding.verdict == .worse || isStrict && finding.verdict != .same)
        line.baseline = finding.baseline.map { .real($0) }
        line.candidate = finding.candidate.map { .real($0) }
        line.ratioInterval = finding.interval.map { [$0.lowerBound, $0.upperBound] }
        let typical = String(format: "%+.1f %%", (finding.ratio - 1) * 100) + " over \(finding.pairs) pairs"
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
        let part = 1 - PairedRules.spent(at: rules.looks.dropLast().last ?? 0)
        let fewest = PairedComparison.fewestPairs(figures: figures, rules: rules, part: part)
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
