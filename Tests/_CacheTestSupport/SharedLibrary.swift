internal import Foundation

/// Shared libraries that tests compile, where there is a compiler.
public enum SharedLibrary {
    /// A compiler's failure, with what it printed.
    public struct Failure: Error, CustomStringConvertible {
        /// What it printed.
        public let description: String
    }

    /// Whether there is a C compiler.
    public static let hasC = (try? run(["sh", "-c", "command -v clang cc gcc"])) != nil
    /// Whether there is a Rust compiler.
    public static let hasRust = (try? run(["rustc", "--version"])) != nil
    /// What a test that needs a C compiler says when there is none.
    public static let withoutC = "skipped: there is no C compiler here; install clang or gcc"
    /// What a test that needs a Rust compiler says when there is none.
    public static let withoutRust = "skipped: there is no Rust compiler here; install rustc"

    /// The folder of `assay_plugin.h`.
    public static let headers = SharedFolder.packageRoot.appending(path: "Sources/CAssayPlugin/include").path

    // Libraries that are loaded stay so: their files can go when the process ends.
    private static let directory: String = {
        let path = FileManager.default.temporaryDirectory.appending(path: "assay-libraries-\(UUID().uuidString)").path
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        atexit { try? FileManager.default.removeItem(atPath: SharedLibrary.directory) }
        return path
    }()

    private static let compiler = [
        "sh", "-c", "for c in clang cc gcc; do command -v $c >&2 && exec $c \"$@\"; done", "sh", "-O2", "-Wall",
        "-Wextra",
        "-Werror", "-Wno-unused-parameter",
    ]

    /// Compiles a file of this package in C, with warnings as errors unless they are of parameters that are not used.
    ///
    /// - Returns: The path of the library, which is there until the process ends.
    public static func c(_ source: String, defining definitions: [String] = []) throws -> String {
        let library = "\(directory)/\(UUID().uuidString).so"
        try run(
            compiler + [
                "-shared", "-fPIC", "-I", headers, SharedFolder.packageRoot.appending(path: source).path, "-o", library,
            ]
                + definitions.map { "-D\($0)" })
        return library
    }

    /// Compiles a program of this package in C with the sources of a library of this package, with warnings as errors.
    ///
    /// - Parameters:
    ///   - source: The file with `main`.
    ///   - library: The folder of the library's sources, which has its headers in `include`.
    /// - Returns: The path of the program, which is there until the process ends.
    public static func program(_ source: String, with library: String) throws -> String {
        let program = "\(directory)/\(UUID().uuidString)"
        let folder = SharedFolder.packageRoot.appending(path: library).path
        let sources = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".c") }
        try run(
            compiler + ["-I", folder + "/include", SharedFolder.packageRoot.appending(path: source).path]
                + sources.map { "\(folder)/\($0)" } + ["-lpthread", "-o", program])
        return program
    }

    /// Compiles a file of this package in Rust, with warnings as errors.
    ///
    /// - Returns: The path of the library, which is there until the process ends.
    public static func rust(_ source: String) throws -> String {
        let library = "\(directory)/\(UUID().uuidString).so"
        try run(
            ["rustc", "-O", "-D", "warnings", "--edition", "2021", "--crate-type", "cdylib"]
                + [SharedFolder.packageRoot.appending(path: source).path, "-o", library])
        return library
    }

    /// Runs a program, which prints little.
    ///
    /// - Returns: What it printed.
    @discardableResult
    public static func run(_ words: [String]) throws -> String {
        let process = Process()
        let (output, errors) = (Pipe(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(description: String(decoding: text, as: UTF8.self)) }
        return String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
