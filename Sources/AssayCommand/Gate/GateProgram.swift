import CacheCore
import CacheHarness
import Foundation

/// One side of a gate over times: what is started for each block.
struct GateProgram {
    /// What it is, for people.
    var description: String
    /// The executable.
    var executable: String
    /// The arguments before the words of a block.
    var arguments: [String] = []

    /// How long the build of a revision may take, in seconds.
    private static let buildDeadline = 3600.0

    /// This program.
    static var current: GateProgram {
        let path = Bundle.main.executablePath ?? CommandLine.arguments[0]
        return GateProgram(description: "this program (\(path))", executable: path)
    }

    /// What `--against` names: the path of a program, a git revision, which is built, or a command.
    ///
    /// - Throws: `AssayError` with code `usage` if it is none of them, and `unavailable` if a revision cannot be built.
    static func find(_ what: String, _ monitor: ReplayMonitor) throws(AssayError) -> GateProgram {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: what, isDirectory: &isDirectory), !isDirectory.boolValue,
            FileManager.default.isExecutableFile(atPath: what)
        {
            return GateProgram(description: "the program \(what)", executable: URL(filePath: what).path)
        }
        let words = what.split(separator: " ")
        if words.count == 1, let root = try? git(["rev-parse", "--show-toplevel"], monitor),
            let commit = try? git(["-C", root, "rev-parse", "--verify", "--quiet", "\(what)^{commit}"], monitor)
        {
            return try build(what, commit, root, monitor)
        }
        guard let first = words.first, isFound(String(first)) else {
            throw AssayError(
                .usage,
                "'\(what)' is no program, no revision of a git repository here, and no command in PATH. Name one of them.",
                at: .init("--against"))
        }
        // Without the shell in between, a signal would end the shell alone.
        return GateProgram(
            description: "the command '\(what)'", executable: "/bin/sh", arguments: ["-c", "exec \(what) \"$@\"", "sh"])
    }

    private static func isFound(_ name: String) -> Bool {
        let folders =
            name.contains("/") ? [""] : (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: $0.isEmpty ? name : "\($0)/\(name)") }
    }

    /// Builds a revision in a worktree of its own, which stays for the next gate.
    private static func build(
        _ name: String, _ commit: String, _ root: String, _ monitor: ReplayMonitor
    ) throws(AssayError) -> GateProgram {
        let folder = "\(root)/.build/gate/\(commit.prefix(12))"
        let program = GateProgram(
            description: "revision \(name) (\(commit.prefix(12)))", executable: "\(folder)/.build/release/\(Assay.name)"
        )
        guard !FileManager.default.isExecutableFile(atPath: program.executable) else { return program }
        if !FileManager.default.fileExists(atPath: folder) {
            _ = try git(["-C", root, "worktree", "prune"], monitor)
            _ = try git(["-C", root, "worktree", "add", "--quiet", "--detach", folder, commit], monitor)
        }
        Console.error(
            "assay: builds \(program.description) in \(folder), once; this takes minutes, and is given up after an hour"
        )
        _ = try run(
            ["swift", "build", "--package-path", folder, "-c", "release", "--product", Assay.name],
            deadline: buildDeadline, monitor)
        return program
    }

    private static func git(_ arguments: [String], _ monitor: ReplayMonitor) throws(AssayError) -> String {
        try run(["git"] + arguments, deadline: 120, monitor)
    }

    /// Runs a tool; what it prints, without space around.
    private static func run(
        _ words: [String], deadline: Double, _ monitor: ReplayMonitor
    ) throws(AssayError) -> String {
        let child = ChildProcess(executable: "/usr/bin/env", arguments: words, deadlineSeconds: deadline)
        let ending = child.run(input: []) { monitor.isStopping }
        guard case .exited(status: 0, let output) = ending.outcome else {
            throw Self.failure(ending, words, "A tool that the gate needs", deadline, status: { _ in .unavailable })
        }
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs a block with these words; its figures, and how its program was built.
    ///
    /// - Throws: `AssayError` with the code of the block's exit status if it fails, `crashed` if it crashes or passes its deadline, and
    ///   `badInput` if it leaves no results.
    func block(_ words: [String], deadline: Double, _ monitor: ReplayMonitor) throws(AssayError) -> GateBlock {
        let folder = try AssayError.madeFolder { () throws(StorageError) in
            try AbandonedFolders.hold(GateBlock.folderPrefix)
        }
        defer { folder.remove() }
        let words = words + ["--out", folder.path, "--quiet"]
        let child = ChildProcess(
            executable: executable, arguments: arguments + words, environment: ChildProcess.plainCrashes,
            deadlineSeconds: deadline)
        let ending = child.run(input: []) { monitor.isStopping }
        guard case .exited(status: 0, output: _) = ending.outcome else {
            throw Self.failure(ending, words, "A block of \(description)", deadline) { status in
                AssayError.Code.allCases.first { $0.exitStatus == status } ?? .crashed
            }
        }
        return try GateBlock(in: folder.path, of: description)
    }

    private static func failure(
        _ ending: (outcome: ChildProcess.Outcome, errors: String), _ words: [String], _ subject: String,
        _ deadline: Double,
        status code: (Int32) -> AssayError.Code
    ) -> AssayError {
        let command = words.joined(separator: " ")
        func error(_ code: AssayError.Code, _ end: String, _ cause: String) -> AssayError {
            AssayError(
                code, "\(subject) \(end): \(command). Mend that, and start the gate again.",
                cause: cause.isEmpty ? nil : cause)
        }
        switch ending.outcome {
        case .exited(let status, let output):
            // What a build complains about stands on its standard output.
            let lines = String(decoding: output, as: UTF8.self).split(separator: "\n").suffix(5)
            return error(
                code(status), "ended with status \(status)",
                ending.errors.isEmpty ? lines.joined(separator: "\n") : ending.errors)
        case .signalled(let signal): return error(.crashed, "was ended by signal \(signal)", ending.errors)
        case .hung: return error(.crashed, "was ended after its deadline of \(deadline) s", ending.errors)
        case .notStarted(let reason, lacksResource: _): return error(.unavailable, "did not start", reason)
        // The command looks at the monitor and ends as interrupted.
        case .stopped: return error(.undecided, "was interrupted", "")
        }
    }
}
