import Foundation
import Testing

@Suite("assay run --system: complete systems under workloads of their own")
struct SystemCommandTests {
    @Test func `all systems in one report, and again from its JSON`() throws {
        let assay = try AssayProcess()
        let result = try assay.run("run", "--system", "all", "--scale", "0.002", "--out", "out")
        #expect(result.status == 0, "\(result.errors)")
        let json = try assay.json("out/systems.json")
        #expect(json["schemaVersion"] as? Int == 3 && json["status"] as? String == "complete")
        let systems = try #require(json["systems"] as? [[String: Any]])
        let names = ["method-cache", "expiring-disk-cache", "call-cache", "record-cache", "http-cache"]
        #expect(Set(systems.compactMap { $0["system"] as? String }) == Set(names))
        for system in systems {
            let name = system["system"] as? String ?? ""
            #expect(result.output.contains(name))
            let counts = try #require(system["counts"] as? [String: Any], "\(system)")
            #expect(counts["originRequestsWithout"] as? Int ?? 0 > 0)
            #expect((system["latency"] as? [Any])?.isEmpty == false && system["callsPerSecond"] as? Double ?? 0 > 0)
            let memory = try #require(system["memory"] as? [String: Any])
            #expect(memory["allocatedBytes"] as? Int ?? 0 > 0, "\(memory)")
            #expect((memory["diskBytes"] as? Int != nil) == (name != "method-cache"))
        }
        let rows = try assay.read("out/systems.csv").split(whereSeparator: \.isNewline)
        #expect(rows.count > names.count && rows[0].hasPrefix("system,workload,policy,backend,"))
        let again = try assay.run("report", "out/systems.json", "--out", "again")
        #expect(again.status == 0, "\(again.errors)")
        for name in ["systems.json", "systems.csv", "systems.html"] {
            #expect(try assay.read("again/\(name)") == assay.read("out/\(name)"))
        }
    }

    @Test func `the same seed counts the same, and each policy and backend has its row`() throws {
        let assay = try AssayProcess()
        func counts(_ out: String, _ seed: String) throws -> [NSDictionary] {
            let result = try assay.run(
                "run", "--system", "app-sessions", "--policy", "lru,sieve", "--backend", "file,log", "--scale", "0.004",
                "--seed", seed, "--out", out, "--quiet")
            #expect(result.status == 0, "\(result.errors)")
            let systems = try #require(try assay.json("\(out)/systems.json")["systems"] as? [[String: Any]])
            #expect(
                systems.map { "\($0["policy"] ?? "") \($0["backend"] ?? "")" } == [
                    "lru file", "lru log", "sieve file", "sieve log",
                ])
            return systems.compactMap { ($0["counts"] as? [String: Any]).map { NSDictionary(dictionary: $0) } }
        }
        let (first, again, other) = (try counts("a", "1"), try counts("b", "1"), try counts("c", "2"))
        #expect(first.count == 4 && first == again && first != other)
    }

    @Test func `a system that hangs is a result, and the others have theirs`() throws {
        let assay = try AssayProcess()
        let result = try assay.run(
            "run", "--system", "library-upgrade", "--deadline", "0.2", "--out", "out", "--quiet")
        #expect(result.status == 3 && result.errors.contains("--deadline"), "\(result.errors)")
        let system = (try assay.json("out/systems.json")["systems"] as? [[String: Any]])?.first
        #expect((system?["failure"] as? [String: Any])?["kind"] as? String == "hung")
        #expect(try assay.read("out/systems.html").contains("hung"))
    }

    @Test(arguments: [
        (["--system", "cal-cache"], "Did you mean 'call-cache'?"),
        (["--system", "all", "--trace", "loop"], "--policy, --backend"),
        (["--system", "loop"], "assay run --trace loop"), (["--system", "all", "--scale", "2"], "at most 1"),
        (["--scale", "0.5"], "--scale is for --system"), (["--trace", "page-loads"], "assay run --system page-loads"),
        (["--system", "call-cache", "--policy", "belady"], "needs the future"),
        (["--system", "call-cache", "--backend", "dictionary"], "does not keep"),
        (["--system", "call-cache", "--policy", "s3fifo:small=0.2"], "without parameters"),
    ])
    func `a mistake says what to write`(_ arguments: [String], _ words: String) throws {
        let assay = try AssayProcess()
        let result = try assay.run(AssayProcess.executable, ["run", "--out", "no"] + arguments)
        #expect(result.status == 64, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
    }

    @Test func `a setting that no system has is an error with its line`() throws {
        let assay = try AssayProcess()
        try assay.write(
            "mine.yaml",
            "kind: system\ndescription: d\norigin: o\nlicence: CC0-1.0\nsystem: http-cache\nasets: 5\n")
        let result = try assay.run("run", "--system", "mine.yaml")
        #expect(result.status == 65 && result.errors.contains("mine.yaml:6"), "\(result.errors)")
        #expect(result.errors.contains("Did you mean 'assets'?"), "\(result.errors)")
    }

    @Test func `the list says which workloads drive systems`() throws {
        let result = try AssayProcess().run("list", "workloads")
        #expect(result.status == 0 && result.output.contains("assay run --system app-sessions"))
    }
}
