import Foundation
import Testing

@Suite("assay trace generate: traces and workload files from a few numbers")
struct TraceGenerateCommandTests {
    @Test func `a pattern makes a trace, and a saved specification makes the same one`() throws {
        let assay = try AssayProcess()
        let options = [
            "--pattern", "zipf:0.9", "--requests", "2_000", "--objects", "300", "--seed", "7", "--sizes",
            "log-normal:median=400,sigma=1", "--arrivals", "poisson",
        ]
        let made = try assay.run(AssayProcess.executable, ["trace", "generate"] + options + ["a.oracleGeneral"])
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("2000 requests for"))
        let saved = try assay.run(
            AssayProcess.executable,
            ["trace", "generate"] + options + ["--workload", "w.yaml", "--description", "mine"])
        #expect(saved.status == 0, "\(saved.errors)")
        #expect(try assay.read("w.yaml").contains("description: \"mine\""))
        let again = try assay.run("trace", "generate", "w.yaml", "b.oracleGeneral")
        #expect(again.status == 0, "\(again.errors)")
        let bytes = try ["a", "b"].map { try Data(contentsOf: URL(filePath: assay.path("\($0).oracleGeneral"))) }
        #expect(bytes[0] == bytes[1] && bytes[0].count == 24 * 2000)
        let inspected = try assay.run("inspect", "w.yaml")
        #expect(inspected.output.contains("requests                    2000"), "\(inspected.output)")
    }

    @Test func `a bundled workload is scaled, and what a format leaves out is said`() throws {
        let assay = try AssayProcess()
        let made = try assay.run(
            "trace", "generate", "ycsb-a", "a.oracleGeneral", "--requests", "1000", "--objects", "100")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("1000 requests for") && made.errors.contains("operations"))
    }

    @Test func `tenants are made by options`() throws {
        let assay = try AssayProcess()
        let made = try assay.run(
            "trace", "generate", "--tenant", "a:share=1,objects=50,generator=zipf,exponent=1", "--tenant",
            "b:share=1,objects=10,generator=loop", "--requests", "500", "--workload", "t.yaml")
        #expect(made.status == 0, "\(made.errors)")
        let text = try assay.read("t.yaml")
        #expect(text.contains("- name: \"a\"") && text.contains("- name: \"b\""))
    }

    @Test(arguments: [
        (["--pattern", "zpif:1", "x.oracleGeneral"], 64, "did you mean 'zipf'?"),
        (["--pattern", "zipf:1"], 64, "--workload NAME.yaml"), (["x.oracleGeneral"], 64, "Name the file to write"),
        ([], 64, "Say what to generate"), (["no-such", "x.oracleGeneral"], 64, "No workload"),
        (["build-files", "x.oracleGeneral"], 64, "not generated but recorded"),
        (["--pattern", "zipf:1", "--requests", "0", "x.oracleGeneral"], 64, "requests must be"),
        (["--pattern", "loop", "--workload", "x.txt"], 64, ".yaml"),
        (
            ["--pattern", "loop", "--writes", "0.5", "--operations", "writes=0.5", "x.oracleGeneral"], 64,
            "leave --writes"
        ),
        (["--pattern", "loop", "--tenant", "a:share=1", "x.oracleGeneral"], 64, "leave --pattern out"),
        (["bad.yaml", "x.oracleGeneral"], 65, "bad.yaml:6"),
    ])
    func `wrong use ends with the documented status and names the remedy`(
        _ arguments: [String], _ status: Int32, _ words: String
    ) throws {
        let assay = try AssayProcess()
        try assay.write(
            "bad.yaml",
            "kind: generated\ndescription: d\norigin: o\nlicence: l\ngenerator: loop\nrequests: x\nobjects: 1\n")
        let result = try assay.run(AssayProcess.executable, ["trace", "generate"] + arguments)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: assay.path("x.oracleGeneral")))
    }

    @Test func `no file is overwritten`() throws {
        let assay = try AssayProcess()
        for name in ["w.yaml", "t.oracleGeneral"] { try assay.write(name, "mine") }
        let arguments = ["trace", "generate", "--pattern", "loop", "--requests", "9", "--objects", "3"]
        for more in [["--workload", "w.yaml"], ["t.oracleGeneral"]] {
            #expect(try assay.run(AssayProcess.executable, arguments + more).status == 74)
        }
        #expect(try ["w.yaml", "t.oracleGeneral"].map(assay.read) == ["mine", "mine"])
    }
}
