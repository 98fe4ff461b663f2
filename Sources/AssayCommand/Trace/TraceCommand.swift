import ArgumentParser

/// `assay trace`: makes traces, and workloads from traces.
struct TraceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trace", abstract: "Make traces, and workloads that are fitted to traces.",
        subcommands: [
            TraceFitCommand.self,
            TraceGenerateCommand.self,
        ])
}
