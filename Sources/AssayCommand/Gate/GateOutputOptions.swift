internal import ArgumentParser
internal import CacheCore
internal import CacheGate
internal import CacheReports
internal import Foundation

/// The options that say in which forms a gate's verdict is written, beside the table on standard output.
struct GateOutputOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Also write the verdict as JUnit XML.", valueName: "path"))
    var junit: String?

    @Option(help: ArgumentHelp("Also write the verdict as GitLab's code quality.", valueName: "path"))
    var gitlab: String?

    @Option(help: ArgumentHelp("Also write the verdict as Markdown for a pull request's comment.", valueName: "path"))
    var markdown: String?

    @Option(help: ArgumentHelp("Also write the verdict as JSON.", valueName: "path"))
    var json: String?

    @Flag(help: "In a GitHub workflow: print annotations, and add the verdict to the job's summary.")
    var github = false
}

extension GateOutputOptions {
    /// Prints the table and writes what was asked for.
    ///
    /// - Throws: `AssayError` with code `inputOutput` for a file that cannot be written.
    func write(_ outcome: GateOutcome) throws(AssayError) {
        let table = GateOutput.terminal(outcome, width: Terminal.width, isColored: Terminal.isColored)
        Console.print(table, terminator: "", isStyled: true)
        for (name, path) in [("junit", junit), ("gitlab", gitlab), ("markdown", markdown), ("json", json)] {
            if let path { try ReportFile.write(GateOutput.render(outcome, as: name), to: path) }
        }
        guard github else { return }
        Console.print(GateOutput.render(outcome, as: "github"), terminator: "")
        guard let summary = ProcessInfo.processInfo.environment["GITHUB_STEP_SUMMARY"], !summary.isEmpty else {
            return Console.error("warning: GITHUB_STEP_SUMMARY names no file, so the job has no summary of this gate")
        }
        // Other commands of the step may have written there.
        let written = FileManager.default.contents(atPath: summary).map { String(decoding: $0, as: UTF8.self) + "\n" }
        try ReportFile.write((written ?? "") + GateOutput.render(outcome, as: "summary"), to: summary)
    }
}
