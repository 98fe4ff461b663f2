internal import CacheCore

/// Judges cells under the rules of a gate, and keeps what it found.
struct GateJudge {
    let rules: GateRules
    private(set) var lines: [GateLine] = []
    private(set) var comparedFigures = 0
    private(set) var comparedCells = 0
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
            let figuresBefore = comparedFigures
            let exact = differences(before.figures, after.figures, after.identity)
            fold(exact, before, after)
            compareCounted(before, after)
            guard comparedFigures == figuresBefore, exact.isEmpty else { return comparedCells += 1 }
            add(
                after, .incomparable, fails: rules.isStrict,
                ["nothing of this cell is compared: its figures are times", reason])
        }
    }

    /// One figure that is not what it was.
    private struct Difference {
        var figure: ResultFigure
        var before: ResultFigure.Value?
        var after: ResultFigure.Value?
        var verdict: GateLine.Verdict
        var fails: Bool
        var reason: String?

        /// `hits 10 → 9 (−10.00 %)`.
        var text: String {
            guard let before, let after else { return "\(figure.name) \((before ?? after)?.text ?? "")" }
            let change = before.change(to: after).map { " (\(GateText.percent($0, signed: true)))" } ?? ""
            return "\(figure.name) \(before.text) → \(after.text)\(change)"
        }
    }

    private mutating func differences(
        _ before: [ResultFigure], _ after: [ResultFigure], _ cell: FigureCell.Identity
    ) -> [Difference] {
        let old = Dictionary(before.map { ($0.name, $0) }) { first, _ in first }
        let new = Dictionary(after.map { ($0.name, $0) }) { first, _ in first }
        let names = Set(old.keys).union(new.keys).sorted { (FigureKinds.rank($0), $0) < (FigureKinds.rank($1), $1) }
        var found: [Difference] = []
        for name in names {
            guard let figure = new[name] ?? old[name] else { continue }
            if figure.kind == .timed {
                if old[name] != nil, new[name] != nil { timedFigures += 1 }
                continue
            }
            guard let a = old[name]?.value, let b = new[name]?.value else {
                let isMissing = old[name] != nil
                let fails = isMissing ? !rules.allowsMissing : rules.isStrict
                found.append(
                    Difference(
                        figure: figure, before: old[name]?.value, after: new[name]?.value,
                        verdict: isMissing ? .missing : .added, fails: fails))
                continue
            }
            comparedFigures += 1
            compared.insert(name)
            guard let verdict = verdict(figure, a, b) else { continue }
            var difference = Difference(
                figure: figure, before: a, after: b, verdict: verdict, fails: verdict == .worse || rules.isStrict)
            if verdict == .worse {
                let change: Double?? = a.number == nil ? nil : .some(a.change(to: b))
                let (isAllowed, reason) = exception(for: name, of: cell, change: change)
                difference.reason = reason
                if isAllowed { difference.fails = false }
            }
            found.append(difference)
        }
        return found
    }

    /// How a figure moved; nil if it did not move further than it may.
    private func verdict(
        _ figure: ResultFigure, _ before: ResultFigure.Value, _ after: ResultFigure.Value
    ) -> GateLine.Verdict? {
        if before.isSame(as: after) { return nil }
        guard let old = before.number, let new = after.number else {
            if case (.word(let old), .word(let new)) = (before, after) { return CheckWord.verdict(old, new) }
            return .changed
        }
        if abs(new - old) <= abs(old) * rules.tolerance(figure.name) { return nil }
        return switch figure.better {
        case .less: new > old ? .worse : .better
        case .more: new < old ? .worse : .better
        case .same: .worse
        case .neither: .changed
        }
    }

    /// Makes one line of the exact figures of a cell: that of the worst, which names the others.
    private mutating func fold(_ differences: [Difference], _ before: FigureCell, _ after: FigureCell) {
        guard !differences.isEmpty else { return }
        let order = GateLine.Verdict.allCases
        let sorted = differences.enumerated().sorted { a, b in
            let (first, second) = (a.element, b.element)
            if first.fails != second.fails { return first.fails }
            return (order.firstIndex(of: first.verdict) ?? 0, a.offset) < (
                order.firstIndex(of: second.verdict) ?? 0, b.offset
            )
        }.map(\.element)
        let lead = sorted[0]
        var reasons: [String?] = [lead.figure.name == "hits" ? GateText.ratios(before, after) : nil, lead.reason]
        if before.identity.parameters != after.identity.parameters { reasons.append(before.parametersInWords) }
        for verdict in order {
            let others = sorted.dropFirst().filter { $0.verdict == verdict }
            let texts = others.map { $0.text + ($0.reason.map { " (\($0))" } ?? "") }
            if !texts.isEmpty { reasons.append("\(verdict.rawValue): \(texts.joined(separator: ", "))") }
        }
        if let old = before.seed, let new = after.seed, old != new {
            reasons.append("seeds differ (\(old), then \(new)); repeat with --seed \(old)")
        }
        add(after, lead.verdict, lead.figure, lead.before, lead.after, fails: lead.fails, reasons)
    }

    private mutating func compareCounted(_ before: FigureCell, _ after: FigureCell) {
        guard let new = after.counted.first else {
            for figure in before.counted.first?.figures ?? [] {
                add(
                    after, .missing, figure, figure.value, nil, fails: !rules.allowsMissing,
                    ["the candidate does not count it"])
            }
            return
        }
        var old = before.counted.first { $0.machine == new.machine }
        if old == nil, rules.allowsOtherMachine {
            old = before.counted.first { $0.machine.allocator == new.machine.allocator }
        }
        if old == nil, let other = before.counted.first {
            unlike[[other.machine, new.machine], default: 0] += new.figures.count
            guard rules.isStrict else { return }
            for figure in new.figures {
                add(
                    after, .incomparable, figure, nil, figure.value, fails: true,
                    ["the baseline was counted on another machine (\(other.machine), now \(new.machine))"])
            }
            return
        }
        for difference in differences(old?.figures ?? [], new.figures, after.identity) {
            add(
                after, difference.verdict, difference.figure, difference.before, difference.after,
                fails: difference.fails, [difference.reason])
        }
    }

    private mutating func add(
        _ cell: FigureCell, _ verdict: GateLine.Verdict, _ figure: ResultFigure? = nil,
        _ before: ResultFigure.Value? = nil, _ after: ResultFigure.Value? = nil, fails: Bool, _ reasons: [String?]
    ) {
        let text = reasons.compactMap(\.self).joined(separator: "; ")
        lines.append(
            GateLine(
                subject: cell.identity.subject, parameters: cell.identity.parameters, place: cell.identity.place,
                figure: figure?.name ?? "", unit: figure?.unit ?? "", baseline: before, candidate: after,
                verdict: verdict, fails: fails, reason: text.isEmpty ? nil : text, command: cell.command))
    }

    /// Whether an exception allows that a figure is worse, and what it says of that. A change of nil has no size.
    private mutating func exception(
        for figure: String, of cell: FigureCell.Identity, change: Double??
    ) -> (isAllowed: Bool, reason: String?) {
        guard let index = rules.exceptions.firstIndex(where: { $0.covers(figure, of: cell) }) else {
            return (false, nil)
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
                "\(GateText.counted(timedFigures, "figure")) that depend\(timedFigures == 1 ? "s" : "") on time "
                    + "\(timedFigures == 1 ? "was" : "were") left out, since two recorded times say nothing: "
                    + "'assay gate --against' measures them side by side")
        }
        if cellsOfOtherParameters > 0 {
            let isOne = cellsOfOtherParameters == 1
            notes.append(
                "\(GateText.counted(cellsOfOtherParameters, "cell")) \(isOne ? "has" : "have") other parameters "
                    + "than in the baseline"
            )
        }
        for (machines, count) in unlike.sorted(by: { $0.key.description < $1.key.description }) {
            let isOther = machines[0].allocator != machines[1].allocator
            notes.append(
                "\(GateText.counted(count, "figure")) that depend\(count == 1 ? "s" : "") on the machine "
                    + "\(count == 1 ? "was" : "were") not compared: counted on \(machines[0]), and now on \(machines[1]). "
                    + (isOther
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
enum GateText {
    /// `12.34 %`; with a sign `+12.34 %` or `−12.34 %`. Small ones have four digits.
    static func percent(_ fraction: Double, signed: Bool = false) -> String {
        let sign = fraction < 0 ? "−" : signed ? "+" : ""
        return sign + fixed(abs(fraction) * 100, abs(fraction) < 0.0001 ? 4 : 2) + " %"
    }

    /// `1 cell` or `3 cells`.
    static func counted(_ count: Int, _ noun: String) -> String { count == 1 ? "1 \(noun)" : "\(count) \(noun)s" }

    /// `hit ratio 50.30 → 48.31 %`, if both sides counted the same requests.
    static func ratios(_ before: FigureCell, _ after: FigureCell) -> String? {
        func number(_ name: String, _ cell: FigureCell) -> Double? {
            cell.figures.first { $0.name == name }?.value.number
        }
        guard let requests = number("requests", before), requests > 0, requests == number("requests", after),
            let old = number("hits", before), let new = number("hits", after)
        else { return nil }
        return "hit ratio \(fixed(old / requests * 100, 2)) → \(fixed(new / requests * 100, 2)) %"
    }

    private static func fixed(_ value: Double, _ digits: Int) -> String {
        guard value < 1e14 else { return "\(value)" }
        let scale = digits == 4 ? 10_000.0 : 100.0
        let whole = Int((value * scale).rounded())
        let rest = String(whole % Int(scale))
        return "\(whole / Int(scale))." + String(repeating: "0", count: digits - rest.count) + rest
    }
}
