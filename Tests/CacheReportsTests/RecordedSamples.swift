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

    /// What is made of a sample: its page, its CSV files and its JSON.
    static func rendered(_ kind: String, _ text: String) throws -> (page: String, csv: [String], json: String) {
        func read<Value: Decodable>(_: Value.Type) throws -> Value {
            try JSONDecoder().decode(Value.self, from: Data(text.utf8))
        }
        switch kind {
        case "results":
            let run = try read(RunResults.self)
            let parts = [CSVReport.windows(run), CSVReport.tenants(run)].compactMap(\.self)
            return (try HTMLReport.render(run), [CSVReport.render(run)] + parts, try JSONReport.render(run))
        case "curve":
            let curves = try read(CurveResults.self)
            return (try HTMLReport.render(curves), [CSVReport.render(curves)], try JSONReport.render(curves))
        case "advice":
            let advice = try read(AdviceResults.self)
            return (try HTMLReport.render(advice), [CSVReport.render(advice)], try JSONReport.render(advice))
        case "bench":
            let bench = try read(BenchResults.self)
            return (try HTMLReport.render(bench), [CSVReport.render(bench)], try JSONReport.render(bench))
        case "systems":
            let systems = try read(SystemResults.self)
            return (try HTMLReport.render(systems), [CSVReport.render(systems)], try JSONReport.render(systems))
        case "check-history":
            let histories = try read(HistoryResults.self)
            return (try HTMLReport.render(histories), [], try JSONReport.render(histories))
        default:
            let profile = try read(TraceProfile.self)
            return (try HTMLReport.render(profile), [], try JSONReport.render(profile))
        }
    }
}
