import Foundation
import Testing
import _CacheTestSupport

/// Runs the built `assay`, or `assay-dev`, as a user would, in a directory of its own.
final class AssayProcess {
    struct Result {
        var status: Int32
        var output: String
        var errors: String
    }

    /// A directory that is removed with this object: the working directory, and the home of caches and completions.
    let directory: URL
    private let program: URL
    private let environment: [String: String]

    init(_ program: URL = AssayProcess.executable, environment: [String: String] = [:]) throws {
        self.program = program
        directory = FileManager.default.temporaryDirectory.appending(path: "assay-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        self.environment = environment
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// The program that people use.
    static let executable = product("assay")
    /// The program that developers use.
    static let developers = product("assay-dev")

    /// A program beside the test bundle.
    private static func product(_ name: String) -> URL {
        let products = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let beside = products.appending(path: name)
        if FileManager.default.isExecutableFile(atPath: beside.path) { return beside }
        return SharedFolder.packageRoot.appending(path: ".build/debug/\(name)")
    }

    func path(_ name: String) -> String { directory.appending(path: name).path }

    func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: directory.appending(path: name)) }

    func read(_ name: String) throws -> String {
        try String(contentsOf: directory.appending(path: name), encoding: .utf8)
    }

    /// Decodes a JSON file as dictionaries and arrays.
    func json(_ name: String) throws -> [String: Any] {
        let data = try Data(contentsOf: directory.appending(path: name))
        return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// A process that is set up but not started.
    func prepared(_ executable: URL, _ arguments: [String]) -> Process {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.currentDirectoryURL = directory
        var variables = ProcessInfo.processInfo.environment
        variables["HOME"] = directory.path
        variables["XDG_CACHE_HOME"] = path("cache")
        process.environment = variables.merging(environment) { $1 }
        return process
    }

    /// Runs the program with arguments to its end.
    func run(_ arguments: String...) throws -> Result { try run(program, arguments) }

    /// Runs git here to its end, which must be good.
    func git(_ arguments: String...) throws {
        let names = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgSign=false"]
        let result = try run(URL(filePath: "/usr/bin/env"), ["git"] + names + arguments)
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Runs any program to its end.
    func run(_ executable: URL, _ arguments: [String]) throws -> Result {
        let process = prepared(executable, arguments)
        // Files, not pipes: neither side can wait for the other however much is printed.
        let (out, err) = (path("stdout-\(UUID().uuidString)"), path("stderr-\(UUID().uuidString)"))
        for file in [out, err] { _ = FileManager.default.createFile(atPath: file, contents: nil) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle(forWritingAtPath: out)
        process.standardError = FileHandle(forWritingAtPath: err)
        try process.run()
        process.waitUntilExit()
        return Result(
            status: process.terminationStatus, output: try String(contentsOfFile: out, encoding: .utf8),
            errors: try String(contentsOfFile: err, encoding: .utf8))
    }
}
