internal import CacheGate

// `conformance.csv`, and what `assay history export` writes.
extension CSVReport {
    static let conformance = CSVFile<(ConformanceFindings, ConformanceFindings.Row, ConformanceFindings.Failure?)>(
        name: "conformance.csv", summary: "What `assay conform --csv` found out about one subject: one row a check.",
        columns: [
            .text("subject", "The subject's name.") { $0.0.subject },
            .text("suite", "The suite's name.") { $0.0.suite },
            CSVColumn(name: "seed", kind: .integer, unit: "", meaning: "The seed of everything random.", absence: "") {
                "\($0.0.seed)"
            },
            .text("check", "The check's id, as `assay conform --explain` takes it.") { $0.1.id },
            CSVColumn(name: "revision", kind: .integer, unit: "", meaning: "The check's revision.", absence: "") {
                "\($0.1.revision)"
            },
            .text("section", "The section of the suite: the letters of the id.") { $0.1.section },
            .text("kind", "What the verdict means: `required`, `claimed`, `optimal` or `survey`.") { $0.1.kind },
            .text("assertion", "What must be so.") { $0.1.assertion },
            .text(
                "outcome",
                "`pass`, `fail`, `crashed`, `hung`, `blocked`, `inconclusive`, `not claimed` or `recorded`."
            ) { $0.1.outcome },
            .text("detail", "The reason, the finding, or the claims that are missing.", empty: "the check passed") {
                $0.1.detail
            },
            .text("observed", "What the subject did.", empty: "the check did not fail") { $0.2?.observed },
            .text("permitted", "What it was allowed to do.", empty: "the check did not fail") { $0.2?.permitted },
            .text("due_to", "The claims that made the check due.", empty: "the check did not fail") { $0.2?.dueTo },
            .text("known", "Why the failure is expected.", empty: "nobody expects it to fail") { $0.1.known },
        ])

    static let history = CSVFile<(FigureHistory, FigureHistory.Series, FigureHistory.Point, FigureHistory.Change?)>(
        name: "history.csv", summary: "What `assay history export` writes: one row a figure and commit.",
        columns: [
            .text("commit", "The commit's digest.") { commit($0).digest },
            .text("time", "When it was committed, as ISO 8601 in UTC.") { FigureHistoryRows.moment(commit($0)) },
            .text("title", "The first line of its message.", empty: "nobody knows it") { commit($0).title },
            .text("figure", "What is counted.") { $0.1.name },
            .text("unit", "The figure's unit.", empty: "it is a number of things, or a word") { $0.1.unit },
            .text("kind", "How values are compared: `exact`, `counted` or `timed`.") { $0.1.kind.rawValue },
            .text("better", "Which side is better.") { $0.1.better.rawValue },
            .text("subject", "What is judged, without its parameters.") { $0.1.subject },
            .text("parameters", "Its parameters at this commit.", empty: "it has none") { $0.2.parameters },
            .text("place", "Under what it was measured, `name=value;name=value` by name.") {
                $0.1.place.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ";")
            },
            .text("machine", "Where it was measured.", empty: "the figure is exact, the same everywhere") {
                $0.1.machine
            },
            .text("value", "The figure: a number, or the word of a check's outcome.") { plain($0.2.value) },
            .integer("is_change", "1 for the first commit with another value, 0 for the others.") {
                $0.3 == nil ? 0 : 1
            },
            .text("before", "The value before the change.", empty: noChange) { $0.3.map { plain($0.before) } },
            .text("after", "The value after the change.", empty: noChange) { $0.3.map { plain($0.after) } },
            .number(
                "chance", "How often noise alone would look so, from 0 to 1.",
                empty: "\(noChange), or the figure is exact"
            ) { $0.3?.chance },
        ])

    private static let noChange = "it did not change here"

    private static func commit(
        _ row: (FigureHistory, FigureHistory.Series, FigureHistory.Point, FigureHistory.Change?)
    ) -> FigureHistory.Commit { row.0.commits[row.2.commit] }

    static func plain(_ value: ResultFigure.Value) -> String {
        switch value {
        case .count(let count): "\(count)"
        case .real(let real): "\(real)"
        case .word(let word): word
        }
    }
}
