internal import ArgumentParser
internal import CacheReports
internal import Foundation

/// `assay report`: renders every report of a recorded run again.
struct ReportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Render every report again from a run's results.json.",
        discussion: "Prints the results as a table and writes \(fileNames) beside the results, or into --out.")

    @Argument(help: "The results.json of a run.", completion: .file(extensions: ["json"]))
    var results: String

    @Option(help: ArgumentHelp("The directory to write into; the one of the results by default.", valueName: "dir"))
    var out: String?

    private static var fileNames: String { BuiltinReports.all.map(\.fileName).joined(separator: ", ") }

    func run() throws {
        let run = try JSONReport.read(from: results)
        let directory = out ?? URL(filePath: results).deletingLastPathComponent().path
        Console.print(TerminalReport.render(run, width: Terminal.width, isColored: Terminal.isColored), terminator: "")
        for path in try BuiltinReports.write(run, to: directory) { Console.print("wrote \(path)") }
    }
}
