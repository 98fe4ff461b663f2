import Foundation
import Testing

@testable import AssayCommand

@Suite("assay sweep: one plan over many processes")
struct SweepCommandTests {
    /// Two blocks that share traces, so that the order of the results is not that of the shards.
    private static let plan = """
        description: Two traces, of which one is in both runs.
        runs:
          - traces: ["*.txt"]
            policies: [lru, sieve]
            capacities: [2, 50%, 10%]
          - traces: [b.txt, zipf-0.8-sizes]
            policies: [fifo, random]
            capacities: [5%]
            admissions: [always, tinylfu]
            seeds: [1, 7]
            warm-up: 10%
        """

    private func sweep() throws -> AssayProcess {
        let assay = try AssayProcess()
        try assay.write("a.txt", "1\n2\n1\n3\n3\n4\n1\n2\n2\n1\n")
        try assay.write("b.txt", (0..<3000).map { "\(($0 * 7919) % 271)" }.joined(separator: "\n"))
        try assay.write("plan.yaml", Self.plan)
        return assay
    }

    /// Results without what is measured, and without the words that asked for them.
    private func exact(_ assay: AssayProcess, _ path: String) throws -> String {
        var results = try assay.json(path)
        for name in ["startedAt", "durationSeconds", "commandLine", "warnings"] { results[name] = nil }
        var environment = try #require(results["environment"] as? [String: Any])
        environment["loadAverage"] = nil
        results["environment"] = environment
        results["cells"] = try #require(results["cells"] as? [[String: Any]]).map { cell in
            cell.filter { $0.key != "requestsPerSecond" && $0.key != "throughputRange" }
        }
        return String(
            decoding: try JSONSerialization.data(withJSONObject: results, options: .sortedKeys), as: UTF8.self)
    }

    private func files(_ assay: AssayProcess, _ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: assay.path(folder))) ?? []).sorted()
    }

    /// A scheduler of jobs starts many processes at once, and promises that they give what one gives.
    @Test func `two processes run each shard once, and the merge is what one run writes`() throws {
        let assay = try sweep()
        #expect(try assay.run("run", "--suite", "plan.yaml", "--windows", "2", "--out", "whole").status == 0)
        let planned = try assay.run(
            "sweep", "plan", "plan.yaml", "--windows", "2", "--out", "s", "--shard-minutes", "0.0001")
        #expect(planned.status == 0, "\(planned.errors)")
        let measured = try assay.run("sweep", "plan", "plan.yaml", "--calibrate", "b.txt", "--out", "measured")
        #expect(measured.status == 0 && measured.output.contains(" ns a request in the mean"), "\(measured.errors)")
        let calibration = try #require(try assay.json("measured/plan.json")["calibration"] as? [String: Any])
        let time = try #require(calibration["replayNanosecondsPerRequest"] as? Double)
        #expect(calibration["name"] as? String == "measured on b.txt" && time > 0)
        let shards = try #require(try assay.json("s/plan.json")["shards"] as? [[String: Any]]).count
        #expect(shards > 3, "no trace was split")
        // 6 for each of two traces, and 8 for each of two.
        #expect(planned.output.contains("28 combinations of 3 traces"))

        let processes = try (0..<2).map { number in
            let process = assay.prepared(AssayProcess.executable, ["sweep", "run", "s", "--jobs", "1"])
            _ = FileManager.default.createFile(atPath: assay.path("out-\(number)"), contents: nil)
            process.standardOutput = FileHandle(forWritingAtPath: assay.path("out-\(number)"))
            process.standardError = FileHandle.nullDevice
            try process.run()
            return process
        }
        for process in processes { process.waitUntilExit() }
        #expect(processes.map(\.terminationStatus) == [0, 0])
        let ran = try (0..<2).map { number in
            let match = try assay.read("out-\(number)").firstMatch(of: /(\d+) run/)
            return match.flatMap { Int($0.output.1) } ?? 0
        }
        #expect(ran.reduce(0, +) == shards, "\(ran)")
        #expect(files(assay, "s/results/0").count == shards && files(assay, "s/work") == [])

        // Written piece by piece, and then drawn as a whole: the same bytes.
        #expect(try assay.run("sweep", "merge", "s", "--no-page").status == 0)
        let pieces = ["results.json", "results.csv", "windows.csv"].map {
            FileManager.default.contents(atPath: assay.path("s/report/\($0)"))
        }
        let merged = try assay.run("sweep", "merge", "s")
        #expect(merged.status == 0, "\(merged.errors)")
        let drawn = ["results.json", "results.csv", "windows.csv"].map {
            FileManager.default.contents(atPath: assay.path("s/report/\($0)"))
        }
        #expect(pieces == drawn && pieces.allSatisfy { $0 != nil })
        #expect(FileManager.default.fileExists(atPath: assay.path("s/report/report.html")))
        #expect(try exact(assay, "s/report/results.json") == exact(assay, "whole/results.json"))
        #expect(try assay.read("s/report/windows.csv") == assay.read("whole/windows.csv"))
        #expect(try assay.run("sweep", "status", "s").output.contains("done: \(shards)"))

        // Shard by shard or from the results: the same comparison across traces.
        let across = try assay.run("report", "s/report/results.json", "--across", "--out", "again")
        #expect(across.status == 0 && across.output.contains("reduction over fifo"), "\(across.errors)")
        for name in ["across.csv", "across-traces.csv", "across.html", "across.tex"] {
            #expect(try assay.read("s/report/\(name)") == assay.read("again/\(name)"), "\(name)")
        }
        let unknown = try assay.run("sweep", "merge", "s", "--baseline-policy", "nru", "--out", "refused")
        #expect(unknown.status == 64 && unknown.errors.contains("'nru' is not among"), "\(unknown.errors)")
        #expect(files(assay, "refused") == [])
    }

    /// Batch systems end jobs by SIGKILL when their time is over.
    @Test func `a shard that is killed is gone on with alone`() throws {
        // A machine that is done with a short trace before it can be killed gets a longer one.
        for requests in [100_000, 1_000_000, 10_000_000] where try isKilledAndGoneOnWith(requests: requests) { return }
        Issue.record("each run was over before it could be killed")
    }

    /// Whether a run over a trace of so many requests could be killed in its middle.
    private func isKilledAndGoneOnWith(requests: Int) throws -> Bool {
        let assay = try AssayProcess()
        try assay.write("a.txt", "1\n2\n1\n")
        try assay.write("long.txt", (0..<requests).map { "\(($0 * 7919) % 1000)" }.joined(separator: "\n"))
        let options = ["--trace", "a.txt,long.txt", "--policy", "segmented/*,adaptive/*", "--capacity", "1%,3%,7%,20%"]
        #expect(try assay.run(AssayProcess.executable, ["run"] + options + ["--out", "whole"]).status == 0)
        #expect(try assay.run(AssayProcess.executable, ["sweep", "plan"] + options + ["--out", "s"]).status == 0)
        #expect(try assay.run("sweep", "run", "s", "--shard", "0").status == 0)

        let process = assay.prepared(AssayProcess.executable, ["sweep", "run", "s", "--jobs", "1"])
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let journal = assay.path("s/work/1/cells.jsonl")
        while process.isRunning, (FileManager.default.contents(atPath: journal)?.count ?? 0) < 100 { sched_yield() }
        kill(process.processIdentifier, SIGSTOP)
        let status = try assay.run("sweep", "status", "s").output
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        guard !status.contains("done: 2"), process.terminationReason == .uncaughtSignal else { return false }
        #expect(status.contains("running: 1"))
        #expect(try assay.run("sweep", "status", "s").output.contains("interrupted: 1"))

        let again = try assay.run("sweep", "run", "s")
        #expect(
            again.status == 0 && again.output.contains("kept from an attempt before"), "\(again.output)\(again.errors)")
        #expect(again.output.contains("1 run, 1 done before"))
        #expect(try assay.run("sweep", "merge", "s", "--no-page").status == 0)
        #expect(try exact(assay, "s/report/results.json") == exact(assay, "whole/results.json"))
        return true
    }

    /// A worker without the disk of the machine that planned has the inputs elsewhere.
    @Test func `relative paths of a plan are found under another root, and nowhere else`() throws {
        let assay = try sweep()
        let planned = try assay.run(
            "sweep", "plan", "--trace", "a.txt,b.txt", "--policy", "lru", "--capacity", "2", "--out", "s")
        #expect(planned.status == 0)
        for name in ["elsewhere", "empty"] {
            try FileManager.default.createDirectory(atPath: assay.path(name), withIntermediateDirectories: true)
        }
        for name in ["a.txt", "b.txt"] {
            try FileManager.default.moveItem(atPath: assay.path(name), toPath: assay.path("elsewhere/\(name)"))
        }
        #expect(try assay.run("sweep", "run", "s", "--root", "empty").status == 64)
        let missing = try assay.run("sweep", "run", "s", "--root", "none")
        #expect(missing.status == 74 && missing.errors.contains("--root"), "\(missing.errors)")
        #expect(try assay.run("sweep", "run", "s", "--root", "elsewhere").output.contains("2 run"))
    }

    @Test func `a changed input is refused, what is missing is listed, and what is mended is run`() throws {
        let assay = try sweep()
        let planned = try assay.run(
            "sweep", "plan", "--trace", "a.txt,b.txt", "--policy", "lru", "--capacity", "1, 2", "--out", "s")
        #expect(planned.status == 0 && planned.output.contains("4 combinations of 2 traces"), "\(planned.output)")
        #expect(try assay.run("sweep", "merge", "s").status == 69)
        let original = try assay.read("b.txt")
        try assay.write("b.txt", original + "\n5\n")
        let refused = try assay.run("sweep", "run", "s")
        #expect(refused.status == 65)
        #expect(refused.errors.contains("shard 1 (b): b.txt: The input is not what it was"), "\(refused.errors)")
        #expect(try assay.run("sweep", "status", "s").output.contains("shard 1 (b): failed: b.txt"))

        let partial = try assay.run("sweep", "merge", "s")
        #expect(partial.status == 69 && partial.errors.contains("shard 1 (b): failed: b.txt"), "\(partial.errors)")
        let results = try assay.json("s/report/results.json")
        #expect(results["status"] as? String == "interrupted")
        let cells = try #require(results["cells"] as? [[String: Any]])
        #expect(!cells.isEmpty && cells.allSatisfy { $0["trace"] as? String == "a" })

        try assay.write("b.txt", original)
        let mended = try assay.run("sweep", "run", "s")
        #expect(
            mended.status == 0 && mended.output.contains("1 run, 1 done before"), "\(mended.output)\(mended.errors)")
        #expect(files(assay, "s/failures") == [])
        #expect(try assay.run("sweep", "merge", "s").status == 0)
    }

    @Test func `a damaged plan or result is refused with its place, and one of another plan too`() throws {
        let assay = try sweep()
        for (name, policy) in [("s", "lru"), ("t", "fifo")] {
            #expect(try assay.run("sweep", "plan", "--trace", "a.txt", "--policy", policy, "--out", name).status == 0)
            #expect(try assay.run("sweep", "run", name).status == 0)
        }
        let name = try #require(files(assay, "s/results/0").first)
        let whole = try #require(FileManager.default.contents(atPath: assay.path("s/results/0/\(name)")))
        for damage in [whole.prefix(whole.count / 2), Data(whole.reversed()), Data()] {
            try damage.write(to: URL(filePath: assay.path("s/results/0/\(name)")))
            let refused = try assay.run("sweep", "merge", "s")
            #expect(refused.status == 65 && refused.errors.contains("results/0/\(name)"), "\(refused.errors)")
            #expect(refused.errors.contains("--shard 0"))
        }
        try FileManager.default.removeItem(atPath: assay.path("s/results/0/\(name)"))
        let other = try #require(files(assay, "t/results/0").first)
        try FileManager.default.copyItem(
            atPath: assay.path("t/results/0/\(other)"), toPath: assay.path("s/results/0/\(other)"))
        #expect(try assay.run("sweep", "merge", "s").errors.contains("of another plan"))

        let plan = try assay.read("s/plan.json")
        for damage in ["", "{}", String(plan.dropLast(plan.count / 2)), plan.replacing("\"lru\"", with: "\"arc\"")] {
            try assay.write("s/plan.json", damage)
            for command in ["run", "merge", "status"] {
                let refused = try assay.run("sweep", command, "s")
                #expect(refused.status == 65 && refused.errors.contains("s/plan.json"), "\(refused.errors)")
            }
        }
    }

    @Test(
        "what a sweep cannot do is refused with the remedy",
        arguments: [
            (["plan", "plan.yaml", "--out", "s", "--backend", "file"], 64, "assay run"),
            (["plan", "plan.yaml", "--out", "s", "--trace", "a.txt"], 64, "--trace"),
            (["plan", "--trace", "-", "--out", "s"], 64, "Save it as a file"),
            (["plan", "--trace", "a.txt", "--policy", "lur", "--out", "s"], 64, "Did you mean 'lru'?"),
            (["plan", "bad.yaml", "--out", "s"], 65, "bad.yaml:2"),
            (["plan", "--out", "s"], 64, "names backends"),
            (["run", "nowhere"], 65, "assay sweep plan"),
            (["run", "good", "--shard", "1"], 64, "from 0 to 0"),
            (["script", "kubernetes", "good"], 64, "--image"),
        ])
    func refusals(_ arguments: [String], _ status: Int32, _ words: String) throws {
        let assay = try sweep()
        try assay.write("bad.yaml", "description: x\nruns: [{traces: [a.txt], seeds: [1, 1]}]\n")
        #expect(try assay.run("sweep", "plan", "--trace", "a.txt", "--policy", "lru", "--out", "good").status == 0)
        let result = try assay.run(AssayProcess.executable, ["sweep"] + arguments)
        #expect(result.status == status && result.errors.contains(words), "\(result.status) \(result.errors)")
    }

    /// What a scheduler runs is run here, by the shells that it uses, in a directory whose name a shell would take apart.
    @Test func `the scripts for Slurm and Kubernetes run every shard`() throws {
        let assay = try sweep()
        let directory = "it's a $(sweep)"
        let planned = try assay.run(
            "sweep", "plan", "plan.yaml", "--out", directory, "--shard-minutes", "0.0001")
        #expect(planned.status == 0, "\(planned.errors)")
        let program = ["--program", AssayProcess.executable.path, "--tasks", "3"]
        let slurm = try assay.run(AssayProcess.executable, ["sweep", "script", "slurm", directory] + program)
        #expect(slurm.output.contains("#SBATCH --array=0-2\n") && slurm.output.contains("#SBATCH --requeue\n"))
        try assay.write("sweep.sbatch", slurm.output)
        let job = try assay.run(
            AssayProcess.executable,
            ["sweep", "script", "kubernetes", directory, "--image", "i", "--claim", "c"] + program)
        #expect(job.output.contains("completions: 3\n"))
        let line = try #require(job.output.firstMatch(of: /args:\n *- (".*")\n/)).output.1
        let command = try JSONDecoder().decode(String.self, from: Data(line.utf8))

        let environment = URL(filePath: "/usr/bin/env")
        for task in 0..<2 {
            let result = try assay.run(environment, ["SLURM_ARRAY_TASK_ID=\(task)", "bash", "sweep.sbatch"])
            #expect(result.status == 0, "\(result.errors)")
        }
        #expect(try assay.run("sweep", "merge", directory, "--no-page").status == 69, "the third task was not needed")
        let result = try assay.run(environment, ["JOB_COMPLETION_INDEX=2", "/bin/sh", "-c", command])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try assay.run("sweep", "merge", directory, "--no-page").status == 0)
    }

    @Test func `numbers of shards are read as they are written`() throws {
        #expect(try ShardNumbers.parse(["7", "0-2,7"], of: 9) == [0, 1, 2, 7])
        #expect(try ShardNumbers.parse(["2/3"], of: 9) == [2, 5, 8])
        #expect(try ShardNumbers.parse(["4/5"], of: 3) == [])
        for text in ["9", "-1", "3-1", "3/3", "1/0", "x", "1-2-3", "99999999999999999999", "0-9"] {
            #expect(throws: (any Error).self, "\(text)") { try ShardNumbers.parse([text], of: 9) }
        }
    }
}
