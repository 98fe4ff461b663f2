import Foundation
import Testing

@Suite("assay advise: from a question to an answer")
struct AdviseCommandTests {
    /// A loop over four objects with a stranger between the rounds: LRU needs five places, MRU fewer.
    private static let trace = (0..<60).map { "\($0 % 5 == 4 ? 100 + $0 : $0 % 5)\n" }.joined()

    @Test func `a target, as text, JSON, CSV and a page`() throws {
        let assay = try AssayProcess()
        try assay.write("loop.txt", Self.trace)
        let result = try assay.run(
            "advise", "--trace", "loop.txt", "--policy", "lru,fifo", "--target-hit-ratio", "0.5", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("lru with 5 objects"))
        #expect(result.output.contains("proven: one pass over all capacities"))
        #expect(result.output.contains("The optimum (belady:bypass=true)"))
        for name in ["advice.html", "advice.json", "advice.csv"] { #expect(result.output.contains("out/\(name)")) }
        let again = try assay.run("report", "out/advice.json", "--out", "again")
        #expect(again.status == 0)
        for name in ["advice.html", "advice.json", "advice.csv"] {
            #expect(try assay.read("again/\(name)") == assay.read("out/\(name)"))
        }
        let rows = try assay.read("out/advice.csv").split(whereSeparator: \.isNewline)
        #expect(rows[1].hasPrefix("loop,reached,1,lru,,always,5,objects,5,objects,0.73"))
        let printed = try assay.run(
            "advise", "--trace", "loop.txt", "--policy", "lru,fifo", "--target-hit-ratio", "0.5", "--json")
        let answer = try #require(
            JSONSerialization.jsonObject(with: Data(printed.output.utf8)) as? [String: Any])
        let advice = try #require((answer["advice"] as? [[String: Any]])?.first)
        #expect(advice["outcome"] as? String == "reached")
        #expect((advice["candidates"] as? [[String: Any]])?.first?["capacity"] as? Int == 5)
    }

    @Test(arguments: [
        (["advise", "--policy", "lru,fifo", "--target-hit-ratio"], ["0.5", "50%", "50 %"]),
        (["run", "--policy", "lru,fifo", "--capacity"], ["40%", "40 %"]),
        (["curve", "--policy", "lru", "--method", "shards", "--points", "3", "--rate"], ["1", "100%"]),
    ])
    func `a share may be a percentage`(_ command: [String], _ ways: [String]) throws {
        let assay = try AssayProcess()
        try assay.write("loop.txt", Self.trace)
        let answers = try ways.enumerated().map { number, way in
            let out = ["--out", "out-\(number)", "--trace", "loop.txt"]
            let result = try assay.run(AssayProcess.executable, command + [way] + out)
            #expect(result.status == 0, "\(result.errors)")
            let name = command[0] == "advise" ? "advice" : command[0] == "run" ? "results" : "curve"
            return try assay.read("out-\(number)/\(name).csv").split(separator: "\r\n")
                .map { $0.split(separator: ",", omittingEmptySubsequences: false).prefix(13) }
        }
        #expect(answers[0].count > 1 && answers.allSatisfy { $0 == answers[0] })
    }

    @Test func `a budget in bytes holds objects of the size that is given`() throws {
        let assay = try AssayProcess()
        try assay.write("loop.txt", Self.trace)
        let result = try assay.run(
            "advise", "--trace", "loop.txt", "--policy", "lru,mru", "--budget", "18KiB", "--object-size", "4KiB")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("mru with 4 objects (taking 16 KiB"))
        #expect(result.output.contains("within 18 KiB"))
    }

    @Test func `sizes of the trace, byte hits and admission go together`() throws {
        let assay = try AssayProcess()
        let lines = (0..<600).map { "\(($0 * $0) % 31),\(($0 * $0) % 31 + 1)" }
        try assay.write("sizes.csv", lines.joined(separator: "\n") + "\n")
        let result = try assay.run(
            "advise", "--trace", "sizes.csv", "--format", "csv:key=1,size=2", "--policy", "lru,gdsf", "--admission",
            "always,tinylfu", "--budget", "100B", "--byte-hit-ratio")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("byte hit ratio of"))
        #expect(result.output.contains("pfoo-l") && result.output.contains("pfoo-u"))
        #expect(result.output.contains(" + tinylfu"))
    }

    @Test(
        "what cannot be answered ends with the documented status and says why",
        arguments: [
            (["--target-hit-ratio", "0.99"], 2, "out of reach"),
            (["--budget", "1", "--policy", "lru"], 2, "nothing hits"),
            (
                ["--budget", "1KiB", "--object-size", "1020", "--policy-memory", "--policy", "lru"], 2,
                "does not hold one object"
            ),
            (["--target-hit-ratio", "90"], 64, "0.9"),
            (["--target-hit-ratio", "0.5", "--budget", "5"], 64, "one of them"),
            ([], 64, "--target-hit-ratio"),
            (["--budget", "1MiB"], 64, "--object-size"),
            (["--target-hit-ratio", "0.5", "--bytes"], 64, "--object-size"),
            (["--target-hit-ratio", "0.5", "--byte-hit-ratio"], 64, "size column"),
            (["--budget", "1KiB", "--object-size", "4KiB"], 64, "smallest takes 4096 bytes"),
            (["--budget", "10", "--object-size", "4KiB"], 64, "in bytes"),
            (["--budget", "10", "--policy", "belady"], 64, "future"),
            (["--budget", "10", "--policy", "bound/*"], 64, "nothing to choose from"),
            (["--budget", "10", "--admission", "clairvoyant"], 64, "future"),
            (["--budget", "none"], 64, "not a capacity"),
        ])
    func refused(_ arguments: [String], _ status: Int32, _ words: String) throws {
        let assay = try AssayProcess()
        try assay.write("loop.txt", Self.trace)
        let result = try assay.run(AssayProcess.executable, ["advise", "--trace", "loop.txt"] + arguments)
        #expect(result.status == status, "\(result.output)\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
    }
}
