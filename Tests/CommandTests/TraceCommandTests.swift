import Foundation
import Testing
import _CacheTestSupport

@Suite("assay trace")
struct TraceCommandTests {
    private static let format = "csv:time=time,key=key,size=size,op=op,header"
    private static let rows = """
        time,key,size,op
        10,a,1,get
        11,b,2,set
        12,a,1,get
        20,c,3,get
        21,a,1,delete
        30,b,2,get

        """

    private func prepared() throws -> AssayProcess {
        let assay = try AssayProcess()
        try assay.write("t.csv", Self.rows)
        return assay
    }

    /// Runs the command on `t.csv` in its format, and expects a status.
    @discardableResult private func run(
        _ assay: AssayProcess, _ arguments: [String], status: Int32 = 0
    ) throws -> AssayProcess.Result {
        let result = try assay.run(AssayProcess.executable, ["trace"] + arguments + ["--format", Self.format])
        #expect(result.status == status, "\(arguments): \(result.output)\(result.errors)")
        return result
    }

    @Test func `info says what a trace holds as text, JSON and a page, and inspect is the same`() throws {
        let assay = try prepared()
        let text = try run(assay, ["info", "t.csv", "--html", "t.html"])
        #expect(text.output.contains(/(?m)^requests +6$/) && text.output.contains(/(?m)^objects +3$/))
        #expect(text.output.contains(/(?m)^writes +1$/) && text.output.contains(/(?m)^deletes +1$/))
        #expect(text.output.contains(/(?m)^reuse distance +median 2 objects; first requests 3$/))
        #expect(try assay.run("inspect", "t.csv", "--format", Self.format).output == text.output)
        #expect(try assay.read("t.html").contains("<h3>Popularity</h3>"))
        try assay.write("t.json", try run(assay, ["info", "t.csv", "--json"]).output)
        let json = try assay.json("t.json")
        #expect((json["operations"] as? [String: Any])?["writes"] as? Int == 1)
        #expect((json["trace"] as? [String: Any])?["requests"] as? Int == 6)
    }

    @Test(arguments: ["assay", "csv"]) func `what convert writes is the same trace`(_ format: String) throws {
        let assay = try prepared()
        let converted = try run(assay, ["convert", "t.csv", "x.\(format)"])
        #expect(converted.output == "x.\(format): 6 requests for 3 objects\n")
        let second = format == "csv" ? ["--second-format", Self.format] : []
        #expect(try run(assay, ["diff", "t.csv", "x.\(format)"] + second).output.contains("the same requests"))
        try run(assay, ["convert", "t.csv", "x.\(format)"], status: 74)
    }

