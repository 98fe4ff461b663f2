internal import CacheCore
internal import Foundation

/// Judges cells under the rules of a gate, and keeps what it found.
struct GateJudge {
    let rules: GateRules
    private(set) var lines: [GateLine] = []
    private(set) var comparedFigures = 0
    private(set) var comparedCells = 0
    /// Figures that moved, by no more than they may.
    private(set) var toleratedFigures = 0
    /// Times that both sides have, and counts that depend on the timing of threads.
    private(set) var timedFigures = 0
    private var cellsOfOtherParameters = 0
    /// How many figures were counted on which two machines that are not alike.
    private var unlike: [[Machine]: Int] = [:]
    private var compared: Set<String> = []
    private var usedExceptions: Set<Int> = []

    init(rules: GateRules) { self.rules = rules }

    /// Judges one cell.
    mutating func judge(_ pair: Gate.Pair, _ traces: TracePairing) {
        switch pair {
        case .missing(let cell):
            let (exception, reason) = exception(for: "", of: cell.identity, change: nil)
            add(cell, .missing, fails: !rules.allowsMissing && !exception, ["the candidate lacks this cell", reason])
        case .added(let cell):
            add(cell, .added, fails: rules.isStrict, ["the baseline lacks this cell", cell.failure])
        case .both(let before, let after):
            if let mismatch = traces.mismatch(after.identity.place) {
                return add(after, .incomparable, fails: true, [mismatch])
            }
            compare(before, after)
        }
    }

    private mutating func compare(_ before: FigureCell, _ after: FigureCell) {
        let revisions = [before, after].map { $0.figures.first { $0.name == "revision" }?.value.number ?? 1 }
        if revisions[0] != revisions[1] {
            let words = "the check asks something else: revision \(Int(revisions[0])) → \(Int(revisions[1]))"
            return add(after, .incomparable, fails: rules.isStrict, [words])
        }
        let reason = before.identity.parameters == after.identity.parameters ? nil : before.parametersInWords
        switch (before.failedAs, after.failedAs) {
        case (_?, _?):
            add(after, .incomparable, fails: false, ["it failed in the baseline, too", after.failure, reason])
        case (nil, let failure?):
            let (exception, words) = exception(for: failure.name, of: after.identity, change: nil)
            add(after, .worse, failure, nil, failure.value, fails: !exception, [after.failure, words, reason])
        case (let failure?, nil):
            add(
                after, .better, failure, failure.value, nil, fails: rules.isStrict,
                ["it failed in the baseline", reason])
        case (nil, nil):
            if reason != nil { cellsOfOtherParameters += 1 }
            let (figuresBefore, linesBefore) = (comparedFigures, lines.count)
            fold(differences(before.figures, after.figures, after), before, after)
            compareCounted(before, after)
            if comparedFigures > figuresBefore {
                comparedCells += 1
            } else if lines.count == linesBefore {
                let what = after.counted.isEmpty ? "are times" : "were counted on another machine"
                add(
                    after, .incomparable, fails: rules.isStrict,
                    ["nothing of this cell is compared: its figures \(what)", reason])
            }
        }
    }

    /// A line for each figure that is not what it was, the most telling first.
    private mutating func differences(
        _ before: [ResultFigure], _ after: [ResultFigure], _ cell: FigureCell
    ) -> [GateLine] {
        let old = Dictionary(before.map { ($0.name, $0) }) { first, _ in first }
        let new = Dictionary(after.map { ($0.name, $0) }) { first, _ in first }
        let names = Set(old.keys).union(new.keys).sorted { (FigureKinds.rank($0), $0) < (FigureKinds.rank($1), $1) }
        return names.compactMap { name in
            guard let figure = new[name] ?? old[name] else { return nil }
            let (a, b) = (old[name]?.value, new[name]?.value)
            if figure.kind == .timed {
                if a != nil, b != nil { timedFigures += 1 }
                return nil
            }
            guard let a, let b else {
                let isMissing = a != nil
                return line(
                    cell, isMissing ? .missing : .added, figure, a, b,
                    fails: isMissing ? !rules.allowsMissing : rules.isStrict, [])
            }
            comparedFigures += 1
            compared.insert(name)
            guard let verdict = verdict(figure, a, b) else { return nil }
            guard verdict == .worse else { return line(cell, verdict, figure, a, b, fails: rules.isStrict, []) }
            let change: Double?? = a.number == nil ? nil : .some(a.change(to: b))
            let (isAllowed, reason) = exception(for: name, of: cell.identity, change: change)
            return line(cell, verdict, figure, a, b, fails: !isAllowed, [reason])
        }
    }

