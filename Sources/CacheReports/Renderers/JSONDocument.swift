public import CacheCore
internal import Foundation

/// A document as JSON for programs: every text and table that the page shows, with the exact value behind each figure.
///
/// It says what people read. The recorded results, from which every report is made, are a file of their own.
public enum JSONDocument {
    /// The document as indented JSON with sorted keys, which ends with a newline.
    ///
    /// - Throws: `AssayError` with code `internalError` if a text cannot be encoded.
    public static func render(_ document: ReportDocument) throws(AssayError) -> String {
        var object: [String: Any] = [
            "documentVersion": 1, "title": document.title, "subtitle": document.subtitle,
            "assayVersion": document.assayVersion, "command": document.command, "commandNote": document.commandNote,
            "notices": document.notices.map { ["tone": name($0.tone), "text": $0.text] },
            "highlights": document.highlights.map {
                ["tone": name($0.tone), "name": $0.name, "figure": $0.figure, "detail": $0.detail]
            },
            "sections": document.sections.map {
                ["id": $0.id, "title": $0.title, "lead": $0.lead, "blocks": $0.blocks.flatMap(blocks)]
            },
            "definitions": document.definitions.map { ["term": $0.term, "meaning": $0.meaning] },
        ]
        if let answer = document.answer {
            object["answer"] = [
                "question": answer.question, "sentence": answer.sentence, "figure": answer.figure,
                "figureName": answer.figureName, "certainty": answer.certainty,
            ]
        }
        let options: JSONSerialization.WritingOptions = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: options) else {
            throw AssayError(.internalError, "The report cannot be written as JSON.")
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private static func name(_ tone: ReportDocument.Tone) -> String { "\(tone)" }

    private static func blocks(_ block: ReportDocument.Block) -> [[String: Any]] {
        switch block {
        case .heading(let text): [["kind": "heading", "text": text]]
        case .text(let text): [["kind": "text", "text": text]]
        case .code(let block): [["kind": "code", "title": block.title ?? "", "text": block.text]]
        case .chart(let chart):
            [["kind": "chart", "title": chart.title, "note": chart.note].merging(chart.table.map(table) ?? [:]) { $1 }]
        case .table, .pairs, .heat, .costs:
            block.tables.map {
                ["kind": "table", "title": $0.title ?? $0.table.caption].merging(table($0.table)) { $1 }
            }
        }
    }

    private static func table(_ table: DataTable) -> [String: Any] {
        [
            "columns": table.columns.map { ["title": $0.title, "isNumeric": $0.isNumeric] },
            "rows": table.rows.map { $0.map(cell) },
        ]
    }

    private static func cell(_ cell: DataTable.Cell) -> [String: Any] {
        var object: [String: Any] = ["text": cell.text]
        // JSON has no way to write what is no finite number.
        if let value = cell.sortValue, value.isFinite { object["value"] = value }
        if let note = cell.note { object["note"] = note }
        return object
    }
}
