import Foundation
import Testing

@Suite("assay run: prefetchers")
struct PrefetchCommandTests {
    @Test func `every prefetcher has its rows, and counts what it fetched`() throws {
        let assay = try AssayProcess()
        let keys = (0..<300).flatMap { round in (1...8).map { round % 40 * 10 + $0 } }
        try assay.write("blocks.txt", keys.map { "\($0)\n" }.joined())
        let result = try assay.run(
            "run", "--trace", "blocks.txt", "--policy", "lru,belady", "--prefetch", "none,obl:confidence=2,pg",
            "--capacity",
            "20", "--windows", "2", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        let rows = try table(assay.read("out/results.csv"))
        #expect(rows.count == 6)
        #expect(rows.map { $0["prefetch"] } == ["", "obl:confidence=2", "pg", "", "obl:confidence=2", "pg"])
        for row in rows where row["policy"] == "lru" {
            let isPlain = row["prefetch"] == ""
            #expect(isPlain == (row["prefetched"] == "") && isPlain == (row["prefetch_hits"] == ""), "\(row)")
        }
        let obl = try #require(rows.first { $0["prefetch"] == "obl:confidence=2" && $0["policy"] == "lru" })
        // After the third block of each run of 8 five are fetched in time, and one in vain.
        #expect(obl["hits"] == "1500" && obl["prefetched"] == "1800" && obl["prefetch_hits"] == "1500")
        #expect(rows[4]["failure"]?.hasPrefix("not applicable: ") == true, "\(rows[4])")
        #expect(try assay.read("out/windows.csv").contains("obl:confidence=2"))
        #expect(try assay.read("out/results.json").contains("\"prefetchHits\""))
        #expect(try assay.read("out/report.html").contains("Prefetch hits"))
    }

    @Test func `without a prefetcher nothing is said of any`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", "1\n2\n1\n")
        let result = try assay.run("run", "--trace", "short.txt", "--policy", "lru", "--capacity", "2", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        #expect(!(try assay.read("out/results.json").contains("prefetch")))
        #expect(!(try assay.read("out/report.html").contains("Prefetch hits")))
    }

    @Test func `the list shows each prefetcher with its parameters and sources`() throws {
        let result = try AssayProcess().run("list", "prefetchers")
        #expect(result.status == 0, "\(result.errors)")
        for words in ["none", "obl", "mithril", "pg", "support-max", "SoCC 2017", "Needs: keys that are numbers"] {
            #expect(result.output.contains(words), "\(words)")
        }
    }

    @Test(
        "bad choices end with the documented status and name place and remedy",
        arguments: [
            (["--prefetch", "obk"], "Did you mean 'obl'?"), (["--prefetch", "non"], "Did you mean 'none'?"),
            (["--prefetch", "none:k=1"], "no parameter 'k'"), (["--prefetch", "lru"], "say --policy lru"),
            (["--admission", "obl"], "say --prefetch obl"), (["--prefetch", ","], "--prefetch names nothing"),
            (["--prefetch", "pg:threshold=2"], "threshold is"),
            (["--prefetch", "mithril:support=9"], "above support-max=8"),
            (["--prefetch", "obl", "--backend", "dictionary"], "Leave --backend out"),
            (["--prefetch", "obl", "--subject", "method-cache-as-shipped"], "Leave --subject out"),
        ])
    func `refuses`(_ arguments: [String], _ words: String) throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", "1\n2\n1\n")
        let result = try assay.run(
            AssayProcess.executable,
            ["run", "--trace", "short.txt", "--policy", "lru", "--capacity", "2", "--out", "out"] + arguments)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    @Test func `a sweep of shards refuses prefetchers`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", "1\n2\n1\n")
        let result = try assay.run(
            "sweep", "plan", "--trace", "short.txt", "--policy", "lru", "--capacity", "2", "--prefetch", "obl", "--out",
            "plan")
        #expect(result.status == 64 && result.errors.contains("fetches nothing ahead"), "\(result.errors)")
    }

    /// The rows of a CSV file without quotes, by the names in its first line.
    private func table(_ text: String) throws -> [[String: String]] {
        let lines = text.split(whereSeparator: \.isNewline).map {
            $0.replacing(#/"[^"]*"/#) { String($0.output).replacing(",", with: ";").replacing("\"", with: "") }
                .split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let names = try #require(lines.first)
        return lines.dropFirst().map { Dictionary(zip(names, $0)) { first, _ in first } }
    }
}
