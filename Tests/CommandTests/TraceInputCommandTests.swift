import Foundation
import Testing

/// What a person sees of traces that are not what they seem, and of caches that cannot be where they should.
@Suite struct TraceInputCommandTests {
    @Test
    func `without a home that can be written to, traces are compiled in the temporary folder, and that is said once`()
        throws
    {
        let first = try AssayProcess()
        let temporary = first.path("temporary")
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: false)
        let assay = try AssayProcess(environment: ["HOME": "/nonexistent", "XDG_CACHE_HOME": "", "TMPDIR": temporary])
        try assay.write("x.txt", "1\n2\n1\n")
        try assay.write("y.txt", "3\n")
        let result = try assay.run("run", "--trace", "x.txt", "y.txt", "--policy", "lru", "--capacity", "1", "--quiet")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.components(separatedBy: "warning: HOME, '/nonexistent', is no folder").count == 2)
        #expect(result.errors.contains("--compiled-traces"))
        #expect(FileManager.default.fileExists(atPath: "\(temporary)/assay-\(geteuid())/traces/sources"))
        // A folder that is named is taken without a word.
        let named = try assay.run("inspect", "x.txt", "--compiled-traces", assay.path("named"))
        #expect(named.status == 0)
        #expect(!named.errors.contains("warning"))
    }

    @Test func `what follows compressed data is told whenever the trace is opened`() throws {
        let assay = try AssayProcess()
        let packed =
            Data(base64Encoded: "QlpoOTFBWSZTWZv/MSUAAATJgAAQeAACCAAgIAAhKaGmhDAiWD1phFPF3JFOFCQm/8xJQA==") ?? Data()
        try (packed + Data("garbage".utf8)).write(to: URL(filePath: assay.path("x.txt.bz2")))
        for _ in 0..<2 {
            let result = try assay.run("inspect", "x.txt.bz2")
            #expect(result.status == 0)
            #expect(result.errors.contains("warning: x.txt.bz2: The bzip2 data ends at byte"))
        }
    }

    @Test func `a name that means keys over a server's answer is refused with the reason and the way out`() throws {
        let assay = try AssayProcess()
        try assay.write("page.txt", "<!DOCTYPE html>\n<html><body>Not found</body></html>\n")
        for command in [
            ["inspect"], ["advise", "--target-hit-ratio", "0.5", "--trace"], ["curve", "--policy", "lru", "--trace"],
        ] {
            let result = try assay.run(AssayProcess.executable, command + ["page.txt"])
            #expect(result.status == 65, "\(result.errors)")
            #expect(result.errors.contains("answer of a server"))
            #expect(result.errors.contains("Download it again"))
        }
    }

    @Test func `a limit on growth that is no number is a usage error`() throws {
        let assay = try AssayProcess(environment: ["ASSAY_MAX_EXPANSION": "much"])
        try assay.write("x.txt", "1\n")
        let result = try assay.run("inspect", "x.txt")
        #expect(result.status == 64)
        #expect(result.errors.contains("ASSAY_MAX_EXPANSION"))
    }

    @Test(arguments: [["a.csv", "b.csv"], ["*.csv"], ["a.csv,b.csv"]])
    func `files and patterns are one trace where they are joined`(_ words: [String]) throws {
        let assay = try AssayProcess()
        try assay.write("a.csv", "key,size\na,1\nb,2\n")
        try assay.write("b.csv", "key,size\na,1\nc,3\n")
        let joined = try assay.run(AssayProcess.executable, ["inspect"] + words + ["--join"])
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(joined.output.contains("requests                    4\nobjects                     3\n"))
        #expect(joined.errors.contains("read as 'csv:key=key,size=size,header=true', recognised by its content"))
        let apart = try assay.run(AssayProcess.executable, ["inspect"] + words)
        #expect(apart.status == 64)
        #expect(apart.errors.contains("--join"))
    }

    /// A revalidated object's size is nobody's guess: its line was once told twice, with words that contradicted each other.
    @Test func `what reading found is said once, and in the page alone where a run is to be quiet`() throws {
        let assay = try AssayProcess()
        let lines = [("a", 200), ("b", 304), ("a", 304), ("b", 304), ("a", 200)].enumerated().map { second, line in
            "10.0.0.1 - - [20/Nov/2026:08:00:0\(second) +0000] \"GET /\(line.0) HTTP/1.1\" \(line.1) 685\n"
        }
        try assay.write("access.log", lines.joined())
        let arguments = ["run", "--trace", "access.log", "--policy", "lru", "--capacity", "1", "--out"]
        let told = try assay.run(AssayProcess.executable, arguments + ["loud"])
        let said = told.errors.split(separator: "\n").filter { $0.contains("304") }
        let known = "take the size that an earlier line told of it: 1 (status 304)."
        let unknown = "count as 0 bytes where no earlier line told its size: 2 (status 304)."
        #expect(said.count == 2 && told.errors.contains(known) && told.errors.contains(unknown), "\(told.errors)")
        let quiet = try assay.run(AssayProcess.executable, arguments + ["quiet", "--quiet"])
        #expect(quiet.status == 0 && quiet.errors.isEmpty, "\(quiet.errors)")
        let page = try assay.read("quiet/report.html")
        #expect(page.contains(known) && page.contains(unknown))
    }

    @Test func `a pattern that matches nothing, and --join without files, are misuse`() throws {
        let assay = try AssayProcess()
        #expect(try assay.run("inspect", "*.csv", "--join").status == 64)
        #expect(try assay.run("run", "--join", "--policy", "lru").status == 64)
    }

    /// Live runs measure in other processes, which cannot read the pipe again.
    @Test func `standard input is a trace, also of a live run`() throws {
        let assay = try AssayProcess()
        try assay.write("x.csv", "key,size\na,1\nb,2\na,1\n")
        let program = AssayProcess.executable.path
        for options in ["--simulate", "--backend dictionary"] {
            let result = try assay.run(
                URL(filePath: "/bin/sh"),
                [
                    "-c",
                    "gzip -c x.csv | '\(program)' run --trace - --policy lru --capacity 2 \(options) --quiet --out out --force",
                ])
            #expect(result.status == 0, "\(result.errors)")
            #expect(try assay.read("out/results.csv").contains("stdin,lru,"))
        }
        let empty = try assay.run(URL(filePath: "/bin/sh"), ["-c", ": | '\(program)' inspect -"])
        #expect(empty.status == 65)
        #expect(empty.errors.contains("Standard input is empty"))
    }

    @Test func `bad rows are skipped where that is said, and counted`() throws {
        let assay = try AssayProcess()
        try assay.write("x.csv", "a,1\nb,x\nc,3\n")
        let skipped = try assay.run("inspect", "x.csv", "--format", "csv:key=1,size=2", "--bad-rows", "skip:1")
        #expect(skipped.status == 0, "\(skipped.errors)")
        #expect(skipped.errors.contains("warning: x.csv: 1 bad row was skipped: 1 (first at x.csv:2: Column 2 is 'x'"))
        #expect(try assay.run("inspect", "x.csv", "--format", "csv:key=1,size=2").status == 65)
        #expect(try assay.run("inspect", "x.csv", "--bad-rows", "all").status == 64)
    }
}
