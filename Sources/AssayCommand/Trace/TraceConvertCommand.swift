import ArgumentParser
import CacheCore
import CacheTraces

/// `assay trace convert`: writes a trace in another format.
struct TraceConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert", abstract: "Write a trace or a workload in another format.",
        discussion: """
            assay is Assay's own compressed format, which keeps everything; plain, csv, lcs and oracle-general are for other \
            programs, and what they leave out is said. parquet needs Python with the package pyarrow.
            """)

    @Argument(help: TraceReadingOptions.argument)
    var trace: String

    @Argument(help: "The file to write.")
    var file: String

    @OptionGroup var writing: TraceWritingOptions
    @OptionGroup var reading: TraceReadingOptions

    func run() throws {
        _ = try writing.writer(for: file)
        try writing.write(reading.open(trace).compiled, to: file)
    }
}
