import Foundation
import Testing

@Suite("assay bench: caches under load")
struct BenchCommandTests {
    private static let trace = (0..<3000).map { "\(($0 * $0) % 97)\n" }.joined()

    @Test func `two subjects, closed and open loop, as JSON, CSV, histograms and a page`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        let result = try assay.run(
            "bench", "--trace", "short.txt", "--policy", "lru", "--backend", "dictionary,file", "--capacity", "20",
            "--threads", "2", "--requests", "4000", "--warm-up", "500", "--removals", "2%", "--rate", "1000",
            "--step-seconds", "0.1", "--compressible", "2", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        for words in ["dictionary", "evicting put", "measuring costs", "2 subjects"] {
            #expect(result.output.contains(words))
        }
        let json = try assay.json("out/bench.json")
        #expect(json["schemaVersion"] as? Int == 2)
        let subjects = try #require(json["subjects"] as? [[String: Any]])
        #expect(subjects.count == 2)
        for subject in subjects {
            let cell = try #require(subject["cell"] as? [String: Any])
            // The hit ratio is of reads: 2 % of the 4000 requests remove.
            let reads = (cell["counts"] as? [String: Any])?["requests"] as? Int ?? 0
            #expect((3880...3960).contains(reads))
            let memory = try #require(cell["memory"] as? [String: Any])
            #expect(memory["leakedBytes"] is Int && memory["fileDescriptors"] is Int)
            let (peak, allocated) = (memory["peakBytes"] as? Int ?? 0, memory["allocatedBytes"] as? Int ?? 0)
            #expect(peak >= allocated && allocated > 0)
            #expect(memory["allocationsPerRequest"] as? Double ?? -1 >= 0, "\(memory)")
            // Only a store in a directory can be opened again.
            let lifecycle = subject["lifecycle"] as? [String: Any]
            #expect((lifecycle != nil) == (cell["backend"] as? String == "file"))
            if let lifecycle {
                let recovered = lifecycle["entriesRecovered"] as? Int ?? 0
                #expect(recovered > 0 && recovered == lifecycle["entriesBeforeKill"] as? Int, "\(lifecycle)")
                #expect(lifecycle["entriesOpened"] as? Int == recovered, "\(lifecycle)")
                #expect(lifecycle["recoverNanoseconds"] as? Int ?? 0 > 0)
            }
            let timing = try #require(subject["timing"] as? [String: Any])
            #expect(timing["warmUpRequests"] as? Int == 500)
            let operations = (timing["latency"] as? [[String: Any]])?.compactMap { $0["operation"] as? String } ?? []
            #expect(Set(operations).isSuperset(of: ["hit", "miss", "evicting put", "remove"]))
            #expect((timing["steps"] as? [Any])?.count == 1)
        }
        let rows = try assay.read("out/bench.csv").split(whereSeparator: \.isNewline)
        #expect(rows.contains { $0.contains(",closed,") && $0.contains(",evicting put,") })
        #expect(rows.contains { $0.contains(",open,1000.0,") && $0.contains(",response,") })
        let histogram = try assay.read("out/histograms/1-short-lru-dictionary-hit.hgrm")
        #expect(histogram.contains("1/(1-Percentile)") && histogram.contains("#[Mean"))
        let page = try assay.read("out/bench.html")
        #expect(page.contains("Latency by operation and outcome") && page.contains("What measuring costs"))
        let again = try assay.run("report", "out/bench.json", "--out", "again")
        #expect(again.status == 0, "\(again.errors)")
        for name in ["bench.csv", "bench.html", "bench.json", "histograms/1-short-lru-dictionary-hit.hgrm"] {
            #expect(try assay.read("again/\(name)") == assay.read("out/\(name)"))
        }
    }

