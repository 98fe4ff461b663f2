public import CacheCore

/// A gate's verdict as text for a terminal: what differs, worst first, and what the gate decided.
public enum GateReport {
    /// The verdict as text that ends with a newline.
    ///
    /// - Parameters:
    ///   - width: The terminal's width in characters; nil never cuts a line.
    ///   - isColored: Whether to use ANSI colours; pass false when the output is piped.
    public static func render(_ results: GateResults, width: Int? = nil, isColored: Bool = false) -> String {
        var lines = header(results)
        lines += (results.notes ?? []).map { "note: \($0.onOneLine)" }
        for mismatch in results.incomparableTraces {
            let formats = mismatch.formats.map { ", read as \($0[0]) and now as \($0[1])".onOneLine } ?? ""
            lines.append(
                "! \(mismatch.trace.onOneLine): not the same input\(formats), nothing compared "
                    + "(digest \(mismatch.baselineDigest.prefix(12))… then \(mismatch.candidateDigest.prefix(12))…)")
        }
        let table = differences(results)
        if !table.rows.isEmpty { lines += [""] + table.lines(width: width, isColored: isColored) + [""] }
        lines += notCompared(results)
        lines += throughput(results)
        lines.append(verdict(results, isColored: isColored))
        return lines.joined(separator: "\n") + "\n"
    }

    private static func header(_ results: GateResults) -> [String] {
        let rules = results.rules
        var lines = [
            "baseline   \(side(results.baseline))", "candidate  \(side(results.candidate))",
            "rules      counts equal, bytes per entry within \(HumanFormat.percent(rules.bytesPerEntryTolerance)), "
                + "times not judged" + (rules.isStrict ? ", any difference fails" : "")
                + (rules.allowsMissing ? ", missing cells allowed" : ""),
        ]
        if results.baseline.status == .interrupted {
            lines.append("! The baseline was interrupted: cells that it lacks are not guarded.")
        }
        return lines
    }

    private static func side(_ side: GateSide) -> String {
        "\(side.source.onOneLine) (assay \(side.assayVersion), \(side.startedAt))"
    }

    private static func differences(_ results: GateResults) -> TextTable {
        var table = TextTable(columns: [
            .init("verdict", isNumeric: false), .init("trace", isNumeric: false), .init("policy", isNumeric: false),
            .init("backend", isNumeric: false, expendability: 1), .init("capacity", isNumeric: false),
            .init("figure", isNumeric: false), .init("baseline"), .init("candidate"), .init("change"),
        ])
        for cell in results.cells where cell.verdict != .equal && cell.verdict != .incomparable {
            for (index, row) in rows(cell).enumerated() {
                if results.rules.forbids(cell.verdict) { table.alarming.insert(table.rows.count) }
                if let remark = remark(cell) { table.remarks[table.rows.count] = remark }
                table.rows.append(index == 0 ? identity(cell) + row : Array(repeating: "", count: 5) + row)
            }
        }
        return table
    }

    private static func identity(_ cell: GateCell) -> [String] {
        [
            word(cell.verdict), cell.trace.onOneLine, policy(cell), cell.backend.onOneLine,
            "\(HumanFormat.count(cell.capacity)) \(cell.capacityUnit.rawValue)",
        ]
    }

    /// The policy with its parameters and admission.
    static func policy(_ cell: GateCell) -> String {
        let admission = cell.admission == "always" || cell.admission.isEmpty ? "" : " + \(cell.admission)"
        return (cell.policy + (cell.parameters.isEmpty ? "" : "(\(cell.parameters))") + admission).onOneLine
    }

    private static func rows(_ cell: GateCell) -> [[String]] {
        guard cell.failure == nil, !cell.differences.isEmpty else { return [["", "", "", ""]] }
        return cell.differences.map { [$0.figure, number($0.baseline), number($0.candidate), change($0)] }
    }

    /// The verdict as one or two words.
    static func word(_ verdict: GateCell.Verdict) -> String {
        switch verdict {
        case .stillFailing: "still failing"
        default: verdict.rawValue
        }
    }

    private static func remark(_ cell: GateCell) -> String? {
        if let failure = cell.failure { return "\(failure.kind.rawValue): \(failure.message.onOneLine)" }
        guard cell.differences.isEmpty else { return nil }
        return switch cell.verdict {
        case .added: "not in the baseline"
        case .dropped: "not in the candidate, allowed"
        case .missing: "not in the candidate"
        case .improvement: "failed in the baseline"
        default: nil
        }
    }

    /// A figure without needless digits.
    static func number(_ value: Double?) -> String {
        guard let value else { return "not measured" }
        return value == value.rounded() && abs(value) < 9e15
            ? HumanFormat.count(value) : HumanFormat.fixed(value, 2)
    }

    /// `−123 (−4.5 %)`.
    static func change(_ difference: FigureDifference) -> String {
        guard let candidate = difference.candidate else { return "" }
        let delta = candidate - difference.baseline
        let amount = (delta > 0 ? "+" : "") + number(delta)
        guard let relative = difference.relativeChange else { return amount }
        let digits = abs(relative) < 0.0001 ? 4 : 2
        return "\(amount) (\(HumanFormat.signed(relative * 100, digits)) %)"
    }

    private static func notCompared(_ results: GateResults) -> [String] {
        var counts: [String: Int] = [:]
        for reason in results.cells.flatMap(\.notCompared) { counts[reason, default: 0] += 1 }
        return counts.sorted { $0.key < $1.key }.map {
            "note: \($0.key.onOneLine) (\(HumanFormat.counted($0.value, "cell", "cells")))"
        }
    }

    private static func throughput(_ results: GateResults) -> [String] {
        let ratios = results.cells.compactMap { cell -> Double? in
            guard let before = cell.baselineRequestsPerSecond, let after = cell.candidateRequestsPerSecond, before > 0
            else { return nil }
            return after / before
        }.sorted()
        guard let low = ratios.first, let high = ratios.last, let median = ratios.median else { return [] }
        return [
            "requests/s, for information only: median ×\(HumanFormat.fixed(median, 2)) over \(ratios.count) cells "
                + "(×\(HumanFormat.fixed(low, 2)) to ×\(HumanFormat.fixed(high, 2)))"
        ]
    }

    private static func verdict(_ results: GateResults, isColored: Bool) -> String {
        let order: [GateCell.Verdict] = [
            .regression, .missing, .incomparable, .stillFailing, .change, .improvement, .dropped, .added, .equal,
        ]
        let counts = order.compactMap { verdict -> String? in
            let count = results.count(verdict)
            let isNoun = [.regression, .change, .improvement].contains(verdict)
            return count == 0 ? nil : HumanFormat.counted(count, word(verdict), word(verdict) + (isNoun ? "s" : ""))
        }
        let text = "\(results.passes ? "PASS" : "FAIL"): \(counts.joined(separator: ", "))"
        return results.passes ? Ansi.green(text, isColored) : Ansi.red(text, isColored)
    }
}
