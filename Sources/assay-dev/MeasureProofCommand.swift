import ArgumentParser
import AssayCommand
import CacheCore
import CacheHarness
import CacheTraces

/// `assay-dev measure-proof`: whether live runs measure truly on this machine, for `scripts/prove-measures`.
struct MeasureProofCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-proof",
        abstract: "Measure subjects with known delays, stalls, allocations and leaks; print measured over injected.")

    @Option(help: ArgumentHelp("The trace: a path or the name of a workload.", valueName: "path|name"))
    var trace: String

    @Option(
        help: ArgumentHelp("Where compiled traces are kept (default: the user's cache directory).", valueName: "dir"))
    var compiledTraces: String?

    @Flag(help: "Prove the memory pass: bytes, allocations and leaks; in a process with jemalloc.")
    var memory = false

    @Option(
        help: ArgumentHelp(
            "Compare a subject so often with itself, and with one that takes 5 % longer.", valueName: "number"))
    var comparisons: Int?

    func validate() throws {
        if let comparisons, comparisons < 1 { throw ValidationError("--comparisons must be at least 1.") }
    }

    func run() throws {
        let compiled = try TraceOpener(compiledTraces: compiledTraces).open(trace, format: nil).compiled
        let keys = (0..<compiled.objects).map { compiled.key(of: ObjectID($0)) }
        if let comparisons { return try compare(compiled.columns, keys, comparisons) }
        let policy = try Selection.policies(["lru"])[0].entry
        let findings =
            memory
            ? try MeasureProof.memory(compiled.columns, keys: keys, policy: policy)
            : try MeasureProof.run(compiled.columns, keys: keys)
        for finding in findings { Console.print(Self.line(finding)) }
        guard let wrong = findings.first(where: { !$0.holds }) else { return }
        throw AssayError(
            .verdict, "a figure is not true here: \(wrong.name). Other work on this machine may be why; try again.")
    }

    private static func line(_ finding: MeasureProof.Finding) -> String {
        let verdict = finding.holds ? "true " : "FALSE"
        if finding.isLimit {
            let measured = (finding.measured * 100).rounded() / 100
            return "\(verdict)  \(measured)  (below \(finding.injected))  \(finding.name)"
        }
        let ratio = (finding.ratio * 10_000).rounded() / 10_000
        let bounds = finding.tolerance == 0 ? "exactly 1" : "1 ± \(finding.tolerance)"
        return "\(verdict)  ratio \(ratio)  (\(bounds))  \(finding.name)"
    }

    private func compare(_ columns: RequestColumns, _ keys: [[UInt8]], _ runs: Int) throws {
        let outcome = try MeasureProof.comparisons(columns, keys: keys, runs: runs)
        let confidence = (outcome.confidence * 1000).rounded() / 10
        Console.print(
            "at \(confidence) % confidence, the same subject twice: no difference in \(runs - outcome.falseAlarms) of "
                + "\(runs) comparisons\n"
                + "5 % longer: the difference found in \(outcome.found) of \(runs)\n"
                + "60 ns in the place of 50: the difference found in \(outcome.foundFast) of \(runs)")
        guard !outcome.holds else { return }
        throw AssayError(.verdict, "comparisons are not true here. Other work on this machine may be why; try again.")
    }
}
