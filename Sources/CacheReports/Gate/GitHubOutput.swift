internal import CacheCore
internal import CacheGate

/// Annotations of a GitHub workflow: an error for each cell that fails, a warning for each that is unsure, and the verdict.
///
/// GitHub shows ten of a kind in a step. Where there are more, the tenth sums up the rest.
enum GitHubOutput {
    private static let annotationsMax = 10

    static func render(_ outcome: GateOutcome) -> String {
        let text = GateText(outcome)
        let unsure = text.groups.filter { group in
            group.contains { !$0.fails && ![.added, .better, .same].contains($0.verdict) }
        }
        let lines =
            annotations("error", text.groups.filter { $0[0].fails }) + annotations("warning", unsure)
            + [annotation("notice", "assay gate", ([text.verdict] + outcome.notes).joined(separator: "\n"))]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func annotations(_ kind: String, _ groups: [[GateLine]]) -> [String] {
        let shown = groups.count > annotationsMax ? annotationsMax - 1 : groups.count
        let rest = groups.dropFirst(shown)
        let what = kind == "error" ? "failing" : "unsure"
        let sum = HumanFormat.counted(rest.count, "more \(what) cell", "more \(what) cells")
        return groups.prefix(shown).map { group in
            let title = "\(GateText.subject(group[0])), \(GateText.place(group[0])): \(group[0].verdict.rawValue)"
            let command = GateText.command(group[0]).map { ["Repeat: \($0)"] } ?? []
            return annotation(kind, title, (group.map(GateText.detail) + command).joined(separator: "\n"))
        }
            + (rest.isEmpty ? [] : [annotation(kind, "assay gate", "\(sum): see the job's summary.")])
    }

    private static func annotation(_ kind: String, _ title: String, _ message: String) -> String {
        let property = data(title.onOneLine, at: 200).replacing(":", with: "%3A").replacing(",", with: "%2C")
        return "::\(kind) title=\(property)::\(data(message.terminalSafe, at: 4000))".withoutRunnerCommands
    }

    /// Works on bytes of one line: the runner reads `%25`, `%0D` and `%0A` alone as escapes.
    private static func data(_ text: String, at length: Int) -> String {
        text.limited(to: length).replacing("%", with: "%25").replacing("\r", with: "%0D").replacing("\n", with: "%0A")
    }
}
