import Foundation
import Testing

@Suite("assay run, curve and bench: warm-up, windows, tenants, the trace's own times")
struct PartCommandTests {
    /// 500 objects once, then the same again: LRU of 500 hits all of the second half and nothing of the first.
    private static let twice = (0..<1000).map { "\($0 % 500)\n" }.joined()
    /// A request a second; every third of a tenant.
    private static let table =
        "time,key,tenant,cost\n" + (0..<900).map { "\($0),\($0 % 20),t\($0 % 3),\($0 % 5)\n" }.joined()
    private static let format = [
        "--trace", "table.csv", "--format", "csv:time=time,key=key,tenant=tenant,cost=cost,header",
    ]

    private func assay() throws -> AssayProcess {
        let assay = try AssayProcess()
        try assay.write("twice.txt", Self.twice)
        try assay.write("table.csv", Self.table)
        return assay
    }

    private func run(_ assay: AssayProcess, _ arguments: [String]) throws -> AssayProcess.Result {
        try assay.run(AssayProcess.executable, arguments)
    }

    private func rows(_ assay: AssayProcess, _ file: String) throws -> [[String: String]] {
        let lines = try assay.read(file).split(whereSeparator: \.isNewline)
            .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
        return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
    }

    @Test(arguments: ["500", "50%"])
    func `a warm-up is not counted, in simulations, live runs and curves`(_ warmUp: String) throws {
        let assay = try assay()
        let result = try run(
            assay,
            [
                "run", "--trace", "twice.txt", "--policy", "lru,fifo,belady", "--capacity", "500", "--simulate",
                "--backend", "dictionary", "--warm-up", warmUp, "--out", "out",
            ])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("The first 500 requests warm the caches and are not counted"))
        let cells = try rows(assay, "out/results.csv").filter { $0["failure"] == "" }
        #expect(cells.count == 5)
        for cell in cells {
            #expect(cell["requests"] == "500" && cell["hits"] == "500" && cell["evictions"] == "0")
            #expect(cell["bytes_written"] == "0" && cell["resident_objects"] == "500")
            #expect(cell["warm_up"] == warmUp && cell["warm_up_requests"] == "500")
        }
        let curve = try run(
            assay,
            [
                "curve", "--trace", "twice.txt", "--policy", "lru,s3fifo", "--capacity", "500,499", "--warm-up", warmUp,
                "--out", "curve",
            ])
        #expect(curve.status == 0, "\(curve.errors)")
        let points = try rows(assay, "curve/curve.csv").filter { $0["policy"] == "lru" }
        #expect(points.map { $0["hit_ratio"] } == ["0.0", "1.0"])
        #expect(points.allSatisfy { $0["warm_up_requests"] == "500" })
    }

    @Test(
        arguments: [
            (["--warm-up", "1000"], "leaves nothing of twice to count"), (["--warm-up", "100%"], "leaves nothing"),
            (["--warm-up", "1h"], "states no times"), (["--warm-up", "soon"], "write requests (500)"),
            (["--windows", "1s"], "states no times"), (["--windows", "0"], "says no windows"),
            (["--windows", "2000"], "1 to 1000 windows"), (["--by-tenant"], "states no tenants"),
            (["--windows", "3", "--backend", "dictionary"], "Leave --backend"),
        ])
    func `what cannot be counted is refused with a word`(_ arguments: [String], _ word: String) throws {
        let assay = try assay()
        let result = try run(
            assay, ["run", "--trace", "twice.txt", "--policy", "lru", "--capacity", "9", "--out", "out"] + arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains(word), "\(result.errors)")
    }

    @Test func `windows and tenants sum to the whole, whatever runs side by side`() throws {
        let assay = try assay()
        for jobs in ["1", "3"] {
            let result = try run(
                assay,
                ["run"] + Self.format + [
                    "--policy", "lru,sieve", "--capacity", "5,15", "--warm-up", "5min", "--windows", "100s",
                    "--by-tenant",
                    "--jobs", jobs, "--out", "out\(jobs)",
                ])
            #expect(result.status == 0, "\(result.errors)")
            #expect(
                result.output.contains("out\(jobs)/windows.csv") && result.output.contains("out\(jobs)/tenants.csv"))
        }
        let (windows, tenants) = (try rows(assay, "out1/windows.csv"), try rows(assay, "out1/tenants.csv"))
        #expect(try assay.read("out1/windows.csv") == assay.read("out3/windows.csv"))
        #expect(try assay.read("out1/tenants.csv") == assay.read("out3/tenants.csv"))
        for cell in try rows(assay, "out1/results.csv") {
            #expect(cell["requests"] == "600")
            // Costs go round by fives.
            #expect(cell["cost_requested"] == "1200.0")
            func mine(_ row: [String: String]) -> Bool {
                row["policy"] == cell["policy"] && row["capacity"] == cell["capacity"]
            }
            for parts in [windows.filter(mine), tenants.filter(mine)] {
                for name in ["requests", "hits", "bytes_requested", "bytes_hit"] {
                    #expect("\(parts.reduce(0) { $0 + (Int($1[name] ?? "") ?? 0) })" == cell[name])
                }
            }
            #expect(
                windows.filter(mine).map { $0["start_seconds"] } == [
                    "300.0", "400.0", "500.0", "600.0", "700.0", "800.0",
                ])
            #expect(Set(tenants.filter(mine).map { $0["tenant"] }) == ["t0", "t1", "t2"])
        }
        let report = try run(assay, ["report", "out1/results.json", "--out", "again"])
        #expect(report.status == 0, "\(report.errors)")
        #expect(try assay.read("again/windows.csv") == assay.read("out1/windows.csv"))
        #expect(try run(assay, ["gate", "out1/results.json", "out3/results.json", "--strict"]).status == 0)
    }

    @Test func `a block of a suite says its own warm-up`() throws {
        let assay = try assay()
        try assay.write(
            "mine.yaml",
            """
            description: Two warm-ups.
            runs:
              - traces: [twice.txt]
                policies: [lru]
                capacities: [500]
                warm-up: 50%
              - traces: [twice.txt]
                policies: [lru]
                capacities: [500]
            """)
        let result = try run(assay, ["run", "--suite", "./mine.yaml", "--out", "out"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(try rows(assay, "out/results.csv").map { $0["requests"] } == ["500", "1000"])
        try assay.write("bad.yaml", "description: x\nruns:\n  - traces: [twice.txt]\n    warm-up: soon\n")
        let bad = try run(assay, ["run", "--suite", "./bad.yaml", "--out", "bad"])
        #expect(bad.status == 64 && bad.errors.contains("'soon' is no warm-up"))
    }

    @Test(arguments: ["policies: [lruu]", "prefetchers: [oblx]", "warm-up: soon", "capacities: [5%, nine]"])
    func `what a suite names and nobody has is told with its place`(_ field: String) throws {
        let assay = try assay()
        try assay.write(
            "bad.yaml", "description: x\nruns:\n  - traces: [twice.txt]\n  - traces: [twice.txt]\n    \(field)\n")
        let bad = try run(assay, ["run", "--suite", "./bad.yaml", "--out", "bad"])
        #expect(bad.status == 64 && bad.errors.contains("bad.yaml:4: "), "\(bad.errors)")
    }

    @Test func `a bench keeps to the trace's own times, and says so`() throws {
        let assay = try assay()
        // 40 requests in the first second, one of them earlier than the one before.
        let times = (0..<40).map { $0 == 20 ? 3 : $0 * 25 }
        try assay.write("paced.csv", times.enumerated().map { "\($1),\($0 % 5)\n" }.joined())
        let result = try run(
            assay,
            [
                "bench", "--trace", "paced.csv", "--format", "csv:time=1,key=2,time-unit=ms", "--capacity", "3",
                "--rate", "trace:10x,2000", "--step-seconds", "0.2", "--repetitions", "1", "--out", "out",
            ])
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("Requests of the trace that are earlier than one before them: 1."))
        let steps = try rows(assay, "out/bench.csv").filter { $0["operation"] == "response" }
        #expect(steps.map { $0["trace_speed"] } == ["", "10.0"])
        #expect(steps[1]["operations"] == "40")
        let without = try run(
            assay, ["bench", "--trace", "twice.txt", "--capacity", "3", "--rate", "trace", "--out", "no"])
        #expect(without.status == 64 && without.errors.contains("states no times"))
        let wrong = try run(assay, ["bench", "--trace", "twice.txt", "--rate", "trace:fast", "--out", "no"])
        #expect(wrong.status == 64 && wrong.errors.contains("trace:10x"))
    }
}