    /// How a figure moved; nil if it did not move further than it may.
    private mutating func verdict(
        _ figure: ResultFigure, _ before: ResultFigure.Value, _ after: ResultFigure.Value
    ) -> GateLine.Verdict? {
        if before.isSame(as: after) { return nil }
        guard let old = before.number, let new = after.number else {
            return CheckWord.verdict(before.text, after.text)
        }
        if abs(new - old) <= rules.slack(figure.name, from: old) {
            toleratedFigures += 1
            return nil
        }
        return switch figure.better {
        case .less: new > old ? .worse : .better
        case .more: new < old ? .worse : .better
        case .same: .worse
        case .neither: .changed
        }
    }

    /// Makes one line of the exact figures of a cell: the most telling of the worst, which names the others.
    private mutating func fold(_ differences: [GateLine], _ before: FigureCell, _ after: FigureCell) {
        let sorted = differences.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
            .map(\.element)
        guard var lead = sorted.first else { return }
        var reasons = [lead.figure == "hits" ? GateText.ratios(before, after) : nil, lead.reason]
        if before.identity.parameters != after.identity.parameters { reasons.append(before.parametersInWords) }
        for verdict in GateLine.Verdict.allCases {
            let others = sorted.dropFirst().filter { $0.verdict == verdict }
            let texts = others.map { $0.changeText + ($0.reason.map { " (\($0))" } ?? "") }
            // The verdict counts lines: what moved the same way in the same cell is no finding of its own.
            let words = verdict == lead.verdict ? "with it" : verdict.rawValue
            if !texts.isEmpty { reasons.append("\(words): \(texts.joined(separator: ", "))") }
        }
        if let old = before.seed, let new = after.seed, old != new {
            reasons.append("seeds differ (\(old), then \(new)); repeat with --seed \(old)")
        }
        lead.reason = GateText.joined(reasons)
        lines.append(lead)
    }

    private mutating func compareCounted(_ before: FigureCell, _ after: FigureCell) {
        if after.counted.isEmpty {
            for figure in before.counted.first?.figures ?? [] {
                add(
                    after, .missing, figure, figure.value, nil, fails: !rules.allowsMissing,
                    ["the candidate does not count it"])
            }
        }
        for new in after.counted {
            let alike = before.counted.first {
                $0.machine == new.machine || rules.allowsOtherMachine && $0.machine.allocator == new.machine.allocator
            }
            guard alike == nil, let other = before.counted.first else {
                lines += differences(alike?.figures ?? [], new.figures, after)
                continue
            }
            unlike[[other.machine, new.machine], default: 0] += new.figures.count
            for figure in new.figures where rules.isStrict {
                add(
                    after, .incomparable, figure, nil, figure.value, fails: true,
                    ["the baseline was counted on another machine (\(other.machine), now \(new.machine))"])
            }
        }
    }

    private mutating func add(
        _ cell: FigureCell, _ verdict: GateLine.Verdict, _ figure: ResultFigure? = nil,
        _ before: ResultFigure.Value? = nil, _ after: ResultFigure.Value? = nil, fails: Bool, _ reasons: [String?]
    ) {
        lines.append(line(cell, verdict, figure, before, after, fails: fails, reasons))
    }

    private func line(
        _ cell: FigureCell, _ verdict: GateLine.Verdict, _ figure: ResultFigure?, _ before: ResultFigure.Value?,
        _ after: ResultFigure.Value?, fails: Bool, _ reasons: [String?]
    ) -> GateLine {
        GateLine(
            subject: cell.identity.subject, parameters: cell.identity.parameters, place: cell.identity.place,
            figure: figure?.name ?? "", unit: figure?.unit ?? "", baseline: before, candidate: after, verdict: verdict,
            fails: fails, reason: GateText.joined(reasons), command: cell.command)
    }

    /// Whether an exception allows that a figure is worse, and what it says of that. A change of nil has no size.
    private mutating func exception(
        for figure: String, of cell: FigureCell.Identity, change: Double??
    ) -> (isAllowed: Bool, reason: String?) {
        let near = rules.exceptions.indices.filter { rules.exceptions[$0].covers(cell) }
        guard let index = near.first(where: { rules.exceptions[$0].covers(figure) }) else {
            let other = near.map { rules.exceptions[$0] }.first { !$0.figures.isEmpty }
            return (
                false,
                other.map {
                    "the exception at \($0.source) covers \($0.figures.sorted().joined(separator: ", ")) alone"
                }
            )
        }
        usedExceptions.insert(index)
        let exception = rules.exceptions[index]
        if exception.until < rules.today {
            return (false, "the exception at \(exception.source) ended on \(exception.until): \(exception.reason)")
        }
        // What has no size, such as a check that fails or a cell that is gone, is allowed as it is.
        if let change, abs(change ?? .infinity) > exception.worseBy {
            return (false, "the exception at \(exception.source) allows \(GateText.percent(exception.worseBy)) alone")
        }
        return (true, "allowed until \(exception.until), because \(exception.reason)")
    }

