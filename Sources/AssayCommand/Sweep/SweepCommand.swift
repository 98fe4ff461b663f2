import ArgumentParser
import CacheCore
import CacheHarness
import Foundation

/// `assay sweep`: one plan over many processes and machines.
struct SweepCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sweep",
        abstract: "Split a plan of many traces into shards that processes and machines run, and merge their results.",
        discussion: """
            A sweep lives in a directory that every machine sees. 'plan' writes what is to be done there, 'run' does it, as often \
            and in as many places as you like, 'status' says how far it is, and 'merge' makes what one 'assay run' would have \
            written. Nothing is done twice, and nothing that is done is lost.

            EXAMPLES
              assay sweep fetch public lirs --out traces
              assay sweep plan corpus.yaml --out sweep
              assay sweep plan --trace 'logs/*.csv' --policy lru,sieve --capacity 1%,10% --out sweep
              assay sweep run sweep
              assay sweep script slurm sweep > sweep.sbatch
              assay sweep status sweep
              assay sweep merge sweep
            """,
        subcommands: [
            SweepFetchCommand.self, SweepPlanCommand.self, SweepRunCommand.self, SweepStatusCommand.self,
            SweepMergeCommand.self,
            SweepScriptCommand.self,
        ])
}

/// The directory of a sweep, as every subcommand but `plan` takes it.
struct SweepDirectory: ParsableArguments {
    @Argument(help: "The directory of the sweep, which 'assay sweep plan' made.", completion: .directory)
    var directory: String

    /// Opens it.
    func open() throws(AssayError) -> ShardFolder { try ShardFolder(URL(filePath: directory).path) }
}

extension ShardFolder {
    /// Takes up the plan's working directory, or the one that stands for it here, and plug-ins, and returns the options that it was made
    /// with.
    ///
    /// - Throws: `AssayError` with code `badInput` for a plan of another version, `inputOutput` if its working directory is gone.
    func takeUp(root: String?) throws -> RunSelection {
        let place = AssayError.Location("\(path)/plan.json")
        guard plan.assayVersion == AssayVersion.text else {
            throw AssayError(
                .badInput,
                "Assay \(plan.assayVersion) made this plan, and this is \(AssayVersion.text), whose policies may differ. Run it with that one, or "
                    + "plan again in another directory.", at: place)
        }
        let root = root ?? plan.workingDirectory
        guard FileManager.default.changeCurrentDirectoryPath(root) else {
            throw AssayError(
                .inputOutput,
                "The directory \(root), to which the plan's paths refer, is not there. Name the one that has the inputs here with --root.",
                at: place)
        }
        try Plugins.add(PluginSelection.paths(in: plan.commandLine))
        guard let command = try? RootCommand.parseAsRoot(plan.commandLine) as? SweepPlanCommand else {
            throw AssayError(
                .badInput, "The plan's command line is not one of 'assay sweep plan'. Plan again in another directory.",
                at: place)
        }
        return command.selection
    }

    /// A shard's number and trace, for messages.
    func label(_ index: Int) -> String { "shard \(index) (\(plan.label(index)))" }
}