    @Test func `systems are put under load whole, with their room or for all that comes`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        let result = try assay.run(
            "bench", "--trace", "short.txt", "--subject",
            "method-cache,expiring-disk-cache,call-cache,record-cache,http-cache", "--capacity", "20", "--threads", "2",
            "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        let subjects = try #require(try assay.json("out/bench.json")["subjects"] as? [[String: Any]])
        #expect(subjects.count == 5)
        for subject in subjects {
            let cell = try #require(subject["cell"] as? [String: Any])
            let name = cell["backend"] as? String ?? ""
            #expect(cell["failure"] == nil, "\(name): \(cell)")
            let counts = try #require(cell["counts"] as? [String: Any])
            #expect(counts["requests"] as? Int == 3000 && counts["hits"] as? Int ?? 0 > 0, "\(name)")
            let isBounded = name == "method-cache"
            #expect(cell["capacityRequested"] as? String == (isBounded ? "20" : "none"))
            let resident = counts["residentObjects"] as? Int ?? 0
            #expect(isBounded ? resident == 20 : resident == Set(Self.trace.split(separator: "\n")).count, "\(name)")
            #expect((subject["lifecycle"] != nil) == !isBounded, "\(name)")
        }
        let policy = try assay.run("bench", "--trace", "short.txt", "--subject", "policy:lru")
        #expect(policy.status == 64 && policy.errors.contains("by --policy"), "\(policy.errors)")
        let store = try assay.run("bench", "--trace", "short.txt", "--subject", "dictionary", "--out", "store")
        #expect(store.status == 0 && store.output.contains("claims no capacity"), "\(store.errors)")
    }

    @Test func `one thread hits what a simulation hits`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        let bench = try assay.run(
            "bench", "--trace", "short.txt", "--policy", "s3fifo", "--capacity", "20", "--out", "bench", "--quiet")
        #expect(bench.status == 0, "\(bench.errors)")
        let run = try assay.run(
            "run", "--trace", "short.txt", "--policy", "s3fifo", "--capacity", "20", "--out", "run", "--quiet")
        #expect(run.status == 0, "\(run.errors)")
        func hits(_ cell: [String: Any]?) -> Int? { (cell?["counts"] as? [String: Any])?["hits"] as? Int }
        let subject = (try assay.json("bench/bench.json")["subjects"] as? [[String: Any]])?.first
        let live = hits(subject?["cell"] as? [String: Any])
        #expect(live != nil)
        #expect(try hits((assay.json("run/results.json")["cells"] as? [[String: Any]])?.first) == live)
    }

    @Test func `a trace's own operations and costs are followed, where it states them`() throws {
        let assay = try AssayProcess()
        try assay.write("operations.csv", "a,set,5\nb,get,1\na,get,2\na,delete,1\na,get,3\n")
        let bench = try assay.run(
            "bench", "--trace", "operations.csv", "--format", "csv:key=1,op=2", "--capacity", "2", "--loading", "trace",
            "--out", "out", "--quiet")
        #expect(bench.status == 0, "\(bench.errors)")
        let subject = (try assay.json("out/bench.json")["subjects"] as? [[String: Any]])?.first
        let counts = try #require((subject?["cell"] as? [String: Any])?["counts"] as? [String: Any])
        #expect(counts["requests"] as? Int == 3 && counts["hits"] as? Int == 1)
        let costs = try assay.run(
            "bench", "--trace", "operations.csv", "--format", "csv:key=1,cost=3", "--miss-cost", "trace:1us", "--out",
            "costs", "--quiet")
        #expect(costs.status == 0, "\(costs.errors)")
        for (arguments, words) in [(["--loading", "trace"], "op=2"), (["--miss-cost", "trace:1us"], "cost=2")] {
            let refused = try assay.run(
                AssayProcess.executable,
                ["bench", "--trace", "operations.csv", "--format", "csv:key=1", "--out", "no"] + arguments)
            #expect(refused.status == 64 && refused.errors.contains(words), "\(refused.errors)")
        }
    }

    @Test(arguments: [
        (["--rate", "fast"], "rate"), (["--find-knee", "99"], "p99=1ms"), (["--miss-cost", "slow"], "time"),
        (["--removals", "120%"], "share"), (["--warm-up", "x"], "steady"),
        (["--loading", "x"], "look-aside"), (["--compressible", "0.5"], "compressible"),
    ])
    func `a mistake says what to write`(_ arguments: [String], _ words: String) throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        let result = try assay.run(AssayProcess.executable, ["bench", "--trace", "short.txt"] + arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains(words), "\(result.errors)")
    }
}
