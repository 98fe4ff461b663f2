import ArgumentParser
import CacheCore
import CacheHarness
import Foundation
import Synchronization

#if !CommandLine
    #error("The product AssayCommand needs the trait CommandLine: write traits: [\"CommandLine\"] in the dependency.")
#endif

/// The `assay` command with every subcommand.
public enum Assay {
    /// Runs the command with these plug-ins and the arguments of this process.
    ///
    /// It returns if all is well, and otherwise prints the error and ends the process with the status that `assay --help` lists; 64 if
    /// two plug-ins of a kind have the same name. Call it once. Commands run on the main thread, which needs no other: valgrind can run
    /// them.
    @MainActor public static func main(_ plugins: Plugins = .builtin) async {
        // Writing to a pipe that nobody reads is an error to look at, not the end: a run still has reports to write.
        signal(SIGPIPE, SIG_IGN)
        _ = TimingConditions.ofProcess
        let end = await run {
            // Before anything is parsed or completed, which asks for the plug-ins in use.
            try plugins.adding(PluginSelection.paths(in: arguments)).use()
            return try parse(arguments)
        }
        if end.status != 0 { exit(end.status) }
    }

    /// The command that arguments name, with what they say.
    static func parse(_ arguments: [String]) throws -> any ParsableCommand {
        try ArgumentCheck(RootCommand.self).check(arguments)
        return try RootCommand.parseAsRoot(arguments)
    }

    /// Runs a command to its end and prints why it fails; its exit status, and what was printed of it.
    @MainActor static func run(_ parsed: () throws -> any ParsableCommand) async -> (status: Int32, error: String) {
        do {
            var command = try parsed()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            try Console.throwIfOutputFailed()
            return (0, "")
        } catch let error as AssayError {
            Console.error("assay: \(error.description)")
            return (error.code.exitStatus, error.description)
        } catch {
            let (text, code) = (RootCommand.fullMessage(for: error), RootCommand.exitCode(for: error))
            if !text.isEmpty { code.isSuccess ? Console.print(text) : Console.error(text) }
            return (code.rawValue, text)
        }
    }

    /// The arguments of the command that runs, as results record them: where it is watched, those behind `watch` and its options.
    static var arguments: [String] { Array(CommandLine.arguments.dropFirst(1 + watchWords.load(ordering: .relaxed))) }

    /// How many of the arguments are `watch` and its options.
    static let watchWords = Atomic(0)

    /// What this program is called by whoever started it: help and completions are about that name.
    static var name: String {
        CommandLine.arguments.first.map { URL(filePath: $0).lastPathComponent }.flatMap { $0.isEmpty ? nil : $0 }
            ?? "assay"
    }
}
