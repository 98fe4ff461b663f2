internal import ArgumentParser
internal import CacheConformance
internal import CacheReports
internal import Foundation

/// `assay report`: renders every report of a recorded run, curves, advice, bench, systems or conformance suite again.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract:
            "Render every report again from a results.json, curve.json, advice.json, bench.json, systems.json or a report of conform.",
        discussion: """
            Prints the results as a table and writes the reports beside them or into --out: for a run
            \(names(BuiltinReports.fileNames)), for curves \(names(CurveReports.fileNames)), for advice
            \(names(AdviceReports.fileNames)), for a bench \(names(BenchReports.fileNames)) and histograms, for systems
            \(names(SystemReports.fileNames)). What conform --json wrote as
            NAME.json becomes NAME.html.
            """)

    @Argument(
        help: "The JSON that run, curve, advise, bench or conform recorded.", completion: .file(extensions: ["json"]))
    var results: String

    @Option(help: ArgumentHelp("The directory to write into; the one of the results by default.", valueName: "dir"))
    var out: String?

    private static func names(_ fileNames: [String]) -> String { fileNames.joined(separator: ", ") }

    func run() throws {
        let directory = out ?? URL(filePath: results).deletingLastPathComponent().path
        if let report = try ConformanceFile.read(results) { return try write(report, to: directory) }
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
        case .systems(let systems):
            table = SystemTable.render(systems, width: width, isColored: isColored)
            paths = try SystemReports.write(systems, to: directory)
        }
        Console.print(table, terminator: "")
        for path in paths { Console.print("wrote \(path)") }
    }

    /// Prints a conformance report and writes its page.
    private func write(_ report: ConformanceReport, to directory: String) throws {
        Console.print(ConformanceTable.header)
        for result in report.results { Console.print(ConformanceTable.row(result)) }
        Console.print(ConformanceTable.summary(of: report, reproducer: .swift))
        let name = URL(filePath: results).deletingPathExtension().lastPathComponent + ".html"
        let path = URL(filePath: directory).appending(path: name).path
        let command = ["conform", report.subject, "--seed", "\(report.seed)"]
        try ReportFile.write(ConformanceFile.page(report, commandLine: command), to: path)
        Console.print("wrote \(path)")
    }
}
