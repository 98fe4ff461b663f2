import ArgumentParser
import CacheCore
import Foundation

/// `assay completions`: prints or installs the completion script of a shell.
struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print or install completions for bash, zsh or fish.")

    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        var completionShell: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }

        /// Where each shell looks for a user's own completions of this program, below the home directory.
        var userPath: String {
            switch self {
            case .bash: ".local/share/bash-completion/completions/\(Assay.name)"
            case .zsh: ".zfunc/_\(Assay.name)"
            case .fish: ".config/fish/completions/\(Assay.name).fish"
            }
        }
    }

    @Argument(help: "The shell (default: the one in $SHELL).")
    var shell: Shell?

    @Flag(help: "Write the script to where the shell looks for a user's completions.")
    var install = false

    func run() throws {
        let inUse = ProcessInfo.processInfo.environment["SHELL"].map { URL(filePath: $0).lastPathComponent }
        guard let shell = shell ?? inUse.flatMap(Shell.init(rawValue:)) else {
            throw AssayError(.usage, "$SHELL names none of bash, zsh and fish; write 'assay completions bash'.")
        }
        let script = RootCommand.completionScript(for: shell.completionShell)
        guard install else { return Console.print(script) }
        // $HOME before the user database, as shells do.
        let home = ProcessInfo.processInfo.environment["HOME"].map { URL(filePath: $0) }
        let path = (home ?? FileManager.default.homeDirectoryForCurrentUser).appending(path: shell.userPath)
        do {
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(script.utf8).write(to: path, options: .atomic)
        } catch {
            throw AssayError(.inputOutput, "cannot be written", at: .init(path.path), cause: error.localizedDescription)
        }
        Console.print("Installed \(path.path); it works in new shells.")
        if shell == .zsh {
            Console.print("zsh needs ~/.zfunc in its fpath: fpath+=~/.zfunc; autoload -U compinit; compinit")
        }
    }
}
