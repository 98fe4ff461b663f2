import Foundation
import Testing

@Suite("Reports: nothing that was found is lost")
struct ReportDirectoryTests {
    private static func run(_ assay: AssayProcess, _ trace: String, _ arguments: String...) throws
        -> AssayProcess.Result
    {
        try assay.run(
            AssayProcess.executable,
            ["run", "--trace", trace, "--policy", "lru", "--capacity", "2", "--quiet", "--out", "out"] + arguments)
    }

    private static func assayWithTraces() throws -> AssayProcess {
        let assay = try AssayProcess()
        try assay.write("one.txt", "a\nb\na\n")
        try assay.write("two.txt", "c\nc\nd\n")
        return assay
    }

    @Test(arguments: [["run"], ["curve"], ["bench"], ["advise", "--budget", "2"]])
    func `a directory that another process writes into is refused before anything is planned`(_ command: [String])
        throws
    {
        let assay = try Self.assayWithTraces()
        try FileManager.default.createDirectory(atPath: assay.path("out"), withIntermediateDirectories: true)
        let held = open(assay.path("out"), O_RDONLY | O_DIRECTORY)
        defer { close(held) }
        try #require(flock(held, LOCK_EX | LOCK_NB) == 0)
        let refused = try assay.run(
            AssayProcess.executable, command + ["--trace", "one.txt", "--policy", "lru", "--out", "out"])
        #expect(refused.status == 69 && refused.errors.contains("another assay") && refused.errors.contains("--out"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: assay.path("out")).isEmpty)
        try #require(flock(held, LOCK_UN) == 0)
        #expect(try Self.run(assay, "one.txt").status == 0)
    }

    @Test func `results of another trace are replaced by force alone, and those of the same trace stay`() throws {
        let assay = try Self.assayWithTraces()
        #expect(try Self.run(assay, "one.txt").status == 0)
        let first = try assay.read("out/results.json")
        let refused = try Self.run(assay, "two.txt")
        #expect(refused.status == 64 && refused.errors.contains("--force"), "\(refused.errors)")
        #expect(try assay.read("out/results.json") == first)

        let again = try Self.run(assay, "one.txt")
        #expect(again.status == 0 && again.errors.contains("stay in"), "\(again.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: assay.path("out"))
        let kept = try #require(names.first { $0.hasPrefix("results-") })
        #expect(try assay.read("out/\(kept)") == first)

        // Force does not lose them either.
        let recorded = try assay.read("out/results.json")
        #expect(try Self.run(assay, "one.txt", "--force").status == 0)
        let all = try FileManager.default.contentsOfDirectory(atPath: assay.path("out"))
        #expect(try all.contains { try $0.hasPrefix("results-") && assay.read("out/\($0)") == recorded }, "\(all)")

        #expect(try Self.run(assay, "two.txt", "--force").status == 0)
        let cells = try assay.json("out/results.json")["cells"] as? [[String: Any]]
        #expect(cells?.first?["trace"] as? String == "two")
    }

    @Test func `an unfinished run is dropped by force only once the new one can begin`() throws {
        let assay = try Self.assayWithTraces()
        try FileManager.default.createDirectory(atPath: assay.path("out"), withIntermediateDirectories: true)
        try assay.write("out/run.json", "{}")
        try assay.write("out/cells.jsonl", "")
        #expect(try Self.run(assay, "one.txt").status == 64)
        #expect(try Self.run(assay, "absent.txt", "--force").status != 0)
        #expect(try assay.read("out/run.json") == "{}")
        #expect(try Self.run(assay, "one.txt", "--force").status == 0)
        #expect(!FileManager.default.fileExists(atPath: assay.path("out/run.json")))
    }

    @Test func `a directory that was made for nothing is gone`() throws {
        let assay = try Self.assayWithTraces()
        #expect(try Self.run(assay, "absent.txt").status != 0)
        #expect(!FileManager.default.fileExists(atPath: assay.path("out")))
    }

    @Test func `report writes the JSON that it reads nowhere but as it is`() throws {
        let assay = try Self.assayWithTraces()
        #expect(try Self.run(assay, "one.txt").status == 0)
        let unknown = try assay.read("out/results.json").replacing(
            "{\n", with: "{\n  \"ofTheFuture\" : 7,\n", maxReplacements: 1)
        try assay.write("out/results.json", unknown)
        #expect(try assay.run("report", "out/results.json").status == 0)
        #expect(try assay.read("out/results.json") == unknown)
        #expect(try assay.run("report", "out/results.json", "--out", "copy").status == 0)
        #expect(try assay.read("copy/results.json") == unknown)
        #expect(try assay.read("copy/results.csv") == assay.read("out/results.csv"))

        // Beside other results it replaces nothing.
        try assay.write(
            "copy/old.json", try assay.read("copy/results.json").replacing("ofTheFuture", with: "ofThePast"))
        let refused = try assay.run("report", "copy/old.json")
        #expect(refused.status == 64 && refused.errors.contains("--force"), "\(refused.errors)")
        #expect(try assay.read("copy/results.json") == unknown)
    }
}
