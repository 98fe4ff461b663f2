import ArgumentParser
import CacheTraces

/// `assay export`: the former name of `assay trace convert --to oracle-general`.
struct ExportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "The former name of 'assay trace convert --to oracle-general'.",
        shouldDisplay: false)

    @OptionGroup var convert: TraceConvertCommand

    func run() throws {
        var convert = convert
        convert.writing.to = convert.writing.to ?? OracleGeneralWriter().descriptor.name
        try convert.run()
    }
}
