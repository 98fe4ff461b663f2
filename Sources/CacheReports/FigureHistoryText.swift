internal import CacheCore
public import CacheGate
internal import Foundation

/// Figures over commits as text: changes for a terminal, every value for a spreadsheet.
public enum FigureHistoryText {
    /// The changes, exact figures first, each with the commit that is the first to have the new value.
    ///
    /// - Parameter width: The width of the terminal; nil for none.
    public static func changes(_ history: FigureHistory, width: Int?, isColored: Bool) -> String {
        let document = FigureHistoryRows(history).document(assayVersion: "", commandLine: [])
        return TerminalReport.render(document, width: width, isColored: isColored)
    }

    /// Every value as CSV with a header row; lines end with CR LF.
    public static func csv(_ history: FigureHistory) -> String {
        CSVReport.history.text(
            history.series.flatMap { series in
                let changes = Dictionary(series.changes.map { ($0.point, $0) }) { $1 }
                return series.points.enumerated().map { (history, series, $0.element, changes[$0.offset]) }
            })
    }
}

/// The changes of a history in words.
struct FigureHistoryRows {
    /// A change in words.
    struct Row {
        var series: FigureHistory.Series
        var change: FigureHistory.Change
        var commit: FigureHistory.Commit

        /// The figure at the first commit that has the new value.
        var point: FigureHistory.Point { series.points[change.point] }
        var before: String { FigureHistoryRows.amount(change.before, series.unit) }
        var after: String { FigureHistoryRows.amount(change.after, series.unit) }
        var place: String { FigureHistoryRows.place(of: series) }
        var chance: String { change.chance.map { "≤ " + HumanFormat.percent($0, digits: 1) } ?? "" }

        var isExact: Bool { series.kind == .exact }

        /// By how much it changed, relative to what it was.
        var size: String {
            guard let old = change.before.number, let new = change.after.number, old != 0 else { return "" }
            return HumanFormat.signed((new / old - 1) * 100, 2) + " %"
        }

        var verdict: String {
            switch series.isWorse(change) {
            case true?: series.better == .same ? "other work" : "worse"
            case false?: "better"
            case nil: "changed"
            }
        }

        /// The parameters that changed with it; empty if none did.
        var parameters: String {
            func pairs(_ text: String) -> [String] { text.split { $0 == ";" || $0 == "," }.map(String.init) }
            let (old, new) = (pairs(series.points[change.point - 1].parameters), pairs(point.parameters))
            guard old != new else { return "" }
            let (lost, won) = (old.filter { !new.contains($0) }, new.filter { !old.contains($0) })
            return
                "\(lost.isEmpty ? "defaults" : lost.joined(separator: " ")) → \(won.isEmpty ? "defaults" : won.joined(separator: " "))"
        }
    }

    let history: FigureHistory
    /// The changes in the order of the commits; at one commit, what is worse comes first.
    let changes: [Row]

    init(_ history: FigureHistory) {
        self.history = history
        let rows = history.series.flatMap { series in
            series.changes.map {
                Row(series: series, change: $0, commit: history.commits[series.points[$0.point].commit])
            }
        }
        changes = rows.enumerated().sorted { a, b in
            let isWorse = (a.element.verdict != "worse", b.element.verdict != "worse")
            let order = (a.element.point.commit, isWorse.0 ? 1 : 0, a.offset)
            return order < (b.element.point.commit, isWorse.1 ? 1 : 0, b.offset)
        }.map(\.element)
    }

    /// What was found, in a sentence.
    var summary: String {
        let (commits, series) = (history.commits.count, history.series.count)
        let scope =
            "\(HumanFormat.counted(commits, "commit", "commits")), \(HumanFormat.counted(series, "figure", "figures"))"
        let count = changes.isEmpty ? "no change" : HumanFormat.counted(changes.count, "change", "changes")
        return "\(scope): \(count)."
    }

    static func amount(_ value: ResultFigure.Value, _ unit: String) -> String {
        let suffix = unit.isEmpty ? "" : " \(unit)"
        switch value {
        case .word(let word): return word
        case .count(let count): return unit == "ns" ? HumanFormat.nanoseconds(count) : HumanFormat.count(count) + suffix
        case .real(let real):
            if unit == "ns" { return HumanFormat.nanoseconds(real) }
            let isLarge = abs(real) >= 100_000
            return (isLarge ? HumanFormat.short(real) : HumanFormat.fixed(real, abs(real) >= 1 ? 2 : 4)) + suffix
        }
    }

    /// Under what a figure was measured, without the digest that nobody reads.
    static func place(of series: FigureHistory.Series) -> String {
        let pairs = series.place.filter { $0.key != "trace-digest" }.sorted { $0.key < $1.key }
        return (pairs.map { "\($0.key)=\($0.value)" } + [series.machine]).filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// `2026-11-26T09:30:00Z`.
    static func moment(_ commit: FigureHistory.Commit) -> String {
        Date(timeIntervalSince1970: Double(commit.time)).formatted(.iso8601)
    }

    /// `2026-11-26`.
    static func day(_ commit: FigureHistory.Commit) -> String { String(moment(commit).prefix { $0 != "T" }) }
}
