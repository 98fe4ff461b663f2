import ArgumentParser

/// Compares caches on traces, gates regressions and proves backends.
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Assay.name,
        abstract: "Compare cache policies and backends on traces, gate regressions, prove new backends.",
        discussion: """
            Start with 'assay run': it replays the bundled workloads and writes a report. 'assay help SUBCOMMAND' \
            says more about each.\(Part.missingSubcommands)

            EXIT STATUS
              0   fine
              1   a defect of assay itself
              2   a negative verdict: a regression, a failed check, wrong bytes from a backend, a target out of reach
              3   a subject crashed or passed its deadline
              5   the baseline is missing
              6   undecided: nothing is worse, and not all could be decided
              64  wrong usage
              65  input that cannot be understood
              69  something that is needed is not available
              74  reading or writing failed
              130 interrupted; finished results are kept
            """,
        version: AssayVersion.text,
        subcommands: builtin + Plugins.current.commands)

    /// The built-in subcommands, a line each, in the order of the help.
    static var builtin: [any ParsableCommand.Type] {
        var commands: [any ParsableCommand.Type] = [
            RunCommand.self,
            BenchCommand.self,
            SweepCommand.self,
            CurveCommand.self,
            AdviseCommand.self,
            GateCommand.self,
            TraceCommand.self,
            ListCommand.self,
            ReportCommand.self,
            CompletionsCommand.self,
            // Former names, which the help leaves out.
            InspectCommand.self,
            ExportCommand.self,
            // What this program starts as its children, which the help leaves out too.
            MeasureCommand.self,
        ]
        #if Conformance
            commands.insert(contentsOf: [ConformCommand.self, CheckHistoryCommand.self], at: 6)
            commands.append(ConformCheckCommand.self)
        #endif
        #if SQLite
            commands.insert(HistoryCommand.self, at: 6)
        #endif
        #if Watch
            commands.insert(WatchCommand.self, at: commands.firstIndex { $0 == GateCommand.self } ?? 0)
        #endif
        #if Systems
            commands.append(MeasureSystemCommand.self)
        #endif
        #if HTTP
            commands.append(HTTPCacheCommand.self)
        #endif
        #if Packages
            commands.append(PackCommand.self)
        #endif
        return commands
    }
}

/// The version that results and `--version` carry.
enum AssayVersion {
    static let text = "0.1.0"
}
