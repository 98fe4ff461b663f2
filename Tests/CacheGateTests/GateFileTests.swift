import CacheCore
import CacheGate
import Testing

@Suite("gate.yaml")
struct GateFileTests {
    @Test func `it says what is compared, how far figures may move, and who may be worse`() throws {
        let file = try GateFile(
            """
            baseline: baseline
            run: assay run --policy lru,s3fifo --out results
            results: [results, bench.json]
            tolerances: {hits: 0.01%}
            strict: true
            exceptions:
              - subject: s3fifo
                place: {trace: web}
                figures: [bytes_hit, resources]
                worse-by: 2%
                because: the sketch is new
                until: 2028-02-29
            """, path: "/repo/gate.yaml")
        #expect(file.baseline == "/repo/baseline" && file.results == ["/repo/results", "/repo/bench.json"])
        #expect(file.run == ["assay run --policy lru,s3fifo --out results"])
        #expect(file.rules.isStrict && !file.rules.allowsMissing && file.rules.tolerances == ["hits": 0.0001])
        #expect(
            file.rules.exceptions.map(\.figures) == [
                ["bytes-hit", "bytes-per-entry", "allocations-per-request", "instructions"]
            ])
        let first = try #require(file.rules.exceptions.first)
        #expect(first.place == ["trace": "web"] && first.worseBy == 0.02 && first.source.line == 7)
    }

    @Test(arguments: [
        ("", 0), ("- a", 1), ("{", 0), ("basline: x", 1), ("strict: maybe", 1), ("results: {a: b}", 1),
        ("run: [assay run --policy lru,s3fifo]", 1),
        ("tolerances: [a]", 1),
        ("tolerances: {latency: 1%}", 1), ("tolerances: {hits: -1}", 1),
        ("exceptions: [{subject: lru, until: 2027-01-01}]", 1),
        ("exceptions: [{subject: lru, because: x}]", 1),
        ("exceptions: [{subject: lru, because: x, until: 2027-02-29}]", 1),
        ("exceptions: [{subject: lru, because: x, until: soon}]", 1),
        ("exceptions:\n  - {subject: lru, because: x, until: 2027-01-01, figure: speed}", 2),
        ("exceptions:\n  - {subject: lru, because: x, until: 2027-01-01, figure: hits, worse-by: -2%}", 2),
    ])
    func `what is wrong in it is refused, with its line`(_ text: String, _ line: Int) {
        let error = #expect(throws: AssayError.self) { try GateFile(text, path: "gate.yaml") }
        #expect(error?.code == .badInput && error?.location?.source == "gate.yaml")
        if line > 0 { #expect(error?.location?.line == line) }
    }
}
