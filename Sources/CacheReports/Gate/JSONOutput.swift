internal import CacheGate
internal import Foundation

/// A gate's verdict as JSON, as `docs/schemas/gate.schema.json` describes it.
enum JSONOutput {
    private struct Document: Encodable {
        var schemaVersion: Int
        var status: String
        var passes: Bool
        var baseline: String
        var candidate: String
        var comparedFigures: Int
        var comparedCells: Int
        var notes: [String]
        var lines: [Line]
    }

    private struct Line: Encodable {
        var subject: String
        var parameters: String
        var place: [String: String]
        var figure: String
        var unit: String
        var baseline: Plain?
        var candidate: Plain?
        var ratioInterval: [Double]?
        var verdict: String
        var fails: Bool
        var reason: String?
        var command: String
    }

    /// A value as a bare number or string.
    private struct Plain: Encodable {
        var value: ResultFigure.Value

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch value {
            case .count(let count): try container.encode(count)
            case .real(let real): try container.encode(real)
            case .word(let word): try container.encode(word)
            }
        }
    }

    static func render(_ outcome: GateOutcome) -> String {
        let text = GateText(outcome)
        return encode(
            Document(
                schemaVersion: outcome.schemaVersion, status: text.status.rawValue, passes: outcome.passes,
                baseline: outcome.baseline, candidate: outcome.candidate, comparedFigures: outcome.comparedFigures,
                comparedCells: outcome.comparedCells, notes: outcome.notes,
                lines: text.lines.map { line in
                    Line(
                        subject: line.subject, parameters: line.parameters, place: line.place, figure: line.figure,
                        unit: line.unit, baseline: line.baseline.map(Plain.init),
                        candidate: line.candidate.map(Plain.init), ratioInterval: line.ratioInterval,
                        verdict: line.verdict.rawValue, fails: line.fails, reason: line.reason, command: line.command)
                }))
    }

    /// Indented JSON with sorted keys. What is no finite number is written as a word.
    static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "not a number")
        guard let data = try? encoder.encode(value) else { preconditionFailure("strings and numbers can be encoded") }
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
