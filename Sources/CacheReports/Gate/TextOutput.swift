internal import CacheGate

/// A gate's verdict as a table, the worst first, and below each cell that fails the command that repeats it.
enum TextOutput {
    static func render(_ outcome: GateOutcome, width: Int?, isColored: Bool) -> String {
        let text = GateText(outcome)
        var lines = ["baseline   \(outcome.baseline.onOneLine)", "candidate  \(outcome.candidate.onOneLine)"]
        lines += outcome.notes.map { "note: \($0.onOneLine)" }
        if !text.lines.isEmpty { lines += [""] + table(text, width, isColored) + [""] }
        lines.append(
            text.status == .pass ? Ansi.green(text.verdict, isColored) : Ansi.red(text.verdict, isColored))
        return lines.joined(separator: "\n").withoutRunnerCommands + "\n"
    }

    private static func table(_ text: GateText, _ width: Int?, _ isColored: Bool) -> [String] {
        var table = TextTable(
            columns: [
                .init("verdict", isNumeric: false), .init("subject", isNumeric: false),
                .init("where", isNumeric: false), .init("figure", isNumeric: false), .init("baseline"),
                .init("candidate"), .init("change"),
            ] + (text.hasIntervals ? [.init("ratio")] : []))
        var commands: [Int: String] = [:]
        for group in text.groups {
            for (index, line) in group.enumerated() {
                if line.fails { table.alarming.insert(table.rows.count) }
                table.remarks[table.rows.count] = line.reason
                let cell = index == 0 ? [GateText.subject(line), GateText.place(line)] : ["", ""]
                let (baseline, candidate) = GateText.values(line)
                table.rows.append(
                    [line.verdict.rawValue] + cell
                        + [GateText.figure(line), baseline, candidate, GateText.change(line)]
                        + (text.hasIntervals ? [GateText.interval(line) ?? ""] : []))
            }
            if group[0].fails { commands[table.rows.count] = GateText.command(group[0]) }
        }
        return table.lines(width: width, isColored: isColored).enumerated().flatMap { row, line in
            [line] + (commands[row].map { ["  repeat: \($0)"] } ?? [])
        }
    }
}
