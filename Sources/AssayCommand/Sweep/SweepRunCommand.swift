import ArgumentParser
import CacheCore
import CacheHarness
import CacheReports
import Foundation

/// `assay sweep run`: runs shards that have no result yet.
struct SweepRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the shards of a sweep that are not done, on all processors of this machine.",
        discussion: """
            Start it as often and on as many machines as you like: a shard that is done, or that another process runs, is left \
            alone. What a killed or interrupted process had finished of a shard is kept, and only the rest is run. Each input is \
            checked against the digest in the plan. Several shards run side by side as long as their expected memory fits this \
            machine.
            """)

    @OptionGroup var directory: SweepDirectory

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "The shards to run (default: all): numbers (7), ranges (0-9), or each so many (2/8: shards 2, 10, 18, …); separated by "
                + "commas or spaces.", valueName: "shards"))
    var shard: [String] = []

    @Option(help: ArgumentHelp("Simulations side by side (default: one a processor).", valueName: "number"))
    var jobs: Int?

    @Option(
        help: ArgumentHelp(
            "The directory to which the plan's relative paths refer here (default: where it was planned).",
            valueName: "dir"))
    var root: String?

    @Flag(help: "No progress line and no summary.")
    var quiet = false

    func validate() throws {
        if let jobs, jobs < 1 { throw ValidationError("--jobs must be at least 1.") }
    }

    func run() async throws {
        let folder = try directory.open()
        let count = folder.plan.shards.count
        let chosen = try shard.isEmpty ? Array(0..<count) : ShardNumbers.parse(shard, of: count)
        let selection = try folder.takeUp(root: root)
        let done = try folder.results()
        let open = chosen.filter { done[$0] == nil }
        let monitor = ReplayMonitor()
        let interrupt = Interrupt(monitor)
        defer { withExtendedLifetime(interrupt) {} }
        let shards = folder.plan.shards
        let progress = ProgressLine(
            totalCells: open.reduce(0) { $0 + shards[$1].combinations },
            totalRequests: open.reduce(0) {
                $0 &+ shards[$1].combinations &* folder.plan.traces[shards[$1].trace].requests
            }, monitor: monitor, isEnabled: !quiet)
        let runner = ShardRunner(folder: folder, selection: selection, monitor: monitor, progress: progress)
        let outcomes = await run(open, runner, monitor)
        progress.end()
        try finish(folder, outcomes, wasDone: chosen.count - open.count)
    }

    /// Runs shards, the longest first, as many side by side as there are processors and memory for.
    private func run(
        _ open: [Int], _ runner: ShardRunner, _ monitor: ReplayMonitor
    ) async -> [(index: Int, outcome: ShardRunner.Outcome)] {
        var schedule = ShardSchedule(
            open, of: runner.folder.plan.shards, jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            memory: Double(ProcessInfo.processInfo.physicalMemory))
        var outcomes: [(index: Int, outcome: ShardRunner.Outcome)] = []
        await withTaskGroup(of: (ShardSchedule.Start, ShardRunner.Outcome).self) { group in
            func startNext() {
                while !monitor.isStopping, let next = schedule.start() {
                    group.addTask { (next, await runner.run(next.index, workers: next.workers)) }
                }
            }
            startNext()
            for await (ended, outcome) in group {
                schedule.end(ended)
                outcomes.append((ended.index, outcome))
                startNext()
            }
        }
        return outcomes + schedule.waiting.map { ($0, .interrupted) }
    }

    private func finish(
        _ folder: ShardFolder, _ outcomes: [(index: Int, outcome: ShardRunner.Outcome)], wasDone: Int
    ) throws {
        var (ran, before, elsewhere, stopped) = (0, wasDone, 0, 0)
        var failures: [(index: Int, error: AssayError)] = []
        for (index, outcome) in outcomes.sorted(by: { $0.index < $1.index }) {
            switch outcome {
            case .finished(let kept):
                ran += 1
                if kept > 0, !quiet {
                    Console.print(
                        "\(folder.label(index)): \(HumanFormat.counted(kept, "combination", "combinations")) kept from an attempt before"
                    )
                }
            case .wasDone: before += 1
            case .elsewhere: elsewhere += 1
            case .interrupted: stopped += 1
            case .failed(let error): failures.append((index, error))
            }
        }
        let counts = [
            (ran, "run"), (before, "done before"), (elsewhere, "left to another process"), (stopped, "stopped"),
            (failures.count, "failed"),
        ].filter { $0.0 > 0 }
        if !quiet {
            let words = counts.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            Console.print("shards: \(words.isEmpty ? "none chosen" : words)")
        }
        for (index, error) in failures { Console.error("assay: \(folder.label(index)): \(error.description)") }
        if stopped > 0 {
            Console.error("assay: interrupted; go on with: assay sweep run \(folder.path)")
            throw ExitCode(130)
        }
        guard let first = failures.first else { return }
        throw AssayError(
            first.error.code,
            "\(failures.count) of \(outcomes.count + wasDone) shards failed; mend what is said of each, then run them again: "
                + "assay sweep run \(folder.path)")
    }
}

/// Numbers of shards as a person, or the script of a scheduler, names them.
enum ShardNumbers {
    /// The numbers that `7`, `0-9` and `2/8` stand for, each once and in ascending order.
    ///
    /// - Throws: `AssayError` with code `usage` for anything else and for numbers that no shard has.
    static func parse(_ texts: [String], of count: Int) throws(AssayError) -> [Int] {
        var numbers: Set<Int> = []
        for text in texts.flatMap({ $0.split(separator: ",") }) {
            func parts(_ separator: Character) -> (Int, Int)? {
                let parts = text.split(separator: separator, omittingEmptySubsequences: false)
                guard parts.count == 2, let first = Int(parts[0]), let second = Int(parts[1]), first >= 0 else {
                    return nil
                }
                return (first, second)
            }
            if let number = Int(text), (0..<count).contains(number) {
                numbers.insert(number)
            } else if let (first, last) = parts("-"), first <= last, last < count {
                numbers.formUnion(first...last)
            } else if let (first, step) = parts("/"), first < step {
                numbers.formUnion(stride(from: first, to: count, by: step))
            } else {
                throw AssayError(
                    .usage,
                    "'\(text)' names no shards. Write a number (7), a range (0-9) or each so many (2/8); there are "
                        + (count == 0 ? "none." : "those from 0 to \(count - 1)."), at: .init("--shard"))
            }
        }
        return numbers.sorted()
    }
}
