import Foundation
import Testing
import _CacheTestSupport

@Suite(
    "assay --plugin loads policies and backends in other languages",
    .enabled(if: SharedLibrary.hasC, "\(SharedLibrary.withoutC)"))
struct PluginCommandTests {
    private static let lru = Result { try SharedLibrary.c("Examples/CPolicy/lru.c") }
    private static let map = Result { try SharedLibrary.c("Examples/CBackend/map.c") }
    private static let liars = Result { try SharedLibrary.c("Tests/CachePluginsTests/Plugins/liars.c") }

    private func process() throws -> AssayProcess {
        let assay = try AssayProcess()
        try assay.write("keys.txt", (0..<4_000).map { "\($0 * $0 % 613)" }.joined(separator: "\n"))
        return assay
    }

    private func cells(_ assay: AssayProcess, _ file: String = "out/results.json") throws -> [[String: Any]] {
        try #require(try assay.json(file)["cells"] as? [[String: Any]])
    }

    private func hits(_ cell: [String: Any]) -> Int? { (cell["counts"] as? [String: Any])?["hits"] as? Int }

    @Test func `simulated and live, over a backend of a plug-in too, with the hits of the built-in policy`() throws {
        let assay = try process()
        let result = try assay.run(
            "run", "--plugin", Self.lru.get(), "--plugin=\(Self.map.get())", "--trace", "keys.txt", "--policy",
            "lru,c-lru",
            "--capacity", "50", "--backend", "c-map", "--simulate", "--out", "out", "--quiet")
        #expect(result.status == 0, "\(result.errors)")
        let cells = try cells(assay)
        #expect(cells.count == 4 && Set(cells.compactMap(hits)).count == 1, "\(cells)")
        #expect(cells.compactMap { $0["backend"] as? String } == ["simulation", "simulation", "c-map", "c-map"])
    }

    @Test func `in curve, advise, bench and list`() throws {
        let assay = try process()
        let lru = try Self.lru.get()
        for arguments in [
            ["curve", "--trace", "keys.txt", "--policy", "c-lru", "--points", "3", "--out", "curve", "--quiet"],
            ["advise", "--trace", "keys.txt", "--policy", "c-lru", "--budget", "50", "--out", "advice", "--quiet"],
            ["bench", "--trace", "keys.txt", "--policy", "c-lru", "--repetitions", "1", "--out", "bench", "--quiet"],
            ["list", "policies", "c-lru"],
        ] {
            let result = try assay.run(AssayProcess.executable, arguments + ["--plugin", lru])
            #expect(result.status == 0, "\(arguments): \(result.errors)")
            let without = try assay.run(AssayProcess.executable, arguments)
            #expect(without.status == 64 && without.errors.contains("'c-lru'"), "\(arguments): \(without.errors)")
        }
    }

    @Test func `conform asks it in a child, and names a policy that lies`() throws {
        let sound = try AssayProcess().run("conform", "--plugin", Self.lru.get(), "policy:c-lru", "--quiet")
        #expect(sound.status == 0, "\(sound.output)\(sound.errors)")
        let lie = try AssayProcess().run(
            "conform", "--plugin", Self.liars.get(), "policy:liar:lie=twice", "--section", "PLC-3", "--quiet")
        #expect(lie.status == 2 && lie.output.contains("The policy liar evicted object"), "\(lie.output)\(lie.errors)")
    }

    @Test func `a lie is the failure of its combinations alone, and control characters are shown as escapes`() throws {
        let assay = try process()
        let result = try assay.run(
            "run", "--plugin", Self.liars.get(), "--trace", "keys.txt", "--policy",
            "lru,liar:lie=capacity,liar:lie=hit-fails",
            "--capacity", "50", "--backend", "dictionary", "--simulate", "--out", "out")
        #expect(result.status == 2, "\(result.status) \(result.errors)")
        #expect(result.output.contains("The policy liar exceeded its capacity at request"), "\(result.output)")
        #expect(!result.output.contains("\u{1B}[31m"))
        let cells = try cells(assay)
        #expect(cells.count == 6 && cells.compactMap(hits).count == 2, "\(cells)")
        #expect(cells.compactMap { $0["failure"] as? [String: Any] }.count == 4)
    }

    @Test func `a crash in a live run is the failure of its combination`() throws {
        let assay = try process()
        let result = try assay.run(
            "run", "--plugin", Self.liars.get(), "--trace", "keys.txt", "--policy", "lru,liar:lie=crash", "--capacity",
            "50",
            "--backend", "dictionary", "--out", "out")
        #expect(result.status == 3, "\(result.status) \(result.errors)")
        let failures = try cells(assay).compactMap { $0["failure"] as? [String: Any] }
        #expect(
            failures.count == 1 && (failures[0]["message"] as? String)?.contains("signal 11") == true, "\(failures)")
    }

    @Test func `what is no plug-in, and names that are taken, end the command at its start`() throws {
        let assay = try process()
        func run(_ plugins: String...) throws -> AssayProcess.Result {
            try assay.run(
                AssayProcess.executable,
                ["run", "--trace", "keys.txt", "--out", "out"] + plugins.flatMap { ["--plugin", $0] })
        }
        let text = try run("keys.txt")
        #expect(
            text.status == 65 && text.errors.contains("no shared library that can be loaded here"), "\(text.errors)")
        let missing = try run("missing.so")
        #expect(missing.status == 74 && missing.errors.contains("missing.so"), "\(missing.errors)")
        let twice = try run(Self.lru.get(), Self.lru.get())
        #expect(twice.status == 64 && twice.errors.contains("'c-lru'"), "\(twice.errors)")
        #expect(!FileManager.default.fileExists(atPath: assay.path("out")))
    }

    @Test func `an interrupted run goes on with its plug-ins`() throws {
        let assay = try process()
        let arguments = [
            "run", "--plugin", try Self.lru.get(), "--trace", "keys.txt", "--policy", "c-lru", "--capacity", "50,60",
            "--backend", "dictionary", "--out", "out", "--quiet",
        ]
        // A live combination is measured in passes, so that there is time to interrupt the second.
        let process = assay.prepared(AssayProcess.executable, arguments)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let journal = assay.path("out/cells.jsonl")
        while process.isRunning, (FileManager.default.contents(atPath: journal)?.count ?? 0) < 100 { sched_yield() }
        process.interrupt()
        process.waitUntilExit()
        try #require(process.terminationStatus == 130, "it was over before it could be interrupted")
        let refused = try assay.run("run", "--resume", "out", "--plugin", Self.lru.get())
        #expect(refused.status == 64, "\(refused.errors)")
        let resumed = try assay.run("run", "--resume", "out", "--quiet")
        #expect(resumed.status == 0, "\(resumed.errors)")
        #expect(try cells(assay).compactMap(hits).count == 2)
    }
}