    @Test func `convert says what is lost, and needs a format that it can write`() throws {
        let assay = try prepared()
        #expect(
            try run(assay, ["convert", "t.csv", "x.lcs"]).errors.contains("hashed to 64 bits; 0 of 3 objects collide"))
        #expect(try run(assay, ["convert", "t.csv", "x.bin", "--to", "oracle-general"]).errors.contains("operations"))
        let unknown = try run(assay, ["convert", "t.csv", "x.what"], status: 64)
        #expect(unknown.errors.contains("assay, csv, lcs, oracle-general, parquet, plain"))
        #expect(try run(assay, ["convert", "t.csv", "x.y", "--to", "cvs"], status: 64).errors.contains("'csv'"))
        let former = try assay.run("export", "t.csv", "y.bin", "--format", Self.format)
        #expect(former.status == 0)
        let (new, old) = (assay.directory.appending(path: "x.bin"), assay.directory.appending(path: "y.bin"))
        #expect(try Data(contentsOf: new) == Data(contentsOf: old))
    }

    /// The keys of a plain file that a command wrote.
    private func keys(_ assay: AssayProcess, _ arguments: [String]) throws -> String {
        let name = "\(UUID()).txt"
        try run(assay, [arguments[0], "t.csv", name] + arguments.dropFirst())
        return try assay.read(name).replacing("\n", with: "")
    }

    @Test func `sample and filter keep what they say`() throws {
        let assay = try prepared()
        #expect(try keys(assay, ["sample", "--first", "4"]) == "abac")
        #expect(try keys(assay, ["sample", "--every", "2"]) == "aaa")
        #expect(Set(try keys(assay, ["sample", "--rate", "0.5", "--seed", "3"])).isSubset(of: "abc"))
        #expect(try keys(assay, ["filter", "--operation", "read"]) == "aacb")
        #expect(try keys(assay, ["filter", "--operation", "write,delete"]) == "ba")
        #expect(try keys(assay, ["filter", "--from", "11", "--until", "21"]) == "bac")
        #expect(try keys(assay, ["filter", "--from", "+10s"]) == "cab")
        // The reads of a miss at first, since the trace's writes fill; b is stored, and read again as a hit.
        #expect(try keys(assay, ["filter", "--through", "lru:100%"]) == "abaca")
        try run(assay, ["filter", "t.csv", "x.csv", "--tenant", "me"], status: 64)
        try run(assay, ["filter", "t.csv", "x.csv", "--until", "5"], status: 65)
        try run(assay, ["filter", "t.csv", "x.csv"], status: 64)
        try run(assay, ["sample", "t.csv", "x.csv"], status: 64)
        #expect(!FileManager.default.fileExists(atPath: assay.path("x.csv")))
    }

    @Test func `a first-level cache of reads passes its misses on`() throws {
        let assay = try AssayProcess()
        try assay.write("r.txt", "1\n2\n1\n3\n2\n1\n3\n")
        let result = try assay.run("trace", "filter", "r.txt", "x.txt", "--through", "lru:2")
        #expect(result.status == 0, "\(result.errors)")
        // LRU of two objects: 1 miss, 2 miss, 1 hit, 3 miss, 2 miss, 1 miss, 3 miss.
        #expect(try assay.read("x.txt") == "1\n2\n3\n2\n1\n3\n")
        #expect(try assay.run("trace", "filter", "r.txt", "y.txt", "--through", "lru").status == 64)
        #expect(try assay.run("trace", "filter", "r.txt", "y.txt", "--through", "lru:64MiB").status == 64)
    }

    @Test func `split makes parts that merge puts together again`() throws {
        let assay = try prepared()
        let parts = try run(assay, ["split", "t.csv", "p.assay", "--window", "10s"])
        #expect(
            parts.output
                == "p-0001.assay: 3 requests for 2 objects\np-0002.assay: 2 requests for 2 objects\np-0003.assay: 1 requests for 1 objects\n"
        )
        let merged = try assay.run("trace", "merge", "p-0002.assay", "p-0001.assay", "p-0003.assay", "m.csv")
        #expect(merged.status == 65 || merged.status == 64)
        try run(assay, ["split", "t.csv", "q.csv", "--requests", "3"])
        let whole = try run(assay, ["merge", "q-0002.csv", "q-0001.csv", "m.assay"])
        #expect(whole.output == "m.assay: 6 requests for 3 objects\n")
        try run(assay, ["diff", "t.csv", "m.assay"])
        #expect(
            try run(assay, ["split", "t.csv", "q.csv", "--requests", "3"], status: 74).errors.contains("q-0001.csv"))
        try run(assay, ["split", "t.csv", "s.csv", "--tenant"], status: 64)
    }

    @Test func `a trace of tenants is split and filtered by them`() throws {
        let assay = try AssayProcess()
        let trace = SharedFolder.packageRoot.appending(path: "Tests/formats/assay/mixed.assay").path
        let split = try assay.run("trace", "split", trace, "p.csv", "--tenant")
        #expect(
            split.output == "p-web.csv: 3 requests for 2 objects\np-batch.csv: 4 requests for 2 objects\n",
            "\(split.errors)")
        #expect(
            try assay.read("p-web.csv").hasPrefix(
                "time,tenant,key,size,op,ttl,cost\n-5,web,7,100,get,60,0.5\n10,web,7,"))
        #expect(try assay.run("trace", "filter", trace, "web.csv", "--tenant", "web").status == 0)
        #expect(try assay.read("web.csv") == assay.read("p-web.csv"))
        #expect(try assay.run("trace", "filter", trace, "x.csv", "--tenant", "wbe").errors.contains("'web'"))
    }

    @Test func `anonymise keeps its secret to this user, and the same secret gives the same numbers`() throws {
        let assay = try prepared()
        try run(assay, ["anonymise", "t.csv", "x.assay", "--new-secret", "secret"])
        let mode = try FileManager.default.attributesOfItem(atPath: assay.path("secret"))[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try run(assay, ["anonymise", "t.csv", "y.assay", "--secret", "secret"])
        try run(assay, ["diff", "x.assay", "y.assay"].map { $0 }, status: 65)
        #expect(try assay.run("trace", "diff", "x.assay", "y.assay").status == 0)
        #expect(try assay.run("trace", "diff", "t.csv", "x.assay", "--format", Self.format).status == 2)
        let sameButForKeys = try assay.run(
            "trace", "diff", "t.csv", "x.assay", "--ignore", "keys", "--format", Self.format)
        #expect(sameButForKeys.status == 0, "\(sameButForKeys.output)")
        try run(assay, ["anonymise", "t.csv", "z.assay", "--new-secret", "secret"], status: 74)
        try run(assay, ["anonymise", "t.csv", "z.assay"], status: 64)
    }

    @Test func `print shows requests, and diff the first that differs`() throws {
        let assay = try prepared()
        let text = try run(assay, ["print", "t.csv", "-n", "2", "--skip", "1"])
        #expect(text.output == "2 time=11 key=b size=2 op=set\n3 time=12 key=a size=1 op=get\n")
        #expect(try run(assay, ["print", "t.csv", "--csv"]).output == Self.rows)
        try assay.write("u.csv", Self.rows.replacing("20,c,3", with: "20,d,3"))
        let different = try run(assay, ["diff", "t.csv", "u.csv", "--second-format", Self.format], status: 2)
        #expect(different.output.contains("1 of 6 requests differ, the first is request 4:"))
        #expect(different.output.contains("  time=20 key=c size=3 op=get\n  time=20 key=d size=3 op=get"))
        try assay.write("v.txt", "a\nb\na\n")
        let shorter = try run(assay, ["diff", "t.csv", "v.txt"], status: 2)
        #expect(
            shorter.output.contains("only t.csv states sizes")
                && shorter.output.contains("first 3 requests are the same"))
    }

    @Test func `parquet says what it needs where there is no Python`() throws {
        let assay = try AssayProcess(environment: ["PATH": "/nowhere"])
        try assay.write("t.txt", "1\n")
        let result = try assay.run("trace", "convert", "t.txt", "x.parquet")
        #expect(result.status == 69 && result.errors.contains("pip install pyarrow"), "\(result.errors)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: assay.directory.path).allSatisfy {
                !$0.contains("parquet")
            })
    }
}
