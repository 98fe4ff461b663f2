import Foundation
import Testing

@Suite("The built command knows the policy, the backend and the subcommand of this package")
struct BenchmarkTests {
    /// The names of the policies to compare with.
    private static let others = "lru,fifo,clock,sieve,s3fifo,slru,2q,arc,lfu,random"
    /// Workloads that come with Assay.
    private static let traces = "build-files,sort-pages,sqlite-pages,loop,hotspot"

    @Test func `curves show the policy beside ten others on five traces, with the hits of its built-in like`() throws {
        let command = try Command()
        let result = try command.run(
            "curve", "--trace", Self.traces, "--policy", "mine,\(Self.others)", "--capacity", "2%,20%", "--out",
            "curves")
        #expect(result.status == 0, "\(result.errors)")
        let rows = try command.table("curves/curve.csv")
        #expect(Set(rows.map { $0["policy"] }).count == 11)
        #expect(Set(rows.map { $0["trace"] }).count == 5)
        // The rule of this package is CLOCK's.
        func ratios(_ policy: String) -> [[String?]] {
            rows.filter { $0["policy"] == policy }.map { [$0["trace"], $0["capacity"], $0["hit_ratio"]] }
        }
        #expect(ratios("mine").count == 10 && ratios("mine") == ratios("clock"))
        // A cycle that is longer than the cache is the worst case of every queue.
        #expect(ratios("mine").filter { $0[0] == "loop" }.map { $0[2] } == ["0.0", "0.0"])
    }

    @Test func `a bench drives the policy over the backend, and hits what the simulation hits`() throws {
        let command = try Command()
        let bench = try command.run(
            "bench", "--trace", "sort-pages", "--policy", "mine", "--backend", "mine", "--capacity", "10%",
            "--repetitions", "1", "--out", "bench")
        #expect(bench.status == 0, "\(bench.errors)")
        let run = try command.run(
            "run", "--trace", "sort-pages", "--policy", "mine", "--capacity", "10%", "--out", "run")
        #expect(run.status == 0, "\(run.errors)")
        let simulated = try #require(try command.table("run/results.csv").first)
        let driven = try command.table("bench/bench.csv")
        #expect(Set(driven.map { $0["backend"] }) == ["mine"])
        #expect(simulated["policy"] == "mine")
        #expect(Set(driven.map { $0["hit_ratio"] }) == [simulated["hit_ratio"]])
    }

    @Test func `advice may choose the policy`() throws {
        let result = try Command().run("advise", "--trace", "build-files", "--policy", "mine", "--budget", "84")
        #expect(result.status == 0 && result.output.contains("mine"), "\(result.output)\(result.errors)")
    }

    @Test(arguments: [
        ["policy:mine"], ["mine", "--section", "BAS"], ["cache:mine", "--section", "CAP"],
        ["stored:mine+mine", "--section", "CLR,CAP"],
    ])
    func `conform holds the policy, the backend and caches made of them to the suite`(_ arguments: [String]) throws {
        let result = try Command().run(["conform", "--quiet"] + arguments)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains(" pass "))
    }

    @Test func `conform asks a backend and a cache the checks of this package`() throws {
        let result = try Command().run("conform", "dictionary", "cache:lru", "--section", "SESSION", "--quiet")
        #expect(
            result.status == 0 && result.output.split(separator: "\n").count { $0.contains("SESSION-") } == 4,
            "\(result)")
        #expect(try Command().run("conform", "--explain", "SESSION-2").output.contains("Finds stores by prefix."))
    }

    @Test func `the subcommand runs, is in the help, and fails as the others do`() throws {
        let command = try Command()
        try command.write("requests.txt", "a\nb\na\nc\n")
        let result = try command.run("once", "--trace", "requests.txt")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == "2 of 3 objects are requested once\n")
        #expect(try command.run("--help").output.contains("Count the objects of a trace that are requested once."))
        #expect(try command.run("once", "--trace", "missing.txt").status == 74)
        let near = try command.run("onse", "--trace", "requests.txt")
        #expect(near.status == 64 && near.errors.contains("Did you mean 'once'?"), "\(near.errors)")
        let twice = try command.run("once", "--trace", "requests.txt", "--trace", "other.txt")
        #expect(twice.status == 64 && twice.errors.contains("given twice"), "\(twice.errors)")
    }

    @Test func `lists, help and completions have the names`() throws {
        let command = try Command()
        #expect(try command.run("list", "policies", "mine").output.contains("unless it was asked for"))
        #expect(try command.run("list", "backends").output.contains("\n  mine\n"))
        #expect(try command.run("--help").output.contains("USAGE: benchmark"))
        #expect(try command.run("completions", "bash").output.contains("-F _benchmark benchmark"))
        let offered = try command.run(
            "---completion", "run", "--", "--policy", "3", "2", "benchmark", "run", "--policy", "mi")
        #expect(offered.output.split(separator: "\n").contains("mine"))
        let near = try command.run("run", "--trace", "loop", "--policy", "minne")
        #expect(near.status == 64 && near.errors.contains("Did you mean 'mine'?"), "\(near.errors)")
    }
}

/// The built command in a directory of its own.
private final class Command {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "benchmark-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: directory) }

    func write(_ name: String, _ text: String) throws { try Data(text.utf8).write(to: directory.appending(path: name)) }

    func run(_ arguments: String...) throws -> (status: Int32, output: String, errors: String) { try run(arguments) }

    func run(_ arguments: [String]) throws -> (status: Int32, output: String, errors: String) {
        let process = Process()
        // The program beside the test bundle.
        process.executableURL = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(
            path: "benchmark")
        process.arguments = arguments
        process.currentDirectoryURL = directory
        process.environment = ProcessInfo.processInfo.environment.merging(["XDG_CACHE_HOME": directory.path]) { $1 }
        let files = ["output", "errors"].map { directory.appending(path: "\($0)-\(UUID().uuidString)") }
        for file in files { try Data().write(to: file) }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files[0])
        process.standardError = try FileHandle(forWritingTo: files[1])
        try process.run()
        process.waitUntilExit()
        let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        return (process.terminationStatus, texts[0], texts[1])
    }

    /// The rows of a CSV file whose cells hold no commas where they are looked at.
    func table(_ name: String) throws -> [[String: String]] {
        let text = try String(contentsOf: directory.appending(path: name), encoding: .utf8)
        let rows = text.split(whereSeparator: \.isNewline).map { line in
            line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        return rows.dropFirst().map { Dictionary(zip(rows[0], $0)) { first, _ in first } }
    }
}
