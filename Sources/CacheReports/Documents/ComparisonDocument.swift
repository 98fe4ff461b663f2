package import CacheCore
package import CacheGate

/// Several results of one kind side by side: a row a subject at a place, a column a file, and how far each is from the first.
package struct ComparisonDocument: Reportable {
    /// Results with the name that the comparison gives them.
    package struct Side: Sendable {
        var label: String
        var figures: FigureSet
        var environment: EnvironmentDescription?
        var startedAt: String?
        var commandLine: [String]

        /// Figures alone, as a report of `assay conform` has them.
        package init(label: String, figures: FigureSet) {
            (self.label, self.figures, commandLine) = (label, figures, [])
        }

        /// Results.
        ///
        /// - Throws: `AssayError` with code `badInput` for advice, which has no figures, and for contradicting ones.
        package init(label: String, results: some CombinableResults) throws(AssayError) {
            guard let figures = try results.figures(from: label) else {
                throw AssayError(
                    .badInput, "Advice has no figures to compare. Give advice on one question, or each by itself.",
                    at: .init(label))
            }
            self.init(label: label, figures: figures)
            (environment, startedAt, commandLine) = (results.environment, results.startedAt, results.commandLine)
        }
    }

    /// The most results that are compared.
    package static var sidesMax: Int { 9 }
    /// The most rows of one table; the CSV has all.
    private static var rowsMax: Int { 200 }

    private let sides: [Side]
    private let commandLine: [String]
    private let assayVersion: String
    private let compared: ComparedFigures
    /// What in a place tells rows apart.
    private let placeNames: [String]
    private let showsParameters: Set<String>

    /// A comparison of 2 to ``sidesMax`` results, which differences refer to the first of.
    package init(_ sides: [Side], commandLine: [String], assayVersion: String) {
        self.sides = sides
        self.commandLine = commandLine
        self.assayVersion = assayVersion
        compared = ComparedFigures(sides.map(\.figures))
        let cells = compared.rows.map(\.cell) + compared.partial.map(\.cell)
        let names = Set(cells.flatMap(\.place.keys)).subtracting(["kind", "trace-digest"])
        let first = ["trace", "suite", "check", "capacity"]
        placeNames = (first.filter(names.contains) + names.subtracting(first).sorted()).filter { name in
            name == "check" || Set(cells.map { $0.place[name] }).count > 1
        }
        var parameters: [String: Set<String>] = [:]
        for cell in cells { parameters[cell.subject, default: []].insert(cell.parameters) }
        showsParameters = Set(parameters.filter { $0.value.count > 1 }.keys)
    }

    package func document(_ options: ReportOptions) throws(AssayError) -> ReportDocument {
        try options.requireNoBaseline()
        let figures = compared.names.compactMap(section)
        return ReportDocument(
            title: "\(sides.dropFirst().map(\.label).joined(separator: ", ")) against \(sides[0].label)",
            subtitle: "Differences refer to \(sides[0].label).", assayVersion: assayVersion, answer: answer,
            notices: notices, sections: figures + partialSection + equalSection + environmentSection,
            closing: [
                compared.rows.contains { row in row.values.indices.contains { row.isBetter($0) == true } }
                    ? "* better than \(sides[0].label.onOneLine)" : nil
            ].compactMap(\.self), definitions: Self.definitions, command: commandLine,
            commandNote: "The same command on the same files gives the same comparison.",
            files: [.init(label: "CSV", name: "comparison.csv", text: csv())])
    }

    // MARK: - First screen

    private var exact: [ComparedFigures.Row] { compared.rows.filter(\.isExact) }

    private var answer: ReportDocument.Answer {
        let differing = exact.filter(\.differs)
        let hasTimes = compared.rows.contains { !$0.isExact }
        let certainty =
            (exact.isEmpty
                ? "Nothing here can be judged from files."
                : "Sure: the same work gives the same exact figures, to the last digit.")
            + (hasTimes ? " Times and memory are shown without a verdict." : "")
        let question = "What differs between \(sides.map(\.label).joined(separator: ", "))?"
        guard let most = largest(differing) else {
            return .init(
                question: question,
                sentence: exact.isEmpty
                    ? "No exact figure is in more than one of them."
                    : "Nothing: all \(HumanFormat.counted(exact.count, "exact figure", "exact figures")) that several of them have "
                        + "are equal.", figure: "0",
                figureName: "of \(HumanFormat.counted(exact.count, "exact figure", "exact figures")) differ",
                certainty: certainty)
        }
        let side = most.farthest.side
        let name = ComparedFigures.Row.title(most.name)
        return .init(
            question: question,
            sentence: "\(HumanFormat.count(differing.count)) of "
                + "\(HumanFormat.counted(exact.count, "exact figure", "exact figures")) "
                + "\(differing.count == 1 ? "differs" : "differ"), most the \(name) of \(subject(most.cell)): "
                + "\(most.text(0)) in \(sides[0].label) and \(most.text(side)) in \(sides[side].label).",
            figure: most.difference(side), figureName: "\(name) of \(subject(most.cell)) in \(sides[side].label)",
            certainty: certainty)
    }

    /// The row that is farthest apart, of the first figure that differs and has a better side.
    private func largest(_ rows: [ComparedFigures.Row]) -> ComparedFigures.Row? {
        let judged = rows.filter { row in row.values.indices.contains { row.isBetter($0) != nil } }
        let some = judged.isEmpty ? rows : judged
        let name = compared.names.first { name in some.contains { $0.name == name } }
        return some.filter { $0.name == name }.max { $0.farthest.distance < $1.farthest.distance }
    }

    private var notices: [ReportDocument.Notice] {
        var notices = sides.flatMap { $0.figures.notes.map { ReportDocument.Notice(tone: .warning, text: $0 + ".") } }
        if let first = sides[0].environment {
            let unlike = sides.filter { $0.environment.map(first.isUnlike) ?? false }.map(\.label)
            if !unlike.isEmpty {
                notices.append(
                    .init(
                        tone: .warning,
                        text:
                            "Another machine or build measured \(unlike.joined(separator: ", ")) than \(sides[0].label): "
                            + "see the environments."))
            }
        }
        for name in compared.unlikeTraces {
            notices.append(
                .init(
                    tone: .warning,
                    text: "The trace '\(name)' is not the same in all of them, so that it is not compared."))
        }
        if compared.rows.contains(where: { !$0.isExact && $0.differs }) {
            notices.append(
                .init(
                    tone: .plain,
                    text:
                        "Times and memory of different files are no verdict; 'assay gate --against' measures two builds side by "
                        + "side."))
        }
        return notices
    }

    // MARK: - Sections

    private func section(_ name: String) -> ReportDocument.Section? {
        let rows = compared.rows.filter { $0.name == name }
        let differing = rows.filter(\.differs).sorted { $0.farthest.distance > $1.farthest.distance }
        guard let first = rows.first, !differing.isEmpty else { return nil }
        let equal = rows.filter { !$0.differs }
        let title = ComparedFigures.Row.title(name)
        let goal =
            switch first.better {
            case .more: "More is better."
            case .less: "Less is better."
            case .same, .neither: ""
            }
        var blocks: [ReportDocument.Block] = [.table(.init(table: table(differing, "The \(title)")))]
        if differing.count > Self.rowsMax { blocks.append(.text(Self.leftOut(differing.count))) }
        if !equal.isEmpty {
            let title = "\(HumanFormat.counted(equal.count, "row", "rows")) with equal values"
            blocks.append(.table(.init(title: title, isOpen: false, table: table(equal, title, isOnTerminal: false))))
            if equal.count > Self.rowsMax { blocks.append(.text(Self.leftOut(equal.count))) }
        }
        let characters = name.map { (character: Character) -> Character in
            character.isASCII && (character.isLetter || character.isNumber) ? character : "-"
        }
        let verb = differing.count == 1 ? "differs" : "differ"
        let verdict = (first.isExact ? goal : "\(goal) No verdict.").trimmingStart
        return .init(
            id: "figure-\(String(characters))", title: title.prefix(1).uppercased() + title.dropFirst(),
            lead:
                "\(HumanFormat.count(differing.count)) of \(HumanFormat.counted(rows.count, "row", "rows")) \(verb). \(verdict)",
            blocks: blocks, isOnTerminal: first.isExact || rows.count <= 40)
    }

    private static func leftOut(_ count: Int) -> String {
        "The first \(HumanFormat.count(rowsMax)) of \(HumanFormat.count(count)) rows are shown; the CSV has all."
    }

    private func table(_ rows: [ComparedFigures.Row], _ caption: String, isOnTerminal: Bool = true) -> DataTable {
        let shown = rows.prefix(Self.rowsMax)
        func place(_ order: Int?) -> Int? { isOnTerminal ? order : nil }
        let columns =
            [DataTable.Column("Subject", isNumeric: false, terminal: place(0))]
            + placeNames.map { .init(Self.heading($0), isNumeric: false, terminal: place(0)) }
            + sides.map { .init($0.label, terminal: place(0)) }
            + sides.indices.dropFirst().map {
                .init(sides.count == 2 ? "Difference" : "Δ \(sides[$0].label)", terminal: place($0 == 1 ? 0 : $0))
            }
        var table = DataTable(
            caption: caption, columns: columns,
            rows: shown.map { row in
                names(row.cell)
                    + sides.indices.map { .init(row.text($0), sort: row.values[$0]?.number) }
                    + sides.indices.dropFirst().map { side in
                        .init(
                            row.difference(side), sort: row.distance(side),
                            classes: row.isBetter(side).map { $0 ? "good" : "bad" } ?? "")
                    }
            })
        for (index, row) in shown.enumerated() {
            let verdicts = sides.indices.compactMap(row.isBetter)
            if verdicts.contains(false) || row.name == "failure" && row.differs {
                table.failed.insert(index)
            } else if verdicts.contains(true) {
                table.best.insert(index)
            }
        }
        return table
    }

    private static func heading(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst() }

    /// The subject with the words of its place that tell it from others, a cell each.
    private func names(_ cell: FigureCell.Identity) -> [DataTable.Cell] {
        [.init(label(cell))] + placeNames.map { .init(cell.place[$0] ?? HumanFormat.absent) }
    }

    private func label(_ cell: FigureCell.Identity) -> String {
        showsParameters.contains(cell.subject) && !cell.parameters.isEmpty
            ? "\(cell.subject):\(cell.parameters)" : cell.subject
    }

    /// `s3fifo (zipf-1.0, 100 objects)`.
    private func subject(_ cell: FigureCell.Identity) -> String {
        let place = placeNames.compactMap { cell.place[$0] }
        return label(cell) + (place.isEmpty ? "" : " (\(place.joined(separator: ", ")))")
    }

    private var partialSection: [ReportDocument.Section] {
        guard !compared.partial.isEmpty else { return [] }
        let shown = compared.partial.prefix(Self.rowsMax)
        let table = DataTable(
            caption: "What some files lack",
            columns: [.init("Subject", isNumeric: false, terminal: 0)]
                + (placeNames + sides.map(\.label)).map { .init(Self.heading($0), isNumeric: false, terminal: 0) },
            rows: shown.map { partial in
                names(partial.cell) + partial.isThere.map { .init($0 ? "has it" : HumanFormat.absent) }
            })
        return [
            .init(
                id: "partial", title: "Not in every file",
                lead:
                    "\(HumanFormat.counted(compared.partial.count, "subject", "subjects")) at a place that some files lack.",
                blocks: [.table(.init(table: table))]
                    + (compared.partial.count > Self.rowsMax ? [.text(Self.leftOut(compared.partial.count))] : []),
                isOnTerminal: shown.count <= 40)
        ]
    }

    private var equalSection: [ReportDocument.Section] {
        let equal = compared.names.compactMap { name -> ReportDocument.Pair? in
            let rows = compared.rows.filter { $0.name == name }
            guard !rows.contains(where: \.differs) else { return nil }
            return .init(
                name: ComparedFigures.Row.title(name),
                value: "equal in \(HumanFormat.counted(rows.count, "row", "rows"))")
        }
        return equal.isEmpty ? [] : [.init(id: "equal", title: "Equal in all files", blocks: [.pairs(equal)])]
    }

    private var environmentSection: [ReportDocument.Section] {
        guard sides.contains(where: { $0.environment != nil }) else { return [] }
        let facts: [(String, (Side) -> String?)] = [
            ("Started", { $0.startedAt }), ("Command", { ShellText.command($0.commandLine) }),
            ("Build", { $0.environment?.build }), ("Operating system", { $0.environment?.operatingSystem }),
            ("Kernel", { $0.environment?.kernel }), ("Processor", { $0.environment?.processor }),
            ("Processors online", { $0.environment.map { HumanFormat.count($0.processorCount) } }),
            ("Memory", { $0.environment.map { HumanFormat.bytes($0.memoryBytes) } }),
            ("Allocator, timing passes", { $0.environment?.timingAllocator }),
            ("Allocator, memory passes", { $0.environment?.memoryAllocator }),
        ]
        let table = DataTable(
            caption: "Environments", columns: (["Fact"] + sides.map(\.label)).map { .init($0, isNumeric: false) },
            rows: facts.map { name, fact in
                [.init(name)] + sides.map { .init(fact($0) ?? HumanFormat.absent, classes: "prose") }
            }, isSortable: false)
        return [.init(id: "environment", title: "Environments", blocks: [.table(.init(table: table))])]
    }

    private static let definitions: [ReportDocument.Definition] = [
        .init("Exact figure", "What the same work counts alike every time: hits, evictions, outcomes of checks."),
        .init("Points", "Percentage points: 50.30 % is 1.99 points above 48.31 %."),
        .init("Better, worse", "Said of exact figures alone, against the first file."),
        .init("Row", "A subject at a place: a policy on a trace at a capacity, or a check of a suite."),
    ]

    /// Every value as CSV, also what only one file has.
    package func csv() -> String {
        CSVReport.comparison.text(
            sides.flatMap { side in
                side.figures.cells.flatMap { cell in
                    (cell.figures + cell.counted.flatMap(\.figures)).map { (side.label, $0) }
                }
            })
    }
}

extension CSVReport {
    static let comparison = CSVFile<(String, ResultFigure)>(
        name: "results-comparison.csv",
        summary:
            "What `assay report A B` writes of results that it compares, and so for other kinds: one row a figure and file.",
        columns: [
            .text("file", "The file, by as much of its path as tells it from the others.") { $0.0 },
            .text("kind", "The kind of results: `run`, `curve`, `bench`, `systems` or `conform`.") {
                $0.1.place["kind"]
            },
            .text("subject", "What is judged, without its parameters.") { $0.1.subject },
            .text("parameters", "Its parameters.", empty: "it has none") { $0.1.parameters },
            .text("place", "Under what it was measured, `name=value;name=value` by name.") {
                $0.1.place.filter { $0.key != "kind" }.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                    .joined(separator: ";")
            },
            .text("figure", "What is counted.") { $0.1.name },
            .text("unit", "The figure's unit.", empty: "it is a number of things, or a word") { $0.1.unit },
            .text("value", "The figure: a number, or the word of a check's outcome.") { plain($0.1.value) },
        ])
}

extension String {
    /// The text without spaces at its start.
    fileprivate var trimmingStart: String { String(drop { $0 == " " }) }
}
