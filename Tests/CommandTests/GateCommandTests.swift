import CacheReports
import Foundation
import Testing

@Suite("assay gate: traces are known by what they hold")
struct GateCommandTests {
    /// Two files of one name in two folders, and the second one again, named by its date.
    private static func folder() throws -> AssayProcess {
        let assay = try AssayProcess()
        for day in ["mon", "tue"] {
            try FileManager.default.createDirectory(atPath: assay.path(day), withIntermediateDirectories: true)
        }
        try assay.write("mon/access.txt", "1\n2\n1\n3\n1\n")
        try assay.write("tue/access.txt", "5\n5\n5\n6\n7\n5\n")
        try assay.write("access.2024-01-02.txt", "5\n5\n5\n6\n7\n5\n")
        return assay
    }

    private static func run(_ assay: AssayProcess, _ out: String, _ traces: String..., capacity: String = "2") throws {
        let result = try assay.run(
            AssayProcess.executable,
            ["run", "--trace"] + traces + ["--policy", "lru", "--capacity", capacity, "--quiet", "--out", out])
        #expect(result.status == 0, "\(result.errors)")
    }

    private static func names(_ assay: AssayProcess, _ out: String) throws -> [String] {
        try assay.read("\(out)/results.csv").split(whereSeparator: \.isNewline).dropFirst()
            .map { $0.prefix { $0 != "," } }.map(String.init)
    }

    @Test func `files of one name pass in any order, and however their paths are written`() throws {
        let assay = try Self.folder()
        try Self.run(assay, "a", "mon/access.txt", "tue/access.txt")
        try Self.run(assay, "b", assay.path("tue/access.txt"), "./mon/../mon/access.txt")
        #expect(try Self.names(assay, "a") == ["mon/access", "tue/access"])
        #expect(try Self.names(assay, "b") == ["tue/access", "mon/access"])
        let gate = try assay.run("gate", "a/results.json", "b/results.json", "--strict")
        #expect(gate.status == 0, "\(gate.output)\(gate.errors)")
    }

    @Test func `a copy under another name is the same trace, and dates are part of a name`() throws {
        let assay = try Self.folder()
        try Self.run(assay, "a", "tue/access.txt")
        try Self.run(assay, "b", "access.2024-01-02.txt")
        #expect(try Self.names(assay, "b") == ["access.2024-01-02"])
        let gate = try assay.run("gate", "a/results.json", "b/results.json")
        #expect(gate.status == 0, "\(gate.output)\(gate.errors)")
        #expect(gate.output.contains("the trace 'access' is 'access.2024-01-02' in the candidate"))
    }

    @Test func `--strict fails on added cells, which are not counted among those of the baseline`() throws {
        let assay = try Self.folder()
        try Self.run(assay, "a", "tue/access.txt")
        try Self.run(assay, "b", "tue/access.txt", capacity: "1,2,3")
        #expect(try assay.run("gate", "a/results.json", "b/results.json").status == 0)
        let strict = try assay.run("gate", "a/results.json", "b/results.json", "--strict")
        #expect(strict.status == 2)
        #expect(strict.errors.contains("2 cells are not in the baseline, and --strict allows no difference"))
    }

    @Test func `a baseline is accepted, guards, and yields to rules of a file`() throws {
        let assay = try Self.folder()
        try Self.run(assay, "a", "tue/access.txt")
        #expect(try assay.run("gate", "base", "a").status == 5)
        #expect(try assay.run("gate", "--update", "base", "a").status == 0)
        #expect(try assay.run("gate", "base", "a", "--strict").status == 0)
        try Self.run(assay, "b", "tue/access.txt", capacity: "1")
        let missing = try assay.run("gate", "base", "b/results.json")
        #expect(missing.status == 2 && missing.errors.contains("1 cell is missing"))
        try assay.write(
            "gate.yaml",
            """
            baseline: base
            run: assay run --trace tue/access.txt --policy lru --capacity 1 --quiet --out b
            results: [b]
            exceptions:
              - {subject: lru, because: the capacity is being halved, until: 2999-01-01}
            """)
        let allowed = try assay.run("gate", "--rules", "gate.yaml")
        #expect(
            allowed.status == 65 && allowed.errors.contains("nothing was compared"),
            "\(allowed.output)\(allowed.errors)")
        try assay.write("gate.yaml", "baseline: base\nresults: [a]\nexceptions: [{subject: lru}]\n")
        #expect(try assay.run("gate", "--rules", "gate.yaml").status == 65)
    }

    @Test func `in a fresh repository: accept, break, red, fix, green`() throws {
        let assay = try Self.folder()
        func rules(_ policy: String) throws {
            let run = "assay run --trace mon/access.txt --policy \(policy),lru --capacity 2 --out results --quiet"
            try assay.write("gate.yaml", "baseline: baseline\nrun:\n  - \(run)\nresults: results\n")
        }
        try assay.git("init", "-q")
        try rules("fifo")
        let accepted = try assay.run("gate", "--rules", "gate.yaml", "--update")
        #expect(accepted.status == 0 && accepted.output.contains("wrote baseline/baseline.jsonl: 2 cells"))
        try assay.git("add", "gate.yaml", "baseline")
        try assay.git("commit", "-q", "-m", "Accept the cache as it is")
        #expect(try assay.run("gate", "--rules", "gate.yaml", "--strict").status == 0)
        try rules("mru")
        let red = try assay.run("gate", "--rules", "gate.yaml", "--markdown", "comment.md")
        #expect(red.status == 2 && red.errors.contains("1 cell is missing"), "\(red.output)\(red.errors)")
        #expect(try assay.read("comment.md").contains("fifo"))
        try assay.git("checkout", "-q", "gate.yaml")
        #expect(try assay.run("gate", "--rules", "gate.yaml").status == 0)
        // What is accepted again is the same text.
        #expect(try assay.run("gate", "--rules", "gate.yaml", "--update").status == 0)
        try assay.git("diff", "--quiet")
    }

    @Test func `every form of a verdict that goes to a file has an option`() throws {
        let help = try AssayProcess().run("gate", "--help").output
        for output in GateOutput.all where !["text", "summary", "github"].contains(output.name) {
            #expect(help.contains("--\(output.name) <path>"))
        }
    }

    @Test func `a byte hit ratio of sizes of 0 is refused rather than called nothing`() throws {
        let assay = try AssayProcess()
        try assay.write("t.csv", "1,0\n2,0\n1,0\n")
        let result = try assay.run(
            "advise", "--trace", "t.csv", "--format", "csv:key=1,size=2", "--budget", "2", "--byte-hit-ratio")
        #expect(result.status == 64)
        #expect(result.errors.contains("Every size in t is 0") && !result.errors.contains("nothing hits"))
    }
}