    /// What a reader must know beside the lines, a sentence each.
    var notes: [String] {
        var notes: [String] = []
        if timedFigures > 0 {
            notes.append(
                GateText.counted(timedFigures, "figure that depends on time was", "figures that depend on time were")
                    + " left out, since two recorded times say nothing: 'assay gate --against' measures them side by side"
            )
        }
        if cellsOfOtherParameters > 0 {
            notes.append(
                GateText.counted(cellsOfOtherParameters, "cell has", "cells have")
                    + " other parameters than in the baseline")
        }
        for (machines, count) in unlike.sorted(by: { $0.key.description < $1.key.description }) {
            let figures = GateText.counted(
                count, "figure that depends on the machine was", "figures that depend on the machine were")
            notes.append(
                "\(figures) not compared: counted on \(machines[0]), and now on \(machines[1]). "
                    + (machines[0].allocator != machines[1].allocator
                        ? "Figures of two allocators are not comparable; record a baseline with this one, too"
                        : "Record a baseline on this machine, too, or compare all the same with --allow-other-machine"))
        }
        for name in rules.tolerances.keys.sorted() where !compared.contains(name) {
            notes.append("the tolerance of \(name) does nothing: no such figure was compared")
        }
        for (index, exception) in rules.exceptions.enumerated() where !usedExceptions.contains(index) {
            notes.append(
                "nothing needs the exception at \(exception.source) for \(exception.subject) any more: take it out")
        }
        return notes
    }
}

extension FigureCell {
    /// The figure that says that the cell failed.
    fileprivate var failedAs: ResultFigure? { figures.first { $0.name == "failure" } }

    fileprivate var parametersInWords: String {
        identity.parameters.isEmpty
            ? "the baseline had its default parameters" : "the baseline had \(identity.parameters)"
    }
}

extension GateLine {
    /// `hits 10 → 9 (−10.00 %)`.
    fileprivate var changeText: String {
        guard let baseline, let candidate else { return "\(figure) \((baseline ?? candidate)?.text ?? "")" }
        let change = baseline.change(to: candidate).map { " (\(GateText.percent($0, signed: true)))" } ?? ""
        return "\(figure) \(baseline.text) → \(candidate.text)\(change)"
    }
}

/// Outcomes of checks.
private enum CheckWord {
    private static let negative: Set = ["fail", "crashed", "hung"]

    static func verdict(_ old: String, _ new: String) -> GateLine.Verdict {
        if new == "pass" { return .better }
        if old == "pass" || negative.contains(new) && !negative.contains(old) { return .worse }
        return .changed
    }
}

/// Numbers in reasons.
private enum GateText {
    /// `12.34 %`; with a sign `+12.34 %` or `−12.34 %`. Small ones have four digits.
    static func percent(_ fraction: Double, signed: Bool = false) -> String {
        let sign = fraction < 0 ? "−" : signed ? "+" : ""
        return sign + String(format: "%.*f %%", abs(fraction) < 0.0001 ? 4 : 2, abs(fraction) * 100)
    }

    /// `1 cell has` or `3 cells have`.
    static func counted(_ count: Int, _ one: String, _ several: String) -> String {
        "\(count) \(count == 1 ? one : several)"
    }

    /// Reasons in one text; nil for none.
    static func joined(_ reasons: [String?]) -> String? {
        let known = reasons.compactMap(\.self)
        return known.isEmpty ? nil : known.joined(separator: "; ")
    }

    /// `hit ratio 50.30 → 48.31 %`, if both sides counted the same requests.
    static func ratios(_ before: FigureCell, _ after: FigureCell) -> String? {
        func number(_ name: String, _ cell: FigureCell) -> Double? {
            cell.figures.first { $0.name == name }?.value.number
        }
        guard let requests = number("requests", before), requests > 0, requests == number("requests", after),
            let old = number("hits", before), let new = number("hits", after)
        else { return nil }
        return String(format: "hit ratio %.2f → %.2f %%", old / requests * 100, new / requests * 100)
    }
}
