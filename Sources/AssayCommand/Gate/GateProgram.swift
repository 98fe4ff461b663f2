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
    /// Whether these say already what a block does.
    var hasWords = false

    /// The commands that a block may be.
    static let blockCommands = ["bench", "run"]

    /// How long the build of a revision may take, in seconds.
    private static let buildDeadline = 3600.0
    /// How long git and tar may take, in seconds.
    private static let gitDeadline = 120.0

    /// This program.
    static var current: GateProgram {
        let path = Bundle.main.executablePath ?? CommandLine.arguments[0]
        return GateProgram(description: "this program (\(path))", executable: path)
    }

    /// What `--against` names: the path of a program, a git revision, which is built, other words for this program, or a command.
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
        // Without the shell in between, a signal would end the shell alone.
        func shell(_ description: String, _ command: String, hasWords: Bool) -> GateProgram {
            GateProgram(
                description: description, executable: "/bin/sh",
                arguments: ["-c", "exec \(command) \"$@\"", current.executable], hasWords: hasWords)
        }
        if words.count > 1, blockCommands.contains(String(words[0])) {
            return shell("this program by '\(what)'", "\"$0\" \(what)", hasWords: true)
        }
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
        return shell("the command '\(what)'", what, hasWords: false)
    }

    private static func isFound(_ name: String) -> Bool {
        let folders =
            name.contains("/") ? [""] : (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.contains { FileManager.default.isExecutableFile(atPath: $0.isEmpty ? name : "\($0)/\(name)") }
    }

    /// Builds a revision in a folder that is removed, and keeps the program for the next gate.
    private static func build(
        _ name: String, _ commit: String, _ root: String, _ monitor: ReplayMonitor
    ) throws(AssayError) -> GateProgram {
        let cache = "\(root)/.build/gate"
        let short = String(commit.prefix(12))
        // Whatever this program's file is called.
        let product = "assay"
        let program = GateProgram(
            description: "revision \(name) (\(short))", executable: "\(cache)/\(product)-\(short)")
        guard !FileManager.default.isExecutableFile(atPath: program.executable) else { return program }
        let folder = try inFiles("made", cache) {
            try FileManager.default.createDirectory(atPath: cache, withIntermediateDirectories: true)
            AbandonedFolders.clear("build-", in: cache)
            return try AbandonedFolders.hold("build-", in: cache)
        }
        defer { folder.remove() }
        Console.error("assay: builds \(program.description), once; this takes minutes, and is given up after an hour")
        let archive = "\(folder.path)/sources.tar"
        _ = try git(["-C", root, "archive", "--format=tar", "--output", archive, commit], monitor)
        _ = try run(["tar", "-xf", archive, "-C", folder.path], deadline: gitDeadline, monitor)
        _ = try run(
            ["swift", "build", "--package-path", folder.path, "-c", "release", "--product", product],
            deadline: buildDeadline, monitor)
        // In one step: another gate may build the same revision.
        try inFiles("kept", program.executable) {
            let built = "\(folder.path)/.build/release/\(product)"
            guard rename(built, program.executable) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        }
        return program
    }

    private static func inFiles<Result>(
        _ verb: String, _ path: String, _ body: () throws -> Result
    ) throws(AssayError) -> Result {
        do { return try body() } catch {
            throw AssayError(
                .inputOutput, "The build of a revision cannot be \(verb). Make its folder writable.", at: .init(path),
                cause: "\(error)")
        }
    }

    private static func git(_ arguments: [String], _ monitor: ReplayMonitor) throws(AssayError) -> String {
        try run(["git"] + arguments, deadline: gitDeadline, monitor)
    }

    /// Runs a tool; what it prints, without space around.
    private static func run(
        _ words: [String], deadline: Double, _ monitor: ReplayMonitor
    ) throws(AssayError) -> String {
        var child = ChildProcess(executable: "/usr/bin/env", arguments: words, deadlineSeconds: deadline)
        child.leadsGroup = true
        let ending = child.run(input: []) { monitor.isStopping }
        guard case .exited(status: 0, let output) = ending.outcome else {
            throw Self.failure(ending, words, "A tool that the gate needs", deadline, status: { _ in .unavailable })
        }
        return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs commands of a gate.yaml one after another in its folder, with this program as `assay`. What they print goes to standard error.
    ///
    /// - Throws: `AssayError` with code `unavailable` for one that ends with a status other than 0, and `crashed` for one that crashes
    ///   or passes its deadline, in seconds.
    static func run(_ commands: [String], beside path: String, deadline: Double) throws(AssayError) {
        guard !commands.isEmpty else { return }
        let monitor = ReplayMonitor()
        let interrupt = Interrupt(saying: "stopping; press Ctrl-C again to end at once") { monitor.stop() }
        defer { withExtendedLifetime(interrupt) {} }
        let programs = URL(filePath: current.executable).deletingLastPathComponent().path
        let folder = URL(filePath: path).deletingLastPathComponent().path
        let search = "\(programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
        for command in commands {
            Console.print("$ \(command)")
            var child = ChildProcess(
                executable: "/bin/sh", arguments: ["-c", "exec 1>&2; cd \"$1\" && eval \"$2\"", "sh", folder, command],
                environment: ["PATH": search], deadlineSeconds: deadline)
            (child.leadsGroup, child.showsErrors) = (true, true)
            let ending = child.run(input: []) { monitor.isStopping }
            if monitor.isStopping { Foundation.exit(130) }
            if case .exited(status: 0, output: _) = ending.outcome { continue }
            throw Self.failure(ending, [command], "A command of \(path)", deadline) { _ in .unavailable }
        }
    }

    /// Runs a block with these words; its figures, and how its program was built.
    ///
    /// - Throws: `AssayError` with the code of the block's exit status if it fails, `crashed` if it crashes or passes its deadline, and
    ///   `badInput` if it leaves no results.
    func block(_ words: [String], deadline: Double, _ monitor: ReplayMonitor) throws(AssayError) -> GateBlock {
        let folder = try AssayError.madeFolder { () throws(StoreError) in
            try AbandonedFolders.hold(GateBlock.folderPrefix)
        }
        defer { folder.remove() }
        let words = (hasWords ? [] : words) + ["--out", folder.path, "--quiet"]
        var environment = ChildProcess.plainCrashes
        environment[LiveMeasurement.timesAlone] = "1"
        var child = ChildProcess(
            executable: executable, arguments: arguments + words, environment: environment, deadlineSeconds: deadline)
        child.leadsGroup = true
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
            let lines = (String(decoding: output, as: UTF8.self) + "\n" + ending.errors).split(separator: "\n")
                .reduce(into: [Substring]()) { if !$0.contains($1) { $0.append($1) } }
            let faults = lines.filter { $0.contains("error:") }.prefix(5)
            return error(
                code(status), "ended with status \(status)",
                (faults.isEmpty ? lines.suffix(5) : faults).joined(separator: "\n"))
        case .signalled(let signal): return error(.crashed, "was ended by signal \(signal)", ending.errors)
        case .hung: return error(.crashed, "was ended after its deadline of \(deadline) s", ending.errors)
        case .notStarted(let reason, lacksResource: _): return error(.unavailable, "did not start", reason)
        // The command looks at the monitor and ends as interrupted.
        case .stopped: return error(.undecided, "was interrupted", "")
        }
    }
}
