import Foundation
import Testing

@Suite("assay gate --against: what is measured, and what ends it")
struct PairedGateCommandTests {
    private static func words(_ policy: String) -> [String] { ["run", "--trace", "t.txt", "--policy", policy] }

    @Test func `two policies are compared in one run of this program`() throws {
        let assay = try AssayProcess()
        try assay.write("t.txt", (0..<200).map { "\($0 * $0 % 17)" }.joined(separator: "\n"))
        let gate = try assay.run(
            AssayProcess.executable,
            [
                "gate", "--against", Self.words("fifo").joined(separator: " "), "--budget", "1", "--json", "gate.json",
                "--",
            ]
                + Self.words("lru"))
        #expect([0, 2, 6].contains(gate.status), "\(gate.errors)")
        let outcome = try assay.json("gate.json")
        let lines = try #require(outcome["lines"] as? [[String: Any]])
        #expect(!lines.isEmpty && lines.allSatisfy { $0["subject"] as? String == "lru" })
        #expect(lines.allSatisfy { ($0["reason"] as? String)?.hasPrefix("against fifo: ") == true })
        #expect(outcome["baseline"] as? String == "this program by 'run --trace t.txt --policy fifo'")
    }

    @Test func `what is no program, revision or command is told, and so is a revision without this package`() throws {
        let assay = try AssayProcess()
        let none = try assay.run("gate", "--against", "no-such-thing", "--", "bench", "--trace", "zipf-1.0")
        #expect(none.status == 64 && none.errors.contains("'no-such-thing' is no program, no revision"))
        let taken = try assay.run("gate", "--against", "bench --out x", "--", "bench", "--trace", "zipf-1.0")
        #expect(taken.status == 64 && taken.errors.contains("--out is the gate's"))
        try assay.write("t.txt", "1\n")
        let git = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
        for words in [["init", "-q"], ["add", "t.txt"], ["commit", "-qm", "one"]] {
            #expect(try assay.run(URL(filePath: "/usr/bin/env"), ["git"] + git + words).status == 0)
        }
        let built = try assay.run("gate", "--against", "HEAD", "--", "bench", "--trace", "zipf-1.0")
        #expect(built.status == 69 && built.errors.contains("Could not find Package.swift"), "\(built.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: assay.path(".build/gate")).isEmpty)
    }

    @Test func `a block and a command of gate yaml that hang are ended after their deadline, and told`() throws {
        let assay = try AssayProcess()
        let block = try assay.run(
            "gate", "--against", "sleep 600;", "--deadline", "0.2", "--", "run", "--trace", "t.txt")
        #expect(block.status == 3 && block.errors.contains("after its deadline of 0.2 s"), "\(block.errors)")
        try assay.write("gate.yaml", "baseline: b\nrun: [echo said; sleep 600]\nresults: [r]\n")
        let command = try assay.run("gate", "--rules", "gate.yaml", "--deadline", "1")
        #expect(command.status == 3 && command.errors.contains("said\n"), "\(command.errors)")
        #expect(command.errors.contains("after its deadline of 1.0 s: echo said; sleep 600"), "\(command.errors)")
    }
}
