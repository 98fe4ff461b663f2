internal import ArgumentParser
internal import CacheCore
internal import CacheGate
internal import CacheReports
internal import Foundation

/// The options that say in which forms a gate's verdict is written, beside the table on standard output: those of
/// ``GateOutput/all`` that go to files, each under its name.
struct GateOutputOptions: ParsableArguments {
    @Option(help: Self.help("junit")) var junit: String?
    @Option(help: Self.help("gitlab")) var gitlab: String?
    @Option(help: Self.help("markdown")) var markdown: String?
    @Option(help: Self.help("json")) var json: String?

    @Flag(help: "In a GitHub workflow: print annotations, and add the verdict to the job's summary.")
    var github = false

    private static func help(_ name: String) -> ArgumentHelp {
        ArgumentHelp("Also write the verdict as \(GateOutput.named(name).summary)", valueName: "path")
    }
}

extension GateOutputOptions {
    /// The forms that are asked for, with their files.
    private var files: [(output: GateOutput, path: String)] {
        Mirror(reflecting: self).children.compactMap { child in
            guard let path = (child.value as? Option<String?>)?.wrappedValue, let name = child.label?.dropFirst() else {
                return nil
            }
            return (GateOutput.named(String(name)), path)
        }
    }

    /// Whether nothing is asked for.
    var isEmpty: Bool { files.isEmpty && !github }

    /// Prints the table and writes what was asked for.
    ///
    /// - Throws: `AssayError` with code `inputOutput` for a file that cannot be written.
    func write(_ outcome: GateOutcome) throws(AssayError) {
        let table = GateOutput.terminal(outcome, width: Terminal.width, isColored: Terminal.isColored)
        Console.print(table, terminator: "", isStyled: true)
        for (output, path) in files { try ReportFile.write(output.render(outcome), to: path) }
        guard github else { return }
        Console.print(GateOutput.named("github").render(outcome), terminator: "")
        guard let summary = ProcessInfo.processInfo.environment["GITHUB_STEP_SUMMARY"], !summary.isEmpty else {
            return Console.error("warning: GITHUB_STEP_SUMMARY names no file, so the job has no summary of this gate")
        }
        // Other commands of the step may have written there.
        let written = FileManager.default.contents(atPath: summary).map { String(decoding: $0, as: UTF8.self) + "\n" }
        try ReportFile.write((written ?? "") + GateOutput.named("summary").render(outcome), to: summary)
    }
}
