import CacheCore
import CacheReports

/// Recorded results of whatever kind as documents, and the files that a command leaves behind for each kind.
enum RecordedReports {
    /// The results themselves.
    static func combinable(_ results: RecordedResults) -> any CombinableResults {
        switch results {
        case .run(let run): run
        case .curves(let curves): curves
        case .advice(let advice): advice
        case .bench(let bench): bench
        case .systems(let systems): systems
        }
    }

    /// Results as they are recorded; nil for what no command records.
    static func recorded(_ results: any CombinableResults) -> RecordedResults? {
        switch results {
        case let run as RunResults: .run(run)
        case let curves as CurveResults: .curves(curves)
        case let advice as AdviceResults: .advice(advice)
        case let bench as BenchResults: .bench(bench)
        case let systems as SystemResults: .systems(systems)
        default: nil
        }
    }

    /// The results as a kind that describes itself; nil for one that does not yet.
    static func reported(_ results: RecordedResults) -> (any ReportedResults)? {
        combinable(results) as Any as? any ReportedResults
    }

    /// The results as JSON.
    static func json(_ results: RecordedResults) throws(AssayError) -> String {
        switch results {
        case .run(let run): try JSONReport.render(run)
        case .curves(let curves): try JSONReport.render(curves)
        case .advice(let advice): try JSONReport.render(advice)
        case .bench(let bench): try JSONReport.render(bench)
        case .systems(let systems): try JSONReport.render(systems)
        }
    }

    /// The results as text for a terminal.
    static func table(_ results: RecordedResults) throws(AssayError) -> String {
        let (width, isColored) = (Terminal.width, Terminal.isColored)
        return switch results {
        case .run(let run): try TerminalReport.render(run.document(), width: width, isColored: isColored)
        case .curves(let curves): try TerminalReport.render(curves.document(), width: width, isColored: isColored)
        case .advice(let advice): AdviceTable.render(advice, width: width, isColored: isColored)
        case .bench(let bench): BenchTable.render(bench, width: width, isColored: isColored)
        case .systems(let systems): SystemTable.render(systems, width: width, isColored: isColored)
        }
    }

    /// Writes the files that the command which recorded the results would have written.
    static func write(
        _ results: RecordedResults, to directory: String, recorded text: String?
    ) throws(AssayError) -> [String] {
        switch results {
        case .run(let run):
            try BuiltinReports.write(run, to: directory, recorded: text, reports: Plugins.current.reports)
        case .curves(let curves): try ReportFiles.write(curves, to: directory, recorded: text)
        case .advice(let advice): try AdviceReports.write(advice, to: directory, recorded: text)
        case .bench(let bench): try BenchReports.write(bench, to: directory, recorded: text)
        case .systems(let systems): try SystemReports.write(systems, to: directory, recorded: text)
        }
    }
}
