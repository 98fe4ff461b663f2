public import CacheCore
public import Foundation

extension FigureSet {
    /// The outcomes of a report of `assay conform --json`: a cell for each check with the check's revision, unless it is 1; nil if the bytes are no such report.
    ///
    /// - Throws: `AssayError` with code `badInput` for a report of a later version, a damaged one, or a check that is there
    ///   twice.
    public init?(conformance data: Data, from source: String) throws(AssayError) {
        guard (try? JSONDecoder().decode(ConformanceHead.self, from: data)) != nil else { return nil }
        let report: ConformanceOutcomes
        do {
            report = try JSONDecoder().decode(ConformanceOutcomes.self, from: data)
        } catch {
            throw AssayError(
                .badInput, "The conformance report is damaged. Write it again with 'assay conform --json'.",
                at: .init(source), cause: (error as? DecodingError)?.inWords ?? "\(error)")
        }
        guard report.version <= ConformanceOutcomes.newestVersion else {
            throw AssayError(
                .badInput,
                "The report is of version \(report.version), and this Assay reads up to \(ConformanceOutcomes.newestVersion). "
                    + "Use the Assay that wrote it.", at: .init(source))
        }
        self.init(source: source)
        let (subject, parameters) = Self.parts(of: report.subject)
        for check in report.results {
            var cell = FigureCell(
                subject: subject, parameters: parameters,
                place: ["kind": "conform", "suite": report.suite, "check": check.id])
            cell.seed = report.seed
            cell.command = Self.command(
                ["conform", report.subject, "--section", check.id] + (report.seed.map { ["--seed", "\($0)"] } ?? []))
            // A failure that another explains is a failure still.
            cell.add("outcome", .word(check.blockedBy == nil ? check.outcome : "fail"))
            if let revision = check.revision, revision != 1 { cell.add("revision", .count(revision)) }
            try add(cell, from: source)
        }
    }

    /// A subject and its parameters: `policy:arc:dialect=caffeine` has some, a command line has none.
    private static func parts(of text: String) -> (String, String) {
        guard !text.hasPrefix("exec:"), let colon = text.lastIndex(of: ":"),
            text[colon...].dropFirst().split(separator: ",").allSatisfy({ $0.contains("=") })
        else { return (text, "") }
        return (String(text[..<colon]), String(text[colon...].dropFirst()))
    }
}

/// What tells a report of a conformance suite from other files.
private struct ConformanceHead: Decodable {
    var version: Int
    var suite: String
}

/// What the gate reads of such a report.
private struct ConformanceOutcomes: Decodable {
    static let newestVersion = 1

    struct Check: Decodable {
        var id: String
        var outcome: String
        var revision: Int?
        var blockedBy: String?
    }

    var version: Int
    var suite: String
    var subject: String
    var seed: UInt64?
    var results: [Check]
}
