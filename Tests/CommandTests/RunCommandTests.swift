import Foundation
import Testing

@Suite("assay run: from a trace to reports")
struct RunCommandTests {
    /// Ten requests for four objects; LRU of 2 objects hits three of them.
    private static let trace = "1\n2\n1\n3\n3\n4\n1\n2\n2\n1\n"

    @Test func `every combination has its row, and the CSV begins as promised`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        let result = try assay.run(
            "run", "--trace", "short.txt", "--policy", "lru, fifo", "--capacity", "2, 50% ,100", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        let rows = try assay.read("out/results.csv").split(whereSeparator: \.isNewline)
        #expect(
            rows[0].hasPrefix(
                "trace,policy,parameters,admission,backend,capacity,capacity_unit,requests,hits,misses,evictions,"
                    + "hit_ratio,byte_hit_ratio,requests_per_second"))
        #expect(rows.count == 1 + 2 * 2)
        #expect(rows[1].hasPrefix("short,lru,,always,simulation,2,objects,10,4,6,4,0.4"))
        for name in ["report.html", "results.json", "results.csv"] {
            #expect(result.output.contains("out/\(name)"))
            #expect(FileManager.default.fileExists(atPath: assay.path("out/\(name)")))
        }
        #expect(!result.errors.contains("\r"), "a progress line was drawn into a pipe")
    }

    @Test func `live runs over every backend count what the simulation counts`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", String(repeating: Self.trace, count: 30))
        let result = try assay.run(
            "run", "--trace", "short.txt", "--policy", "lru,s3fifo", "--capacity", "2", "--simulate", "--backend",
            "dictionary,file,sqlite", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        let cells = try #require(try assay.json("out/results.json")["cells"] as? [[String: Any]])
        #expect(cells.count == 2 * 4)
        for policy in ["lru", "s3fifo"] {
            let hits = cells.filter { $0["policy"] as? String == policy }.map {
                ($0["counts"] as? [String: Any])?["hits"] as? Int
            }
            #expect(Set(hits).count == 1 && hits.first != .some(nil))
        }
        for cell in cells where cell["backend"] as? String != "simulation" {
            #expect(cell["latency"] != nil)
            let memory = try #require(cell["memory"] as? [String: Any])
            let held = cell["backend"] as? String == "dictionary" ? memory["payloadBytes"] as? Int ?? 0 : 1
            #expect(memory["allocatedBytes"] as? Int ?? 0 >= held, "\(memory)")
        }
        let disk = cells.filter { $0["backend"] as? String == "file" }.compactMap { $0["memory"] as? [String: Any] }
        #expect(disk.allSatisfy { ($0["diskFiles"] as? Int ?? 0) > 0 })
    }

    @Test func `a compiled trace is used again, and a changed file is not taken for the old one`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        func requests(_ out: String) throws -> Int? {
            let result = try assay.run(
                "run", "--trace", "short.txt", "--policy", "lru", "--capacity", "2", "--quiet", "--out", out)
            #expect(result.status == 0, "\(result.errors)")
            return (try assay.json("\(out)/results.json")["traces"] as? [[String: Any]])?.first?["requests"] as? Int
        }
        #expect(try requests("one") == 10)
        #expect(try requests("two") == 10)
        try assay.write("short.txt", Self.trace + "9\n")
        #expect(try requests("three") == 11)
    }

    @Test(
        "bad input ends with the documented status and names place and remedy",
        arguments: [
            (["--trace", "short.txt", "--policy", "lur"], 64, "Did you mean 'lru'?"),
            (["--trace", "short.txt", "--policy", "s3fifo:smal=0.1"], 64, "Did you mean 'small'?"),
            (["--trace", "short.txt", "--policy", "s3fifo:small=7"], 64, "small"),
            (["--trace", "short.txt", "--policy", "lru,slru:shares=1"], 64, "one positive number for each"),
            (["--trace", "short.txt", "--policy", "clock-pro:cold-min=0.9,cold-max=0.1"], 64, "clock-pro: cold-min"),
            (["--trace", "short.txt", "--policy", "adaptve/*"], 64, "Did you mean 'adaptive/*'?"),
            (["--trace", "short.txt", "--policy", "lru", "--capacity", "0"], 64, "greater than 0"),
            (["--trace", "short.txt", "--policy", "lru", "--capacity", "1,64MiB"], 64, "no capacity in bytes"),
            (["--trace", "short.txt", "--policy", "lru", "--backend", "dictonary"], 64, "Did you mean 'dictionary'?"),
            (["--trace", "build-file"], 64, "Did you mean 'build-files'?"),
            (["--trace", "short.txt", "--format", "crv:key=1"], 64, "csv"),
            (["--trace", "./missing.txt"], 74, "missing.txt"),
            (["--trace", "missing.txt"], 64, "no file is named"),
            (["--trace", "bad.csv", "--format", "csv:key=1,size=2"], 65, "bad.csv:2"),
            (["--trace", "cut.lis"], 65, "cut.lis:2"),
            (["--trace", "cut.oracleGeneral"], 65, "cut.oracleGeneral at byte 24"),
            (["--trace", "empty.txt"], 65, "empty.txt"),
            (["--trace", "short.txt", "--policy", "lru", "--out", "/proc/nowhere"], 74, "--out"),
        ])
    func badInput(_ arguments: [String], _ status: Int32, _ words: String) throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        try assay.write("bad.csv", "1,10\n2,ten\n")
        try assay.write("cut.lis", "1 2 0 0\n5 x\n")
        try assay.write("empty.txt", "")
        try Data(count: 24 + 7).write(to: assay.directory.appending(path: "cut.oracleGeneral"))
        let result = try assay.run(AssayProcess.executable, ["run"] + arguments)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: assay.path("Reports")))
    }

    @Test func `an interrupted run keeps what was finished, and --resume completes it to the same results`() throws {
        let assay = try AssayProcess()
        let ids = (0..<20_000).map { "\(($0 * 7919) % 1000)" }
        try assay.write("long.txt", ids.joined(separator: "\n"))
        let arguments = [
            "run", "--trace", "long.txt", "--policy", "segmented/*,adaptive/*", "--capacity",
            "1%,2%,3%,5%,7%,10%,20%,30%", "--jobs", "1",
        ]
        #expect(try assay.run(AssayProcess.executable, arguments + ["--out", "whole"]).status == 0)

        let process = assay.prepared(AssayProcess.executable, arguments + ["--out", "halved"])
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let journal = assay.path("halved/cells.jsonl")
        while process.isRunning, (FileManager.default.contents(atPath: journal)?.count ?? 0) < 100 { sched_yield() }
        process.interrupt()
        process.waitUntilExit()
        try #require(process.terminationStatus == 130, "it was over before it could be interrupted")
        #expect(try assay.json("halved/results.json")["status"] as? String == "interrupted")

        #expect(try assay.run("run", "--trace", "long.txt", "--out", "halved").status == 64)
        #expect(try assay.run("run", "--resume", "halved").status == 0)
        let (whole, halved) = (try assay.json("whole/results.json"), try assay.json("halved/results.json"))
        #expect(halved["status"] as? String == "complete")
        #expect(try Self.counts(whole) == Self.counts(halved))
        #expect(!FileManager.default.fileExists(atPath: journal))
        #expect(try assay.run("run", "--resume", "halved").status == 65)
    }

    @Test func `a terminal gets a progress line`() throws {
        let script = URL(filePath: "/usr/bin/script")
        guard FileManager.default.isExecutableFile(atPath: script.path) else { return }
        let assay = try AssayProcess()
        try assay.write("long.txt", (0..<800_000).map { "\(($0 * 7919) % 5000)" }.joined(separator: "\n"))
        let command =
            "\(AssayProcess.executable.path) run --trace long.txt --policy lhd,hyperbolic,lecar --capacity 1%,2%,5%,10% --out out"
        let result = try assay.run(script, ["-qec", command, "/dev/null"])
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("combinations"))
        #expect(result.output.contains("requests/s"))
    }

    private static func counts(_ results: [String: Any]) throws -> [String] {
        try #require(results["cells"] as? [[String: Any]]).map { cell in
            let counts = try #require(cell["counts"] as? [String: Any])
            return
                "\(cell["policy"] ?? "") \(cell["capacity"] ?? "") \(counts["hits"] ?? "") \(counts["evictions"] ?? "")"
        }
    }
}

