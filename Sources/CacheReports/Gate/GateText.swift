internal import CacheGate
internal import Foundation

/// What all outputs of a gate say in the same words: the order of lines, values, changes and the verdict.
struct GateText {
    /// The verdict of a gate as a whole.
    enum Status: String {
        case pass, fail
        /// What fails, fails only because it is undecided; or something is undecided and may be.
        case undecided
    }

    let outcome: GateOutcome
    /// What fails first, then the worst first.
    let lines: [GateLine]
    /// Neighbouring lines of one cell with one command.
    let groups: [[GateLine]]

    init(_ outcome: GateOutcome) {
        self.outcome = outcome
        lines = outcome.lines.enumerated()
            .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
        groups = lines.reduce(into: []) { groups, line in
            if let last = groups.last?.last, Self.isSameCell(last, line) {
                groups[groups.count - 1].append(line)
            } else {
                groups.append([line])
            }
        }
    }

    var status: Status {
        if lines.contains(where: { $0.fails && $0.verdict != .undecided }) { return .fail }
        return lines.contains { $0.verdict == .undecided } ? .undecided : .pass
    }

    /// `FAIL: 2 figures worse, 1 cell missing; 1,204 figures of 96 cells compared`.
    var verdict: String {
        let counts = GateLine.Verdict.allCases.compactMap { verdict -> String? in
            let found = lines.filter { $0.verdict == verdict }
            let cells = found.count { $0.figure.isEmpty }
            let parts = [
                cells < found.count ? HumanFormat.counted(found.count - cells, "figure", "figures") : nil,
                cells > 0 ? HumanFormat.counted(cells, "cell", "cells") : nil,
            ].compactMap { $0 }
            return parts.isEmpty ? nil : parts.joined(separator: " and ") + " " + verdict.rawValue
        }
        let moved = HumanFormat.counted(outcome.toleratedFigures, "figure", "figures")
        let nothing =
            outcome.toleratedFigures > 0 ? "nothing differs by more than it may (\(moved) moved)" : "nothing differs"
        let found = counts.isEmpty && outcome.comparedFigures > 0 ? [nothing] : counts
        let parts = [found.joined(separator: ", "), compared].filter { !$0.isEmpty }
        return "\(status.rawValue.uppercased()): \(parts.joined(separator: "; "))"
    }

    /// `1,204 figures of 96 cells compared`.
    var compared: String {
        guard outcome.comparedFigures > 0 else { return "nothing was compared" }
        return HumanFormat.counted(outcome.comparedFigures, "figure", "figures") + " of "
            + HumanFormat.counted(outcome.comparedCells, "cell", "cells") + " compared"
    }

    /// Whether any line was measured side by side.
    var hasIntervals: Bool { lines.contains { Self.interval($0) != nil } }

    private static func isSameCell(_ a: GateLine, _ b: GateLine) -> Bool {
        (a.subject, a.parameters, a.command) == (b.subject, b.parameters, b.command) && a.place == b.place
            && a.fails == b.fails
    }

    /// `s3fifo:small=0.2`.
    static func subject(_ line: GateLine) -> String {
        line.parameters.isEmpty ? line.subject : "\(line.subject):\(line.parameters)"
    }

    /// `capacity=5% trace=zipf-1.0`, without the digest: names tell traces apart within one outcome.
    static func place(_ line: GateLine) -> String {
        line.place.filter { $0.key != "trace-digest" }.sorted { $0.key < $1.key }
            .map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    /// `p99 (ns)`.
    static func figure(_ line: GateLine) -> String {
        line.unit.isEmpty ? line.figure : "\(line.figure) (\(line.unit))"
    }

    /// Both values, with as many digits as tell them apart.
    static func values(_ line: GateLine) -> (baseline: String, candidate: String) {
        guard line.baseline != nil || line.candidate != nil else { return ("", "") }
        let digits = (2...12).first {
            line.baseline == line.candidate || text(line.baseline, $0) != text(line.candidate, $0)
        }
        return (text(line.baseline, digits ?? 12), text(line.candidate, digits ?? 12))
    }

    /// `−10 (−4.00 %)`; empty where there are no two numbers.
    static func change(_ line: GateLine) -> String {
        guard let before = line.baseline?.number, let after = line.candidate?.number else { return "" }
        var amount = number(abs(after - before), 2)
        if case .count(let before) = line.baseline, case .count(let after) = line.candidate {
            let (delta, isTooLarge) = after.subtractingReportingOverflow(before)
            if !isTooLarge { amount = HumanFormat.count(delta).replacing("−", with: "") }
        }
        if after == before { return "±0" }
        let text = (after < before ? "−" : "+") + amount
        let relative = (after - before) / abs(before)
        guard relative.isFinite, abs(relative) < 1e6 else { return text }
        let digits = (2...9).first { HumanFormat.fixed(abs(relative) * 100, $0).contains { "1"..."9" ~= $0 } } ?? 2
        return "\(text) (\(HumanFormat.signed(relative * 100, digits)) %)"
    }

    /// `×1.030 to ×1.070`; nil for what was not measured side by side.
    static func interval(_ line: GateLine) -> String? {
        guard let ratios = line.ratioInterval, ratios.count == 2 else { return nil }
        return ratios.map { "×" + ($0 < 1e6 ? HumanFormat.fixed($0, 3) : "\($0)") }.joined(separator: " to ")
    }

    /// `hits: 250 → 240, −10 (−4.00 %)`, with the interval and the reason.
    static func detail(_ line: GateLine) -> String {
        let (baseline, candidate) = values(line)
        let change = change(line)
        let figure =
            line.figure.isEmpty
            ? "the whole cell is \(line.verdict.rawValue)"
            : baseline.isEmpty ? Self.figure(line) : "\(Self.figure(line)): \(baseline) → \(candidate)"
        return [figure, change.isEmpty ? nil : change, interval(line).map { "ratio \($0)" }, line.reason]
            .compactMap { $0 }.joined(separator: ", ").onOneLine
    }

    /// The command of a cell on its line; nil if nobody knows one.
    static func command(_ line: GateLine) -> String? {
        guard !line.command.isEmpty else { return nil }
        // A command that is shown differs in no character from the one that repeats the line.
        return line.command.onOneLine == line.command
            ? line.command : "(the command has characters that cannot be shown here; the JSON has it)"
    }

    private static func text(_ value: ResultFigure.Value?, _ digits: Int) -> String {
        switch value {
        case nil: HumanFormat.absent
        case .count(let count): HumanFormat.count(count)
        case .real(let real): number(real, digits)
        case .word(let word): word
        }
    }

    private static func number(_ value: Double, _ digits: Int) -> String {
        let size = abs(value)
        guard size < 9e15 else { return "\(value)" }
        if value == value.rounded() { return HumanFormat.count(value) }
        return size < 0.01 ? String(format: "%.\(digits + 1)g", value) : HumanFormat.fixed(value, digits)
    }
}

extension String {
    /// At most so many scalars, with an ellipsis for what is gone.
    func limited(to count: Int) -> String {
        unicodeScalars.count <= count ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(count))) + "…"
    }

    /// The text without what GitHub's runner would obey in the middle of a line of output.
    var withoutRunnerCommands: String { replacing("##[", with: "##\\u005b") }
}
