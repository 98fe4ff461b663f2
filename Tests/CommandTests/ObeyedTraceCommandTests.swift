import Foundation
import Testing

@Suite("Traces with operations: run, curve, advise, bench and inspect say the same")
struct ObeyedTraceCommandTests {
    /// Each of ten keys in turn: a read that misses, a write, two reads, a delete, a read that misses.
    private static let trace =
        "key,op,size\n"
        + (0..<60).map {
            "\($0 / 6 % 10),\(["get", "set", "get", "get", "delete", "get"][$0 % 6]),\($0 % 6 == 0 ? 0 : 50)\n"
        }
        .joined()
    private static let format = ["--trace", "ops.csv", "--format", "csv:key=key,op=op,size=size,header"]

    private func assay() throws -> AssayProcess {
        let assay = try AssayProcess()
        try assay.write("ops.csv", Self.trace)
        return assay
    }

    private func run(_ assay: AssayProcess, _ arguments: String...) throws -> AssayProcess.Result {
        try assay.run(AssayProcess.executable, [arguments[0]] + Self.format + arguments.dropFirst())
    }

    private func field(_ assay: AssayProcess, _ file: String, _ name: String, row: Int = 1) throws -> String {
        let rows = try assay.read(file).split(whereSeparator: \.isNewline)
            .map { $0.split(separator: ",", omittingEmptySubsequences: false) }
        return String(rows[row][try #require(rows[0].firstIndex { $0 == name })])
    }

    @Test func `hits of reads, what else the trace states, and the rules are in the results`() throws {
        let assay = try assay()
        let result = try run(assay, "run", "--policy", "lru", "--capacity", "500B", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("states 10 writes and 10 deletes, which are obeyed"))
        #expect(result.output.contains("Hit ratios are of the 40 reads (--count reads)."))
        let expected = [
            "requests": "40", "hits": "20", "writes": "10", "deletes": "10", "on_miss": "none", "counted": "reads",
            "resize": "reweigh",
        ]
        for (name, value) in expected { #expect(try field(assay, "out/results.csv", name) == value, "\(name)") }
        #expect(try assay.read("out/report.html").contains("states 10 writes and 10 deletes"))
        let all = try run(
            assay, "run", "--policy", "lru", "--capacity", "10", "--count", "all", "--on-miss", "fill", "--out", "all")
        #expect(all.status == 0, "\(all.errors)")
        // A read that misses fills, so that the write after it hits.
        #expect(try field(assay, "all/results.csv", "requests") == "50")
        #expect(try field(assay, "all/results.csv", "hits") == "30")
        let live = try run(
            assay, "run", "--policy", "lru", "--capacity", "500B", "--backend", "dictionary", "--out", "live")
        #expect(live.status == 0, "\(live.errors)")
        #expect(try field(assay, "live/results.csv", "hits") == "20")
        #expect(try field(assay, "live/results.csv", "requests") == "40")
    }

    @Test func `a target that no cache reaches is refused with what there is`() throws {
        let assay = try assay()
        let result = try run(assay, "advise", "--policy", "lru,fifo", "--target-hit-ratio", "0.75")
        #expect(result.status == 2)
        #expect(result.output.contains("one that keeps everything has 50.00 %"))
    }

    @Test func `curves are replayed, and SHARDS is refused`() throws {
        let assay = try assay()
        let curve = try run(assay, "curve", "--policy", "lru", "--capacity", "1,10", "--out", "curve")
        #expect(curve.status == 0, "\(curve.errors)")
        #expect(try field(assay, "curve/curve.csv", "method") == "replay")
        #expect(try field(assay, "curve/curve.csv", "hit_ratio") == "0.5")
        let shards = try run(assay, "curve", "--policy", "lru", "--method", "shards")
        #expect(shards.status == 64 && shards.errors.contains("writes or deletes"))
    }

    @Test func `inspect counts them, and a rule by which nothing is stored is refused`() throws {
        let assay = try assay()
        let inspected = try assay.run("inspect", "ops.csv", "--format", "csv:key=key,op=op,size=size,header")
        #expect(inspected.output.contains("writes                      10"))
        #expect(inspected.output.contains("0.5 of 40 reads"))
        try assay.write("reads.txt", "a\nb\na\n")
        let refused = try assay.run("run", "--trace", "reads.txt", "--policy", "lru", "--on-miss", "none")
        #expect(refused.status == 64 && refused.errors.contains("states no writes"))
    }

    @Test func `what misses cost is added up where the trace states it`() throws {
        let assay = try AssayProcess()
        try assay.write("costs.csv", "key,cost\na,2\nb,3\na,2\nb,3\nc,10\n")
        let result = try assay.run(
            "run", "--trace", "costs.csv", "--format", "csv:key=key,cost=cost,header", "--policy", "lru", "--capacity",
            "2", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try field(assay, "out/results.csv", "cost_requested") == "20.0")
        #expect(try field(assay, "out/results.csv", "cost_missed") == "15.0")
        #expect(try field(assay, "out/results.csv", "cost_hit_ratio") == "0.25")
    }

    @Test func `sizes that change are told, and both rules are there`() throws {
        let assay = try AssayProcess()
        let lines = (0..<60).map { "\($0 % 10),\($0 < 30 ? 50 : 600)\n" }.joined()
        try assay.write("sizes.csv", lines)
        for (rule, weight) in [("reweigh", "0"), ("keep", "500")] {
            let result = try assay.run(
                "run", "--trace", "sizes.csv", "--format", "csv:key=1,size=2", "--policy", "lru", "--capacity", "500B",
                "--resize", rule, "--out", rule)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.contains("10 requests state another size"))
            #expect(try field(assay, "\(rule)/results.csv", "resident_weight") == weight)
            #expect(try field(assay, "\(rule)/results.csv", "resize") == rule)
        }
        #expect(try field(assay, "reweigh/results.csv", "resized") == "10")
    }
}
