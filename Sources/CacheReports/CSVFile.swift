/// A CSV file after RFC 4180, ready for pandas, R and spreadsheets without options: a row type and its columns.
///
/// Lines end with CR LF. A text that a spreadsheet would run as a formula, because it begins with `=`, `+`, `-`, `@`, a tab or
/// a carriage return and is no number, begins with an apostrophe instead: names of traces and messages come from outside.
struct CSVFile<Row>: Sendable {
    /// The name under which it is written.
    var name: String
    /// What it is and what a row is, in a sentence.
    var summary: String
    /// The columns, in order. New ones come before the last, so that files of today and tomorrow begin alike.
    var columns: [CSVColumn<Row>]

    /// A header row and the rows.
    func text(_ rows: some Sequence<Row>) -> String {
        var text = ""
        write(rows) { text += $0 }
        return text
    }

    /// Hands over a header row and the rows, one at a time.
    func write(_ rows: some Sequence<Row>, _ write: (String) throws -> Void) rethrows {
        try write(columns.map(\.name).joined(separator: ",") + "\r\n")
        for row in rows {
            try write(columns.map { CSVReport.quoted($0.value(row) ?? "") }.joined(separator: ",") + "\r\n")
        }
    }

    /// The file's part of the data dictionary, in Markdown.
    var dictionary: String {
        let rows = columns.map {
            "| `\($0.name)` | \($0.kind.rawValue) | \($0.unit) | \($0.meaning) | \($0.absence) |\n"
        }
        return "## \(name)\n\n\(summary)\n\n| Column | Type | Unit | Meaning | Empty |\n|---|---|---|---|---|\n"
            + rows.joined()
    }
}

/// What a value of a column is read as.
enum CSVKind: String, Sendable { case text, integer, number, boolean }

/// A column of a CSV file: what it is called, what it means, and how its value is taken from a row.
struct CSVColumn<Row>: Sendable {
    var name: String
    var kind: CSVKind
    /// The unit; empty for a number of things and for what is no quantity.
    var unit: String
    /// What a value says, in a sentence.
    var meaning: String
    /// When there is no value; empty for never.
    var absence: String
    var value: @Sendable (Row) -> String?

    static func text(
        _ name: String, _ meaning: String, empty: String = "", _ value: @escaping @Sendable (Row) -> String?
    ) -> CSVColumn {
        CSVColumn(name: name, kind: .text, unit: "", meaning: meaning, absence: empty, value: value)
    }

    static func integer(
        _ name: String, _ meaning: String, in unit: String = "", empty: String = "",
        _ value: @escaping @Sendable (Row) -> Int?
    ) -> CSVColumn {
        CSVColumn(name: name, kind: .integer, unit: unit, meaning: meaning, absence: empty) {
            value($0).map(String.init)
        }
    }

    static func number(
        _ name: String, _ meaning: String, in unit: String = "", empty: String = "",
        _ value: @escaping @Sendable (Row) -> Double?
    ) -> CSVColumn {
        CSVColumn(name: name, kind: .number, unit: unit, meaning: meaning, absence: empty) { value($0).map { "\($0)" } }
    }
}

extension Array {
    /// The columns of a part as those of the whole that has it; they are empty where it has none.
    func of<Part, Whole>(
        empty: String = "", prefix: String = "", _ part: @escaping @Sendable (Whole) -> Part?
    ) -> [CSVColumn<Whole>] where Element == CSVColumn<Part> {
        map { column in
            CSVColumn<Whole>(
                name: prefix + column.name, kind: column.kind, unit: column.unit, meaning: column.meaning,
                absence: [empty, column.absence].filter { !$0.isEmpty }.joined(separator: ", or "),
                value: { part($0).flatMap(column.value) })
        }
    }
}
