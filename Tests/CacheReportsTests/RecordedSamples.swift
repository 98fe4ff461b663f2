import CacheCore
import CacheGate
import Foundation

@testable import CacheReports

/// A sample of every kind of result that Assay writes as JSON, under the name of its schema.
enum RecordedSamples {
    static func all() throws -> [(kind: String, text: String)] {
        let kinds = ["run": "results", "parts": "results"]
        return try ResultsFuzzTests.samples().map { (kinds[$0.name] ?? $0.name, $0.text) } + [
            ("systems", try JSONReport.render(SystemReportTests.results)),
            ("check-history", try JSONReport.render(HistoryReportTests.results)),
            ("trace", try JSONReport.render(TracePageTests.profile)),
        ]
    }

    /// What is made of a sample: its page, its CSV files, its JSON, and its document as JSON.
    static func rendered(_ kind: String, _ text: String) throws -> (
        page: String, csv: [String], json: String, document: String
    ) {
        let data = Data(text.utf8)
        switch kind {
        case "check-history": return try rendered(JSONDecoder().decode(HistoryResults.self, from: data), [])
        case "trace":
            let profile = try JSONDecoder().decode(TraceProfile.self, from: data)
            return try rendered(profile, [CSVReport.render(profile)])
        default:
            let results = try JSONReport.decode(data, from: kind)
            return try rendered(results, results.csv().map(\.text))
        }
    }

    private static func rendered(
        _ results: some Reportable & Encodable, _ csv: [String]
    ) throws -> (page: String, csv: [String], json: String, document: String) {
        let document = try results.document()
        return (
            try HTMLReport.render(document), csv, try JSONReport.render(results), try JSONDocument.render(document)
        )
    }
}
