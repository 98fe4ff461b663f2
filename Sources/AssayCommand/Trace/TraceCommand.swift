import ArgumentParser

/// `assay trace`: what traces hold, other formats, and traces that are made of others.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace",
        abstract: "Look into traces, convert them, and make traces of others.",
        discussion: """
            Every subcommand takes the path of a trace in any format that 'assay list formats' names, or the name of a \
            workload. What is written is written whole or not at all, and never over a file that is there.
            """,
        subcommands: builtin)

    /// The subcommands, a line each, in the order of the help.
    static let builtin: [any ParsableCommand.Type] = [
        TraceInfoCommand.self,
        TraceConvertCommand.self,
        TraceSampleCommand.self,
        TraceFilterCommand.self,
        TraceSplitCommand.self,
        TraceMergeCommand.self,
        TraceAnonymiseCommand.self,
        TracePrintCommand.self,
        TraceDiffCommand.self,
        TraceGenerateCommand.self,
        TraceFitCommand.self,
    ]
}
