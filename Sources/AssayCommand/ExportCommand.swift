import ArgumentParser
import CacheCore
import CacheTraces

/// `assay export`: writes a trace in a format that other simulators read.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a trace or a generated workload as an oracleGeneral file, which other simulators read.")

    @Argument(
        help: "The path of a trace, the name of a workload, - for standard input, or a pattern in quotes with --join.")
    var trace: String

    @Argument(help: "The file to write.")
    var file: String

    @OptionGroup var reading: TraceReadingOptions

    func run() throws {
        let opened = try reading.openOne([trace])
        let writer = OracleGeneralWriter()
        try writer.write(opened.compiled, to: file)
        Console.print("\(file): \(opened.description.requests) requests for \(opened.description.objects) objects")
        for loss in writer.losses(of: opened.compiled) { Console.error("assay: \(loss)") }
    }
}
