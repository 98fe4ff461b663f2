import ArgumentParser
import CacheCore
import CacheHarness
import CacheReports
import Foundation

/// `assay run`: replays combinations of traces, policies, capacities and backends, or runs complete systems, and writes reports.
struct RunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Replay traces through policies and backends, or run complete systems, and write CSV, JSON and HTML.",
        discussion: """
            Without options it runs the bundled suite. Every combination of the given traces, policies, capacities and \
            backends is replayed; without --backend the policies are driven alone, which is exact and fast.

            EXAMPLES
              assay run --trace build-files --policy lru,s3fifo --capacity 1%,5%,10%
              assay run --trace mine.csv --format csv:key=2,size=3,time=1,header --policy all --capacity 64MiB,1%B
              assay run --trace sqlite-pages --policy 's3fifo:small=0.05,ghost=0.9' --backend dictionary,file,log
              assay run --trace mine.csv --policy lru,s3fifo --capacity 5% --warm-up 10% --windows 1h --by-tenant
              assay run --trace sqlite-pages --policy lru,fifo --prefetch none,obl,pg:threshold=0.1 --capacity 5%
              assay run --resume Reports/2026-01-31-120000
              assay run --plugin ./libmine.so --policy lru,mine --trace zipf-1.0
              assay run --system all
              assay run --system record-cache,app-sessions --backend file,log --scale 0.1

            With --system complete caches are run under workloads that show their point, such as an app session with \
            outages or an upgrade with a million records; their origins and hours are simulated, and every answer is \
            verified. One report says what each hits, what it saves its origin, and what it takes in time, memory and on \
            disk.
            """)

    @OptionGroup var selection: RunSelection

    @OptionGroup var systems: SystemSelection

    @OptionGroup var plugins: PluginSelection

    @Option(help: ArgumentHelp("The directory for the reports (default: Reports/<date>-<time>).", valueName: "dir"))
    var out: String?

    @Option(
        help: ArgumentHelp(
            "Go on with an interrupted run in this directory; only --quiet goes with it.", valueName: "dir"))
    var resume: String?

    @Flag(help: "Replace results of other traces that are in --out.")
    var force = false

    @Flag(help: "No progress line, no table; only the paths of the reports.")
    var quiet = false

    func validate() throws {
        guard systems.system.isEmpty || selection.namesOnlySystemOptions else {
            throw ValidationError(
                "--system brings workloads of its own: only --policy, --backend, --plugin, --scale, --seed, --deadline, --out, "
                    + "--force and --quiet go with it.")
        }
        guard
            !selection.isSimulated || !systems.system.isEmpty
                || selection.valueBytes == RunSelection.defaultValueBytes
                    && selection.deadline == RunSelection.defaultDeadline
        else { throw ValidationError("--value-bytes and --deadline are for live runs: add --backend or --subject.") }
        guard resume != nil else { return }
        guard out == nil, !force, selection.namesNothing, systems.system.isEmpty, plugins.plugin.isEmpty else {
            throw ValidationError("--resume repeats the interrupted run; only --quiet goes with it.")
        }
    }

    func run() async throws {
        if !systems.system.isEmpty {
            #if Systems
                try SystemSession(
                    selection: systems, policies: selection.policy, backends: selection.backend, seed: selection.seed,
                    deadlineSeconds: selection.deadline, directory: ReportDirectory(out), force: force,
                    quiet: quiet
                ).run()
            #else
                throw Part.systems.missing("--system")
            #endif
        } else if let resume {
            try await resumeRun(in: resume)
        } else {
            let arguments = Assay.arguments
            try await RunSession(
                selection: selection, directory: ReportDirectory(out), force: force, commandLine: arguments,
                quiet: quiet
            ).run()
        }
    }

    /// Reads the order of an interrupted run and runs what is missing.
    private func resumeRun(in directory: String) async throws {
        let path = URL(filePath: directory).path
        guard FileManager.default.fileExists(atPath: path) else {
            throw AssayError(.badInput, "there is no such directory", at: .init(path))
        }
        let held = try ReportDirectory(path)
        let (order, done) = try RunJournal.load(path)
        guard FileManager.default.changeCurrentDirectoryPath(order.workingDirectory) else {
            throw AssayError(
                .inputOutput, "the directory in which the run was started is gone; paths in its order refer to it",
                at: .init(order.workingDirectory))
        }
        try Plugins.add(PluginSelection.paths(in: order.commandLine))
        guard let command = try RootCommand.parseAsRoot(order.commandLine) as? RunCommand else {
            throw AssayError(.badInput, "the order of this run is not one of 'assay run'", at: .init(path))
        }
        Console.error("assay: \(done.count) combinations were finished before; going on")
        try await RunSession(
            selection: command.selection, directory: held, commandLine: order.commandLine, quiet: quiet,
            resumed: (order, done)
        ).run()
    }
}
