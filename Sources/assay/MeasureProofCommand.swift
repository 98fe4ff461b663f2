import ArgumentParser
import CacheCore
import CacheHarness
import CacheTraces

/// `assay measure-proof`: whether live runs measure truly on this machine, for `scripts/prove-measures`.
struct MeasureProofCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure-proof",
        abstract: "Measure subjects with known delays and stalls, and print measured over injected.",
        shouldDisplay: false)

    @Option(help: ArgumentHelp("The trace: a path or the name of a workload.", valueName: "path|name"))
    var trace: String

    @Option(
        help: ArgumentHelp("Where compiled traces are kept (default: the user's cache directory).", valueName: "dir"))
    var compiledTraces: String?

    func run() throws {
        let compiled = try TraceOpener(compiledTraces: compiledTraces).open(trace, format: nil).compiled
        let keys = (0..<compiled.objects).map { compiled.key(of: ObjectID($0)) }
        let findings = try MeasureProof.run(compiled.columns, keys: keys)
        for finding in findings {
            let verdict = finding.holds ? "true " : "FALSE"
            let ratio = (finding.ratio * 10_000).rounded() / 10_000
            Console.print("\(verdict)  ratio \(ratio)  (1 ± \(finding.tolerance))  \(finding.name)")
        }
        guard let wrong = findings.first(where: { !$0.holds }) else { return }
        throw AssayError(
            .verdict, "a figure is not true here: \(wrong.name). Other work on this machine may be why; try again.")
    }
}
