internal import ArgumentParser
internal import CacheCore
internal import CacheReports
internal import Foundation

#if Conformance
    internal import CacheConformance
#endif

/// `assay report`: renders every report of a recorded run, curves, advice, bench, systems or conformance suite again.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract:
            "Render every report again from a results.json, curve.json, advice.json, bench.json, systems.json or a report of conform.",
        discussion: """
            Prints the results as a table and writes the reports beside them or into --out: for a run
            \(names(Plugins.current.reports.map(\.fileName))), for curves \(names(CurveResults.kind.fileNames)), for advice
            \(names(AdviceReports.fileNames)), for a bench \(names(BenchReports.fileNames)) and histograms, for systems
            \(names(SystemReports.fileNames)). What conform --json wrote as
            NAME.json becomes NAME.html. The JSON itself is never changed; with --out it is copied as it is.
            """)

    @Argument(
        help: "The JSON that run, curve, advise, bench or conform recorded.", completion: .file(extensions: ["json"]))
    var results: String

    @Option(help: ArgumentHelp("The directory to write into; the one of the results by default.", valueName: "dir"))
    var out: String?

    @Flag(help: "Replace a JSON of other results that is in the directory.")
    var force = false

    private static func names(_ fileNames: [String]) -> String { fileNames.joined(separator: ", ") }

    func run() throws {
        let directory = out ?? URL(filePath: results).deletingLastPathComponent().path
        if try ConformanceHead.isIn(results) {
            #if Conformance
                return try write(ConformanceFile.read(results), to: directory)
            #else
                throw Part.conformance.missing("a report of conform")
            #endif
        }
        let held = try ReportDirectory(directory)
        defer { withExtendedLifetime(held) {} }
        let (width, isColored) = (Terminal.width, Terminal.isColored)
        let table: String
        let paths: [String]
        let read = try JSONReport.readAny(from: results)
        let text = try recorded()
        try held.requireSame(read.fileName, as: Data(text.utf8), force: force)
        switch read {
        case .run(let run):
            table = try TerminalReport.render(run.document(), width: width, isColored: isColored)
            paths = try BuiltinReports.write(
                run, to: directory, recorded: text, reports: Plugins.current.reports)
        case .curves(let curves):
            table = try TerminalReport.render(curves.document(), width: width, isColored: isColored)
            paths = try ReportFiles.write(curves, to: directory, recorded: text)
        case .advice(let advice):
            table = AdviceTable.render(advice, width: width, isColored: isColored)
            paths = try AdviceReports.write(advice, to: directory, recorded: text)
        case .bench(let bench):
            table = BenchTable.render(bench, width: width, isColored: isColored)
            paths = try BenchReports.write(bench, to: directory, recorded: text)
        case .systems(let systems):
            table = SystemTable.render(systems, width: width, isColored: isColored)
            paths = try SystemReports.write(systems, to: directory, recorded: text)
        }
        Console.print(table, terminator: "", isStyled: true)
        for path in paths { Console.print("wrote \(path)") }
    }

    /// The text of the JSON, which is kept to the byte.
    private func recorded() throws(AssayError) -> String {
        guard let data = FileManager.default.contents(atPath: results),
            let text = String(validating: data, as: UTF8.self)
        else { throw AssayError(.badInput, "This is not JSON in UTF-8. Save it as UTF-8.", at: .init(results)) }
        return text
    }

    #if Conformance
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
    #endif
}

/// What tells a report of `assay conform` from results of other kinds.
struct ConformanceHead: Decodable {
    var version: Int
    var suite: String

    /// Whether a file begins so.
    static func isIn(_ path: String) throws(AssayError) -> Bool {
        let data = Data(try InputFile.read(path, atMost: JSONReport.bytesMax, "report"))
        return (try? JSONDecoder().decode(ConformanceHead.self, from: data)) != nil
    }
}
