import ArgumentParser
import CacheCore
import CacheTraces

/// `assay export`: writes a trace in a format that other simulators read.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a trace or a generated workload as an oracleGeneral file, which other simulators read.")

    @Argument(help: "The path of a trace or the name of a workload.")
    var trace: String

    @Argument(help: "The file to write.")
    var file: String

    @Option(help: "The format of the trace, with parameters (default: auto, by content and file name).", completion: .formats)
    var format: String?

    @Option(
        help: ArgumentHelp("Where compiled traces are kept (default: the user's cache directory).", valueName: "dir"))
    var compiledTraces: String?

    func run() throws {
        let opened = try TraceOpener(compiledTraces: compiledTraces).open(trace, format: format)
        let writer = OracleGeneralWriter()
        try writer.write(opened.compiled, to: file)
        Console.print("\(file): \(opened.description.requests) requests for \(opened.description.objects) objects")
        for loss in writer.losses(of: opened.compiled) { Console.error("assay: \(loss)") }
    }
}
