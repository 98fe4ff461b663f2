import ArgumentParser

/// `assay inspect`: the former name of `assay trace info`.
struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "The former name of 'assay trace info'.", shouldDisplay: false)

    @OptionGroup var info: TraceInfoCommand

    func run() throws { try info.run() }
}
