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
        let title = escaped(title.onOneLine.limited(to: 200), "%\r\n:,")
        let message = escaped(message.terminalSafe.limited(to: 4000), "%\r\n")
        return "::\(kind) title=\(title)::\(message)".withoutRunnerCommands
    }

    /// Text with some scalars written as `%0A`.
    private static func escaped(_ text: String, _ active: String) -> String {
        text.unicodeScalars.map { scalar in
            guard active.unicodeScalars.contains(scalar) else { return String(scalar) }
            return (scalar.value < 16 ? "%0" : "%") + String(scalar.value, radix: 16, uppercase: true)
        }.joined()
    }
}
