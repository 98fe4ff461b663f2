import Foundation
import Testing

@Suite("assay trace fit: a workload to share instead of a trace")
struct TraceFitCommandTests {
    /// Keys that nobody may see, asked for with some skew.
    private static let trace = (0..<6000).map { "secret-\(($0 * $0 + $0 / 7) % 331)" }.joined(separator: "\n") + "\n"

    @Test func `the workload has the trace's curve and none of its keys, and both are shown`() throws {
        let assay = try AssayProcess()
        try assay.write("log.txt", Self.trace)
        let result = try assay.run(
            "trace", "fit", "log.txt", "--format", "plain", "--workload", "w.yaml", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        let text = try assay.read("w.yaml")
        #expect(!text.contains("secret"))
        #expect(result.output.contains("Mean absolute error") && result.output.contains("of=fit"))
        for name in ["curve.html", "curve.json", "curve.csv"] { #expect(result.output.contains("out/\(name)")) }
        let rows = try assay.read("out/curve.csv").split(whereSeparator: \.isNewline).dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false)
        }
        let exact = rows.filter { $0[2] == "of=trace" }
        let fitted = rows.filter { $0[2] == "of=fit" }
        #expect(exact.count == fitted.count && exact.count > 20)
        #expect(exact.map { $0[4] } == fitted.map { $0[4] } && fitted.allSatisfy { $0[3] == "fit" })
        for (one, other) in zip(exact, fitted) {
            let difference = abs((Double(one[6]) ?? 0) - (Double(other[6]) ?? 1))
            #expect(difference < 0.006)
            #expect(abs((Double(other[10]) ?? 1) - difference) < 1e-9)
        }
        let page = try assay.read("out/curve.html")
        #expect(page.contains("of=fit") && !page.contains("secret"))
        let again = try assay.run("report", "out/curve.json", "--out", "again")
        #expect(again.status == 0, "\(again.errors)")
        #expect(try assay.read("again/curve.csv") == assay.read("out/curve.csv"))
    }

    @Test func `operations are replayed as they are, and bytes are compared on request`() throws {
        let assay = try AssayProcess()
        let lines = (0..<3000).map { index in
            "\((index * index) % 211),\((index * index) % 211 % 40 + 1),\(index % 5 == 0 ? "set" : "get")"
        }
        try assay.write("t.csv", lines.joined(separator: "\n") + "\n")
        let result = try assay.run(
            "trace", "fit", "t.csv", "--format", "csv:key=1,size=2,op=3", "--bytes", "--points", "10", "--workload",
            "w.yaml", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        let text = try assay.read("w.yaml")
        #expect(text.contains("writes: 0.2\n") && text.contains("distribution: classes"))
        #expect(try assay.read("out/curve.csv").contains(",bytes,"))
    }

    @Test func `Zipf alone is a few lines`() throws {
        let assay = try AssayProcess()
        try assay.write("log.txt", Self.trace)
        let result = try assay.run(
            "trace", "fit", "log.txt", "--format", "plain", "--model", "zipf", "--workload", "w.yaml", "--out", "out",
            "--quiet")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try assay.read("w.yaml").split(separator: "\n").count == 9)
    }

    @Test func `nothing is replaced unless it is asked for`() throws {
        let assay = try AssayProcess()
        try assay.write("log.txt", Self.trace)
        try assay.write("w.yaml", "mine")
        let arguments = ["trace", "fit", "log.txt", "--format", "plain", "--workload", "w.yaml", "--out", "out"]
        #expect(try assay.run(AssayProcess.executable, arguments).status == 74)
        #expect(try assay.read("w.yaml") == "mine")
        #expect(try assay.run(AssayProcess.executable, arguments + ["--force"]).status == 0)
        #expect(try assay.run("trace", "fit", "log.txt", "--model", "lru").status == 64)
        #expect(try assay.run("trace", "fit", "log.txt", "--format", "plain", "--bytes", "--out", "o").status == 64)
    }
}
