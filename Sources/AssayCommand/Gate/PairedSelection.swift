import ArgumentParser
import CacheCore
import CacheGate
import CacheHarness
import Foundation

/// The options of a gate over times and rates, and the gate itself.
struct PairedSelection: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Judge times and throughput: measure this program and WHAT in turns, by the words after '--'. WHAT is the path of another "
                + "assay, a git revision, which is built and kept in .build/gate, a command to which the words are added, or, in quotes, "
                + "other words for this program, as 'bench --trace zipf-1.0 --policy fifo', whose cells are compared in their order.",
            valueName: "what"))
    var against: String?

    @Option(help: ArgumentHelp("How long --against measures; a build comes before.", valueName: "seconds"))
    var budget = 60.0

    @Option(
        help: ArgumentHelp("The least change of a time or rate that matters.", valueName: "percent"),
        transform: Selection.share)
    var smallestEffect = 0.03

    @Option(
        help: ArgumentHelp("How long a block of --against or a command of gate.yaml may take.", valueName: "seconds"))
    var deadline = 3600.0

    @Flag(help: "End --against once a figure is worse, and leave the others undecided.")
    var untilWorse = false

    @Flag(help: "Let figures of --against pass that are undecided when the budget is used up.")
    var allowUndecided = false

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp(
            "For --against, after '--': what a block does, as bench --trace zipf-1.0 or run --trace zipf-1.0.",
            valueName: "words"))
    var words: [String] = []

    func validate() throws {
        guard deadline > 0, deadline <= 86_400 else {
            throw ValidationError("--deadline must be above 0 and at most 86400.")
        }
        guard let against else {
            guard words.isEmpty else { throw ValidationError("Words after '--' are for --against WHAT. Say WHAT.") }
            guard budget == 60, smallestEffect == 0.03, !untilWorse, !allowUndecided else {
                throw ValidationError(
                    "--budget, --smallest-effect, --until-worse and --allow-undecided are for --against WHAT.")
            }
            return
        }
        guard (1...86_400).contains(budget) else { throw ValidationError("--budget must be from 1 to 86400.") }
        guard let command = words.first, GateProgram.blockCommands.contains(command) else {
            throw ValidationError("Say after '--' what a block does, as: -- bench --trace zipf-1.0 --policy lru.")
        }
        let taken = ["--out", "--quiet", "--resume"].first { name in
            (words + against.split(separator: " ").map(String.init)).contains {
                $0 == name || $0.hasPrefix(name + "=")
            }
        }
        if let taken { throw ValidationError("\(taken) is the gate's: leave it out of the words of a block.") }
        guard (0.001...1).contains(smallestEffect) else {
            throw ValidationError("--smallest-effect must be from 0.1% to 100%, as 3%.")
        }
    }

    /// Measures and judges; nil without `--against`. Ends the process with status 130 if it is interrupted.
    ///
    /// - Throws: `AssayError` as ``GateProgram`` does, and with code `badInput` if only one side is an optimised build.
    func judge(isStrict: Bool, allowsMissing: Bool) throws(AssayError) -> GateOutcome? {
        guard let against else { return nil }
        let monitor = ReplayMonitor()
        let interrupt = Interrupt(saying: "stopping; press Ctrl-C again to end at once") { monitor.stop() }
        defer { withExtendedLifetime(interrupt) {} }
        var gate = PairedGate(seed: .random(in: 0...UInt64(UInt32.max)))
        gate.rules.smallestEffect = smallestEffect
        (gate.budgetSeconds, gate.isStrict, gate.allowsMissing) = (budget, isStrict, allowsMissing)
        (gate.endsAtWorse, gate.allowsUndecided) = (untilWorse, allowUndecided)
        gate.command = Self.quoted(["assay"] + CommandLine.arguments.dropFirst())
        do throws(AssayError) {
            return try judge(gate, against, monitor)
        } catch {
            if monitor.isStopping { Foundation.exit(130) }
            throw error
        }
    }

    private func judge(
        _ gate: PairedGate, _ against: String, _ monitor: ReplayMonitor
    ) throws(AssayError) -> GateOutcome {
        AbandonedFolders.clear(GateBlock.folderPrefix)
        let baseline = try GateProgram.find(against, monitor)
        var candidate = GateProgram.current
        if baseline.hasWords { candidate.description += " by '\(Self.quoted(words))'" }
        var gate = gate
        gate.pairsInOrder = baseline.hasWords
        func seconds() -> Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }
        let start = seconds()
        defer { if Console.hasTerminal { Console.progress(nil) } }
        var builds: [PairedGate.Side: String] = [:]
        var blocks = 0
        var outcome = try gate.judge(
            baseline: baseline.description, candidate: candidate.description, seconds: seconds
        ) { side throws(AssayError) in
            if Console.hasTerminal {
                Console.progress("block \(blocks + 1) · \(Int(seconds() - start)) of \(Int(budget)) s")
            }
            blocks += 1
            let program = side == .baseline ? baseline : candidate
            let block = try program.block(words, deadline: deadline, monitor)
            builds[side] = block.build
            try Self.requireAlike(builds[.baseline], builds[.candidate])
            return block.figures
        }
        if let old = builds[.baseline], let new = builds[.candidate], old != new {
            outcome.notes.append("The baseline was built by \(old), the candidate by \(new).")
        } else if builds[.candidate]?.hasSuffix("release") == false {
            outcome.notes.append("Both sides are debug builds, whose times say little of release builds.")
        }
        return outcome
    }

    /// Refuses to hold an optimised build against one that is not.
    private static func requireAlike(_ old: String?, _ new: String?) throws(AssayError) {
        guard let old, let new, old.hasSuffix("release") != new.hasSuffix("release") else { return }
        throw AssayError(
            .badInput,
            "The baseline is built by \(old), the candidate by \(new). Build both with -c release.",
            at: .init("--against"))
    }

    /// Words as a shell takes them.
    private static func quoted(_ words: [String]) -> String {
        words.map { word in
            word.wholeMatch(of: /[A-Za-z0-9_=.\/,:%+@-]+/) != nil
                ? word : "'" + word.replacing("'", with: "'\\''") + "'"
        }.joined(separator: " ")
    }
}
