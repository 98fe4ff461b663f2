internal import ArgumentParser
internal import CacheReports
internal import Foundation

/// `assay report`: renders every report of a recorded run, curves, advice or bench again.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Render every report again from a results.json, curve.json, advice.json or bench.json.",
        discussion: """
            Prints the results as a table and writes the reports beside them or into --out: for a run
            \(names(BuiltinReports.fileNames)), for curves \(names(CurveReports.fileNames)), for advice
            \(names(AdviceReports.fileNames)), for a bench \(names(BenchReports.fileNames)) and histograms.
            """)

    @Argument(help: "The JSON that run, curve, advise or bench recorded.", completion: .file(extensions: ["json"]))
    var results: String

    @Option(help: ArgumentHelp("The directory to write into; the one of the results by default.", valueName: "dir"))
    var out: String?

    private static func names(_ fileNames: [String]) -> String { fileNames.joined(separator: ", ") }

    func run() throws {
        let directory = out ?? URL(filePath: results).deletingLastPathComponent().path
        let (width, isColored) = (Terminal.width, Terminal.isColored)
        let table: String
        let paths: [String]
        switch try JSONReport.readAny(from: results) {
        case .run(let run):
            table = TerminalReport.render(run, width: width, isColored: isColored)
            paths = try BuiltinReports.write(run, to: directory)
        case .curves(let curves):
            table = CurveTable.render(curves, width: width, isColored: isColored)
            paths = try CurveReports.write(curves, to: directory)
        case .advice(let advice):
            table = AdviceTable.render(advice, width: width, isColored: isColored)
            paths = try AdviceReports.write(advice, to: directory)
        case .bench(let bench):
            table = BenchTable.render(bench, width: width, isColored: isColored)
            paths = try BenchReports.write(bench, to: directory)
        }
        Console.print(table, terminator: "")
        for path in paths { Console.print("wrote \(path)") }
    }
}
