import Foundation
import Testing

@Suite("assay list, gate, conform, completions, and the former names inspect and export")
struct OtherCommandTests {
    @Test func `help names every command and every exit status`() throws {
        let result = try AssayProcess().run("--help")
        #expect(result.status == 0)
        for word in [
            "run", "curve", "gate", "conform", "check-history", "list", "trace", "report", "completions",
            "http-cache", "pack", "EXIT STATUS",
            "130",
        ] {
            #expect(result.output.contains(word))
        }
        for hidden in ["measure-cell", "inspect", "export"] { #expect(!result.output.contains(hidden)) }
    }

    @Test(
        arguments: [
            ("policies", ["s3fifo", "small=0.1", "Yang", "belady"]),
            (
                "backends",
                ["dictionary", "file", "lmdb", "log", "mmap", "rocksdb", "slab", "sqlite", "tiered", "segment-bytes"]
            ),
            ("formats", ["csv", "arc", "oracle-general", "zstd"]), ("workloads", ["build-files", "zipf-20m"]),
        ])
    func `list shows names, parameters and sources`(_ kind: String, _ words: [String]) throws {
        let result = try AssayProcess().run("list", kind)
        #expect(result.status == 0, "\(result.errors)")
        for word in words { #expect(result.output.contains(word), "\(word) is missing") }
    }

    @Test func `list shows the policies that are picked, and what each takes`() throws {
        let result = try AssayProcess().run("list", "policies", "adaptive/*", "lru")
        #expect(result.status == 0, "\(result.errors)")
        let memory = "Bytes: 4 an object of the trace (12 with sizes), 35 a resident (12.5 with sizes)"
        for word in ["arc", "lecar", "  lru\n", memory, "Source: Megiddo"] {
            #expect(result.output.contains(word), "\(word) is missing")
        }
        #expect(!result.output.contains("s3fifo"))
        #expect(try AssayProcess().run("list", "policies", "lrru").errors.contains("lru"))
        #expect(try AssayProcess().run("list", "backends", "file").status == 64)
    }

    @Test func `the gate passes equal results, fails fewer hits and misses a missing baseline`() throws {
        let assay = try AssayProcess()
        try assay.write("t.txt", "1\n2\n1\n3\n1\n")
        #expect(
            try assay.run("run", "--trace", "t.txt", "--policy", "lru", "--capacity", "2", "--out", "a").status == 0)
        let equal = try assay.run("gate", "a/results.json", "a/results.json", "--junit", "equal.xml")
        #expect(equal.status == 0, "\(equal.errors)")
        let worse = try assay.read("a/results.json").replacing("\"hits\" : 2", with: "\"hits\" : 1")
        try assay.write("worse.json", worse)
        let regression = try assay.run("gate", "a/results.json", "worse.json", "--junit", "worse.xml")
        #expect(regression.status == 2)
        #expect(try assay.read("worse.xml").contains("<failure"))
        #expect(try !assay.read("equal.xml").contains("<failure"))
        #expect(try assay.run("gate", "none.json", "worse.json").status == 5)
        try assay.write("broken.json", "{")
        #expect(try assay.run("gate", "a/results.json", "broken.json").status == 65)
    }

    @Test(arguments: ["dictionary", "file", "log", "slab", "sqlite", "tiered"])
    func `each built-in backend conforms`(_ backend: String) throws {
        let result = try AssayProcess().run("conform", backend)
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        for id in ["BAS-1", "KEY-3", "VAL-2", "CLR-1", "ITR-1"] { #expect(result.output.contains(id)) }
    }

    @Test func `checks are explained, and claims can be given`() throws {
        let assay = try AssayProcess()
        #expect(try assay.run("conform", "--explain", "TTL-5").output.contains("timeToIdle"))
        try assay.write("claims.json", "{\"features\":[\"timeToLive\"]}")
        let wrong = try assay.run("conform", "dictionary", "--claims", "claims.json", "--section", "TTL")
        #expect(wrong.status == 2)
        #expect(wrong.output.contains("unsupported"))
        try assay.write("broken.json", "{\"features\":[\"flying\"]}")
        #expect(try assay.run("conform", "dictionary", "--claims", "broken.json").status == 65)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completions are printed and installed`(_ shell: String) throws {
        let assay = try AssayProcess()
        #expect(try assay.run("completions", shell).output.contains("assay"))
        let installed = try assay.run("completions", shell, "--install")
        #expect(installed.status == 0, "\(installed.errors)")
        let walk = FileManager.default.enumerator(atPath: assay.directory.path)
        let names = (walk?.allObjects as? [String]) ?? []
        #expect(names.contains { $0.hasSuffix("/assay") || $0.hasSuffix("/_assay") || $0.hasSuffix("/assay.fish") })
    }

    @Test func `inspect says what a trace holds, and export writes it for others`() throws {
        let assay = try AssayProcess()
        try assay.write("t.csv", "key,bytes\na,10\nb,20\na,10\n")
        let inspected = try assay.run("inspect", "t.csv", "--format", "csv:key=key,size=bytes,header")
        #expect(inspected.status == 0, "\(inspected.errors)")
        for word in ["3", "2", "30", "40"] { #expect(inspected.output.contains(word)) }
        let exported = try assay.run("export", "t.csv", "t.oracleGeneral", "--format", "csv:key=key,size=bytes,header")
        #expect(exported.status == 0, "\(exported.errors)")
        let data = try Data(contentsOf: assay.directory.appending(path: "t.oracleGeneral"))
        #expect(data.count == 3 * 24)
        let again = try assay.run("inspect", "t.oracleGeneral")
        #expect(again.output.contains("40"))
    }
}
