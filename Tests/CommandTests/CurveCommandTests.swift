import Foundation
import Testing

@Suite("assay curve: from a trace to curves")
struct CurveCommandTests {
    private static let trace = "1\n2\n1\n3\n3\n4\n1\n2\n2\n1\n"

    @Test func `the exact curve of LRU and the replays of FIFO, as CSV, JSON and a page`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        let result = try assay.run(
            "curve", "--trace", "short.txt", "--policy", "lru,fifo", "--capacity", "1,2,50%,4", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        let rows = try assay.read("out/curve.csv").split(whereSeparator: \.isNewline)
        #expect(rows.count == 1 + 2 * 3)
        #expect(rows[1] == "short,lru,,stack,1,objects,0.2,0.8,0.2,0.8,,,1,0,,")
        #expect(rows[2] == "short,lru,,stack,2,objects,0.4,0.6,0.4,0.6,,,2,0,,")
        #expect(rows[3].hasPrefix("short,lru,,stack,4,objects,0.6,0.4"))
        #expect(rows[4].hasPrefix("short,fifo,,replay,1,objects,0.2"))
        #expect(try assay.json("out/curve.json")["schemaVersion"] as? Int == 1)
        for name in ["curve.html", "curve.json", "curve.csv"] { #expect(result.output.contains("out/\(name)")) }
        #expect(result.output.contains("exact, one pass"))
        let pages = try ["curve.csv", "curve.html", "curve.json"].map { try assay.read("out/\($0)") }
        let again = try assay.run("report", "out/curve.json", "--out", "again")
        #expect(again.status == 0, "\(again.errors)")
        #expect(try ["curve.csv", "curve.html", "curve.json"].map { try assay.read("again/\($0)") } == pages)
    }

    @Test func `the bound and perfect LFU are found in one pass as well`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        let result = try assay.run(
            "curve", "--trace", "short.txt", "--policy", "belady", "--policy", "lfu:history=perfect", "--capacity",
            "1,2,3", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        let rows = try assay.read("out/curve.csv").split(whereSeparator: \.isNewline)
        #expect(rows[1...].count == 6 && rows[1...].allSatisfy { $0.contains(",stack,") })
    }

    @Test func `samples, points and bytes go together, and errors are measured on request`() throws {
        let assay = try AssayProcess()
        let lines = (0..<4000).map { "\(($0 * $0) % 311),\(($0 * $0) % 311 % 40 + 1)" }
        try assay.write("sizes.csv", lines.joined(separator: "\n") + "\n")
        for method in ["shards", "miniature"] {
            let result = try assay.run(
                "curve", "--trace", "sizes.csv", "--format", "csv:key=1,size=2", "--policy", "lru", "--bytes",
                "--points",
                "5", "--method", method, "--rate", "1", "--measure-error", "--out", method)
            #expect(result.status == 0, "\(result.errors)")
            let curve = try #require((try assay.json("\(method)/curve.json")["curves"] as? [[String: Any]])?.first)
            let points = try #require(curve["points"] as? [[String: Any]])
            #expect(points.count == 5)
            #expect((curve["sample"] as? [String: Any])?["rate"] as? Double == 1)
            for point in points {
                let (estimate, exact) = (point["hitRatio"] as? Double ?? -1, point["exactHitRatio"] as? Double ?? -2)
                #expect(abs(estimate - exact) < 1e-9 || point["capacity"] as? Int ?? 0 < 40)
            }
        }
    }

    @Test func `a policy that has no meaning in bytes is told and fails nothing`() throws {
        let assay = try AssayProcess()
        try assay.write("sizes.csv", "1,5\n2,3\n1,5\n")
        let result = try assay.run(
            "curve", "--trace", "sizes.csv", "--format", "csv:key=1,size=2", "--policy", "lru,cacheus", "--bytes",
            "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("not applicable"))
    }

    @Test(
        "bad input ends with the documented status and names the remedy",
        arguments: [
            (["--trace", "short.txt", "--method", "magic"], 64, "shards"),
            (["--trace", "short.txt", "--policy", "fifo", "--method", "shards"], 64, "miniature"),
            (["--trace", "short.txt", "--bytes"], 64, "no capacity in bytes"),
            (["--trace", "short.txt", "--rate", "0"], 64, "--rate"),
            (["--trace", "short.txt", "--rate", "0.5", "--samples", "5"], 64, "give one"),
            (["--trace", "short.txt", "--points", "3", "--capacity", "1"], 64, "--points"),
            (["--policy", "lru"], 64, "--trace"),
            (
                ["--trace", "short.txt", "--policy", "sieve", "--method", "miniature", "--rate", "0.0000001"], 2,
                "--rate"
            ), (["--trace", "short.txt", "--method", "shards", "--rate", "0.0000001"], 2, "--rate"),
        ])
    func badInput(_ arguments: [String], _ status: Int32, _ words: String) throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        let result = try assay.run(AssayProcess.executable, ["curve"] + arguments + ["--out", "out"])
        #expect(result.status == status, "\(result.output)\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
    }
}
