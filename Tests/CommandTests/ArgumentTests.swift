import Foundation
import Testing
import _CacheTestSupport

@Suite("Arguments that a person gets wrong")
struct ArgumentTests {
    @Test(arguments: [
        (["rum"], "There is no subcommand 'rum'. Did you mean 'run'?"),
        (["check-histroy", "f"], "Did you mean 'check-history'?"),
        (["run", "mine.csv"], "say 'assay run --trace mine.csv'"),
        (["bench", "--quiet", "mine.csv"], "assay bench --trace mine.csv"),
        (
            ["run", "--out", "a", "--trace", "x", "--out=b"],
            "--out: The option takes one value and is given twice, as 'a' and as 'b'"
        ),
        (["conform", "dictionary", "--seed", "1", "--seed", "1"], "--seed: The option takes one value"),
        (["gate", "a", "b", "--json", "x", "--json", "y"], "--json: The option takes one value"),
        (["run", "--trace", "x", "--policy", "TinyLFU"], "That is an admission policy: say --admission tinylfu."),
        (["run", "--trace", "x", "--admission", "lru"], "That is a policy: say --policy lru."),
        (["run", "--trace", "x", "--backend", "s3fifo"], "That is a policy: say --policy s3fifo."),
        (["run", "--trace", "x", "--capacity", "1,000"], "names '000' as one. Write thousands without a comma"),
        (["run", "--trace", "x", "--capacity", "4,096"], "1_000"),
        (["run", "--trace", "x", "--capacity", "101%"], "at most 100%"),
    ])
    func `what was meant is said, and the status is 64`(arguments: [String], words: String) throws {
        let result = try AssayProcess().run(AssayProcess.executable, arguments)
        #expect(result.status == 64 && result.output.isEmpty, "\(result.output)\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    /// What an option says and nothing would hear: it is refused before anything is read or measured.
    @Test(arguments: [
        ("advise --trace t --budget 20 --policy-memory", "--policy-memory counts bytes"),
        ("advise --trace t --budget 20 --force", "--force is for --out"),
        ("run --resume r --seed 7", "only --quiet goes with it"),
        ("run --trace t --deadline 3", "are for live runs"),
        ("run --trace t --subject cache:lru --expiry honour", "--expiry is simulated"),
        ("run --trace t --subject cache:lru --admission tinylfu", "--admission stands before policies"),
        ("bench --trace t --subject cache:lru --admission tinylfu", "--admission stands before policies"),
        ("bench --trace t --arrivals uniform", "--arrivals is for rates"),
        ("bench --trace t --rate ,", "',' names no rate"),
        ("curve --trace t --method exact --rate 0.1", "--method exact takes no sample"),
        ("gate a b --until-worse", "are for --against WHAT"),
        ("gate a b --against main -- run --trace t", "leave files and their rules out"),
        ("conform dictionary --list --json x.json", "--list runs no suite"),
        ("conform --explain BAS-1 --replay x.json", "--explain runs no suite: leave out --replay"),
        ("conform dictionary file --list", "Name one."),
        ("pack build --manifest m out.zip --no-types --exclude *.md", "Leave --exclude, --no-types out"),
        ("http-cache --origin http://localhost --directory d --backend dictionary", "dictionary keeps nothing"),
        ("trace sample t out.csv --every 2 --seed 3", "--seed is for --rate"),
        ("trace generate --pattern zipf:1 --rate 10 out.csv", "These requests have no times"),
        ("trace generate --pattern zipf:1 --description x out.csv", "--description is for the file of --workload"),
        ("run --trace t --format csv:key=1,time-unit=ms", "add time="),
        ("run --trace t --format jsonl:key=uri,statuses=200", "acts on the member of status=NAME"),
        ("run --suite s.yaml --warm-up 10%", "The file says its warm-ups"),
    ])
    func `an option that would have no effect is refused`(line: String, words: String) throws {
        let assay = try AssayProcess()
        try assay.write("t", "a\nb\na\n")
        try assay.write("s.yaml", "description: x\nruns: [{traces: [./t], policies: [lru], seeds: [2], warm-up: 1}]\n")
        let result = try assay.run(AssayProcess.executable, line.split(separator: " ").map(String.init))
        #expect(result.status == 64 && result.output.isEmpty, "\(result.output)\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    /// Members that are found by their usual names count time as it is said, not as the first line looks.
    @Test func `a unit that is given holds for members that were guessed`() throws {
        let assay = try AssayProcess()
        try assay.write("t.jsonl", (0..<5).map { "{\"key\":\"a\",\"ts\":\($0 * 1000)}\n" }.joined())
        #expect(try assay.run("trace", "info", "t.jsonl").output.contains("4000.000 s"))
        let milliseconds = try assay.run("trace", "info", "t.jsonl", "--format", "jsonl:time-unit=ms")
        #expect(milliseconds.output.contains("4.000 s") && !milliseconds.output.contains("4000.000 s"))
    }

    /// A filter on a column that no request has would let everything in, or nothing.
    @Test func `an admission policy is not applicable where the trace does not state what it looks at`() throws {
        let assay = try AssayProcess()
        try assay.write("t", "a\nb\na\n")
        let filters = ["size:limit=10", "predicate:where=cost>2", "predicate:where=ttl<60"]
        let result = try assay.run(
            "run", "--trace", "t", "--policy", "lru", "--capacity", "1", "--admission", filters.joined(separator: ","),
            "--out", "out")
        for column in ["sizes", "costs", "times to live"] {
            #expect(result.output.contains("looks at \(column)"), "\(result.output)\(result.errors)")
        }
    }

    @Test func `a report of a folder has its reports of conform too`() throws {
        let assay = try AssayProcess()
        let checked = try assay.run("conform", "dictionary", "--section", "BAS-1", "--quiet", "--json", "c.json")
        try FileManager.default.createDirectory(atPath: assay.path("f"), withIntermediateDirectories: false)
        try FileManager.default.moveItem(atPath: assay.path("c.json"), toPath: assay.path("f/c.json"))
        let drawn = try assay.run("report", "f", "--format", "markdown", "--out", "o")
        #expect(checked.status == 0 && drawn.status == 0, "\(checked.errors)\(drawn.errors)")
    }

    @Test func `options that take several values may be given several times, and flags as often as one likes`() throws {
        let assay = try AssayProcess()
        try assay.write("t.txt", (0..<100).map { "k\($0 % 7)\n" }.joined())
        let result = try assay.run(
            "run", "--trace", "t.txt", "--policy", "lru", "--policy", "fifo", "--capacity", "2", "--capacity", "3",
            "--quiet", "--quiet",
            "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        #expect(try #require(assay.json("out/results.json")["cells"] as? [Any]).count == 4)
    }

    @Test func `traces may be separated by commas, and a file whose name has one is a file`() throws {
        let assay = try AssayProcess()
        for (number, name) in ["a.txt", "b.txt", "c,d.txt"].enumerated() {
            try assay.write(name, (0..<100).map { "k\($0 % (5 + number))\n" }.joined())
        }
        for (argument, count) in [("a.txt,b.txt", 2), ("c,d.txt", 1)] {
            let result = try assay.run(
                "run", "--trace", argument, "--policy", "lru", "--capacity", "2", "--quiet", "--out", "out-\(count)")
            #expect(result.status == 0, "\(result.errors)")
            #expect(try #require(assay.json("out-\(count)/results.json")["cells"] as? [Any]).count == count)
        }
    }

    @Test func `a size in other letters is taken, and it is said for what`() throws {
        let assay = try AssayProcess()
        try assay.write("t.csv", (0..<100).map { "k\($0 % 7),1000\n" }.joined())
        let result = try assay.run(
            "run", "--trace", "t.csv", "--format", "csv:key=1,size=2", "--policy", "lru", "--capacity", "1M,5kb",
            "--quiet", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("'1M' is read as 1MiB, which is 1048576 bytes"))
        #expect(result.errors.contains("'5kb' is read as 5KB, which is 5000 bytes"))
    }

    @Test func `where there is no terminal a line now and then says how far it is, unless --quiet`() throws {
        let assay = try AssayProcess(environment: ["ASSAY_PROGRESS_SECONDS": "0"])
        try assay.write("t.txt", (0..<100).map { "k\($0 % 7)\n" }.joined())
        func run(_ more: String...) throws -> String {
            let arguments = [
                "run", "--trace", "t.txt", "--policy", "lru,fifo", "--capacity", "2", "--out", "out-\(UUID())",
            ]
            return try assay.run(AssayProcess.executable, arguments + more).errors
        }
        let lines = try run().split(separator: "\n")
        #expect(lines.contains { $0.hasPrefix("assay: ") && $0.contains("2/2 combinations") }, "\(lines)")
        #expect(!lines.contains { $0.contains("\u{1B}") })
        #expect(try run("--quiet").isEmpty)
        let bench = try assay.run(
            "bench", "--trace", "t.txt", "--capacity", "2", "--repetitions", "3", "--out", "bench")
        for pass in 1...3 { #expect(bench.errors.contains("\(pass)/3 measurements"), "\(bench.errors)") }
        #expect(bench.errors.split(separator: "\n").allSatisfy { !$0.contains("100 %") || $0.contains("3/3") })
        #expect(
            try assay.run("conform", "dictionary", "--section", "BAS-1").errors.contains("dictionary · 1/1 · BAS-1"))
        #expect(try assay.run("conform", "dictionary", "--section", "BAS-1", "--quiet").errors.isEmpty)
    }
}
