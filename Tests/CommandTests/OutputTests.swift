import Foundation
import Testing

@Suite("assay: output that nobody takes, and processes that are left alone")
struct OutputTests {
    private func run(_ script: String, in assay: AssayProcess) throws -> AssayProcess.Result {
        try assay.run(URL(filePath: "/bin/sh"), ["-c", script, AssayProcess.executable.path])
    }

    @Test func `a reader that goes away costs no report`() throws {
        let assay = try AssayProcess()
        try assay.write("t.txt", "1\n2\n1\n")
        let command = "\"$0\" run --trace t.txt --policy lru --capacity 2 --out out"
        let result = try run("(\(command); echo $? >status) | true", in: assay)
        #expect(result.errors.isEmpty)
        #expect(try assay.read("status") == "0\n")
        #expect(FileManager.default.fileExists(atPath: assay.path("out/report.html")))
        #expect(!FileManager.default.fileExists(atPath: assay.path("out/run.json")))
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: ["list policies", "conform dictionary --section CLR"])
    func `an output that cannot be written is a failure to write, not a crash`(_ arguments: String) throws {
        let result = try run("\"$0\" \(arguments) >/dev/full", in: AssayProcess())
        #expect(result.status == 74)
        #expect(result.errors.contains("standard output"))
    }

    @Test func `a child ends with its parent and takes its store with it`() throws {
        let assay = try AssayProcess()
        try assay.write("t.txt", (0..<20_000).map { "\($0)\n" }.joined())
        let store = assay.path("root/timing")
        let order = """
            {"pass":"timing","trace":"t.txt","policy":"lru","capacity":{"amount":1000,"unit":"objects"},\
            "backend":"file:sync=full","seed":1,"valueBytes":64,"directory":"\(store)"}
            """
        try assay.write("order.json", order + "\n")
        // Its input ends after a second, as it does when whoever gave the order is killed.
        let script = "(cat order.json; sleep 1) | \"$0\" measure-cell"
        let start = Date()
        let result = try run(script, in: assay)
        #expect(Date().timeIntervalSince(start) < 30)
        #expect(result.output.isEmpty, "it was over before its input ended")
        #expect(!FileManager.default.fileExists(atPath: assay.path("root")))
    }

    @Test(
        "a choice of nothing is wrong usage",
        arguments: [
            ["run", "--trace", "t.txt", "--policy", ""], ["run", "--trace", "t.txt", "--capacity", ","],
            ["run", "--trace", "t.txt", "--backend", ""], ["run", "--trace", "t.txt", "--deadline", "nan"],
            ["run", "--trace", "t.txt", "--deadline", "1e300"], ["bench", "--trace", "t.txt", "--deadline", "inf"],
            ["run", "--trace", "t.txt", "--value-bytes", "9000000000000000000"],
            ["run", "--resume", "out", "--policy", "lru"], ["conform", "dictionary", "--section", ""],
            ["conform", "file,sqlite"],
        ])
    func nothing(_ arguments: [String]) throws {
        let assay = try AssayProcess()
        try assay.write("t.txt", "1\n2\n")
        let result = try assay.run(AssayProcess.executable, arguments)
        #expect(result.status == 64, "\(result.output)\(result.errors)")
    }

    @Test func `traces whose names collide stay apart`() throws {
        let assay = try AssayProcess()
        try assay.write("x.txt", "1\n2\n")
        try assay.write("x", "1\n2\n3\n")
        let result = try assay.run(
            "run", "--trace", "x.txt", "x", "--format", "plain", "--policy", "lru", "--capacity", "2", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        #expect((try assay.json("out/results.json")["cells"] as? [Any])?.count == 2)
    }
}