@Suite("Memory figures against an independent calculation")
struct MemoryFigureTests {
    /// What jemalloc gives for a request: its size classes are four to a power of two, multiples of 16 below 128.
    private func sizeClass(_ bytes: Int) -> Int {
        guard bytes > 128 else { return (bytes + 15) & ~15 }
        let step = 1 << (Int.bitWidth - (bytes - 1).leadingZeroBitCount - 3)
        return (bytes + step - 1) & ~(step - 1)
    }

    @Test func `a dictionary's bytes are those of its buckets, keys and values, and the cache's own few`() throws {
        let assay = try AssayProcess()
        let objects = 3000
        try assay.write("t.txt", (0..<objects).map { "\($0 + 100_000)" }.joined(separator: "\n"))
        let small = try memory(assay, objects, valueBytes: 256)
        let large = try memory(assay, objects, valueBytes: 1500)
        // An array has a header of 32 bytes.
        let difference = objects * (sizeClass(32 + 1500) - sizeClass(32 + 256))
        let measured = large.allocated - small.allocated
        #expect(abs(Double(measured) / Double(difference) - 1) < 0.01, "\(measured) for \(difference)")
        // The dictionary has 4096 buckets of a key's reference and an entry of 24 bytes.
        let entries = objects * (sizeClass(32 + 256) + sizeClass(32 + small.keyBytes))
        let buckets = sizeClass(64 + 4096 / 8 + 4096 * (8 + 24))
        let own = Double(small.allocated - entries - buckets) / Double(objects)
        // What the cache keeps of an entry beside key and value: its place, key hash, links and policy state.
        #expect((-4...64).contains(own), "\(own) bytes an entry beside key, value and bucket")
    }

    private func memory(
        _ assay: AssayProcess, _ objects: Int, valueBytes: Int
    ) throws -> (allocated: Int, keyBytes: Int) {
        let result = try assay.run(
            "run", "--trace", "t.txt", "--policy", "lru", "--capacity", "\(objects)", "--backend", "dictionary",
            "--value-bytes", "\(valueBytes)", "--out", "out-\(valueBytes)")
        #expect(result.status == 0, "\(result.errors)")
        let cells = try assay.json("out-\(valueBytes)/results.json")["cells"] as? [[String: Any]]
        let memory = try #require(cells?.first?["memory"] as? [String: Any])
        try #require(memory["meter"] as? String == "jemalloc", "libjemalloc is not installed")
        let allocated = try #require(memory["allocatedBytes"] as? Int) - #require(memory["policyBytes"] as? Int)
        return (allocated, (try #require(memory["payloadBytes"] as? Int) - objects * valueBytes) / objects)
    }
}
