import ArgumentParser
import CacheCore
import CacheHarness
import Foundation

/// The `assay` command with every subcommand.
public enum Assay {
    /// Runs the command with the arguments of this process.
    ///
    /// It returns if all is well, and otherwise prints the error and ends the process with the status that `assay --help` lists.
    public static func main() async {
        // Writing to a pipe that nobody reads is an error to look at, not the end: a run still has reports to write.
        signal(SIGPIPE, SIG_IGN)
        _ = TimingConditions.ofProcess
        do {
            try ArgumentCheck(RootCommand.self).check(Array(CommandLine.arguments.dropFirst()))
            var command = try RootCommand.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
            try Console.throwIfOutputFailed()
        } catch let error as AssayError {
            Console.error("assay: \(error.description)")
            exit(error.code.exitStatus)
        } catch {
            let (text, code) = (RootCommand.fullMessage(for: error), RootCommand.exitCode(for: error))
            if !text.isEmpty { code.isSuccess ? Console.print(text) : Console.error(text) }
            exit(code.rawValue)
        }
    }
}
