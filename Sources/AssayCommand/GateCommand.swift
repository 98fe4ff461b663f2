internal import ArgumentParser
internal import CacheCore
internal import CacheHarness
internal import CacheReports
internal import Foundation

/// `assay gate`: holds a run's exact figures against a baseline.
struct GateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Compare two runs' exact figures and fail on a regression.",
        discussion: """
            Counts (requests, hits, evictions, bytes) must be equal, bytes per entry may move within a tolerance, and \
            times are never judged: a stored time is history, not a verdict. A cell that is missing or fails in the \
            candidate is a regression; cells that only the candidate has are listed. Traces are paired by what they hold, \
            whatever their files are called.

            Exit status: 0 when nothing is worse, 2 on a regression (with --strict on any difference), 5 when the \
            baseline file is missing, 65 when a file cannot be understood or the traces differ.
            """)

    @Argument(help: "The results.json that was accepted as good.", completion: .file(extensions: ["json"]))
    var baseline: String

    @Argument(help: "The results.json to judge.", completion: .file(extensions: ["json"]))
    var candidate: String

    @Option(help: ArgumentHelp("Also write the verdict as JUnit XML.", valueName: "path"))
    var junit: String?

    @Option(help: ArgumentHelp("Also write the verdict as JSON.", valueName: "path"))
    var json: String?

    @Option(help: ArgumentHelp("How far a figure may move, as bytes-per-entry=0.5%.", valueName: "figure=percent"))
    var tolerance: [String] = []

    @Flag(help: "List cells and figures that the candidate lacks without failing.")
    var allowMissing = false

    @Flag(help: "Fail on any difference: improvements and added cells, too.")
    var strict = false

    func run() throws {
        try judge()
    }

    private func judge() throws(AssayError) {
        var rules = GateRules(allowsMissing: allowMissing, isStrict: strict)
        for text in tolerance { try rules.setTolerance(parsing: text) }
        guard FileManager.default.fileExists(atPath: baseline) else {
            throw AssayError(
                .baselineMissing,
                "There is no baseline here. Accept a run as good first: copy its results.json to this path.",
                at: .init(baseline))
        }
        let results = try Gate.compare(
            baseline: JSONReport.read(from: baseline), from: baseline,
            candidate: JSONReport.read(from: candidate), from: candidate, rules: rules)
        Console.print(
            GateReport.render(results, width: Terminal.width, isColored: Terminal.isColored), terminator: "",
            isStyled: true)
        if let junit { try ReportFile.write(JUnitReport.render(results), to: junit) }
        if let json { try ReportFile.write(JSONReport.render(results), to: json) }
        try results.throwUnlessPassed()
    }
}
