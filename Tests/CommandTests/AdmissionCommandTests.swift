import Foundation
import Testing

@Suite("assay run: admission and expiry")
struct AdmissionCommandTests {
    @Test func `every admission and expiry has its rows, and they differ as they must`() throws {
        let assay = try AssayProcess()
        let result = try assay.run(
            "run", "--trace", "zipf-0.8-sizes", "--policy", "lru,arc", "--admission",
            "always,tinylfu,second-hit,size:limit=20000", "--expiry", "ignore,honour", "--capacity", "2%,1%B", "--out",
            "out")
        #expect(result.status == 0, "\(result.errors)")
        let rows = try table(assay.read("out/results.csv"))
        #expect(rows.count == 2 * 4 * 2 * 2)
        #expect(Set(rows.compactMap { $0["admission"] }) == ["always", "tinylfu", "second-hit", "size:limit=20000"])
        for row in rows {
            let isFiltered = row["admission"] != "always"
            let expires = row["expiry"] == "honoured"
            #expect(isFiltered == ((row["refusals"].flatMap { Int($0) } ?? 0) > 0), "\(row)")
            #expect(expires == ((row["expirations"].flatMap { Int($0) } ?? 0) > 0), "\(row)")
            #expect(["honoured", "ignored"].contains(row["expiry"]), "\(row)")
        }
        // What expires cannot hit.
        for row in rows where row["expiry"] == "honoured" {
            let names = ["policy", "admission", "capacity", "capacity_unit"]
            let other = rows.first { other in
                other["expiry"] == "ignored" && names.allSatisfy { row[$0] == other[$0] }
            }
            let (hits, ignoring) = (row["hits"].flatMap { Int($0) }, other?["hits"].flatMap { Int($0) })
            #expect(try #require(hits) < #require(ignoring), "\(row)")
        }
        let page = try assay.read("out/report.html")
        #expect(page.contains("second-hit") && page.contains("tinylfu"))
    }

    @Test func `the list shows each admission policy with its parameters and ranges`() throws {
        let result = try AssayProcess().run("list", "admissions")
        #expect(result.status == 0, "\(result.errors)")
        for name in ["adaptsize", "clairvoyant", "predicate", "probability", "second-hit", "size", "tinylfu"] {
            #expect(result.output.contains(name))
        }
        #expect(result.output.contains("false-positives") && result.output.contains("NSDI 2017"))
    }

    @Test(
        "bad choices end with the documented status and name place and remedy",
        arguments: [
            (["--admission", "tinylfo"], "Did you mean 'tinylfu'?"),
            (["--admission", "alway"], "Did you mean 'always'?"), (["--admission", "always:p=1"], "no parameter 'p'"),
            (["--admission", "second-hit:windw=3"], "Did you mean 'window'?"),
            (["--admission", "probability:p=2"], "p is"),
            (["--admission", "predicate:where=size"], "is not a condition"),
            (["--expiry", "honor"], "ignore, honour"), (["--expiry", "honour"], "short does not state when"),
            (["--expiry", ","], "--expiry names nothing"),
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

    /// The rows of a CSV file without quotes, by the names in its first line.
    private func table(_ text: String) throws -> [[String: String]] {
        let lines = text.split(whereSeparator: \.isNewline).map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        let names = try #require(lines.first)
        return lines.dropFirst().map { Dictionary(zip(names, $0)) { first, _ in first } }
    }
}
