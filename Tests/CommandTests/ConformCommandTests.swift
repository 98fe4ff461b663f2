import Foundation
import Testing
import _CacheTestSupport

@Suite("assay conform on processes, caches and programs")
struct ConformCommandTests {
    private static let adapters = SharedFolder.packageRoot.appending(path: "Sources/CacheKits/python").path

    @Test func `a process that speaks the subject protocol is a subject`() throws {
        let result = try AssayProcess().run(
            "conform", "exec:exec python3 -B '\(Self.adapters)/assay_subject.py'", "--section", "BAS,CLR,ITR")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("ITR-1"))
    }

    @Test func `a process that ends is a result and the status is 3`() throws {
        let adapter =
            "import sys; sys.path.insert(0, '\(Self.adapters)'); import assay_subject as a; C = a.MappingCache"
        let crash = "C.put = lambda s, k, v, **t: (sys.stderr.write('farewell'), __import__('os').abort())"
        let serve = "a.serve(C, 'test', {'storage': a.STORE, 'features': []})"
        let result = try AssayProcess().run(
            "conform", "exec:exec python3 -B -c \"\(adapter); \(crash); \(serve)\"", "--section", "CLR")
        #expect(result.status == 3, "\(result.output)\(result.errors)")
        #expect(result.output.contains("crashed") && result.output.contains("farewell"))
        #expect(try AssayProcess().run("conform", "exec: ").status == 64)
    }

    @Test func `checks that have no temporary folder are not begun`() throws {
        let assay = try AssayProcess(environment: ["TMPDIR": "/nonexistent"])
        let result = try assay.run("conform", "dictionary", "--section", "BAS-1")
        #expect(result.status == 69 && result.errors.contains("TMPDIR"), "\(result.errors)")
        #expect(result.output.isEmpty)
    }

    @Test func `several subjects have a table and a file each, and the status is that of the worst`() throws {
        let assay = try AssayProcess(AssayProcess.developers)
        let result = try assay.run(
            "conform", "dictionary", "reference:M20", "slab", "--section", "TTL,CLR", "--json", "found.json",
            "--progress")
        #expect(result.status == 2, "\(result.output)\(result.errors)")
        let ends = ["dictionary: ", "M20: ", "slab: "].compactMap { result.output.range(of: $0)?.lowerBound }
        #expect(ends.count == 3 && ends == ends.sorted())
        for name in ["dictionary", "reference-M20", "slab"] {
            #expect(try assay.read("found-\(name).json").contains("\"subject\""))
        }
        #expect(result.errors.contains("M20 · 1/") && result.errors.contains("1 failed"))
        let misspelt = try assay.run("conform", "dictionary", "slap", "--section", "CLR")
        #expect(misspelt.status == 64 && misspelt.output.isEmpty)
        #expect(misspelt.errors.contains("no subject 'slap'. Did you mean 'slab'?"))
        let missing = try assay.run("conform", "exec:exit 7", "dictionary", "--section", "CLR")
        #expect(missing.status == 69 && missing.output.contains("dictionary: "), "\(missing.output)\(missing.errors)")
    }

    #if os(Linux)
        @Test func `a report that cannot be written costs the others nothing`() throws {
            let assay = try AssayProcess()
            let result = try assay.run(
                "conform", "dictionary", "--section", "CLR", "--json", "/dev/full", "--junit", "found.xml", "--html",
                "found.html")
            #expect(result.status == 74 && result.errors.contains("/dev/full"), "\(result.status) \(result.errors)")
            #expect(result.output.contains("dictionary: "))
            for file in ["found.xml", "found.html"] { #expect(try assay.read(file).contains("CLR-1"), "\(file)") }
            let refused = try assay.run("conform", "dictionary", "--section", "CLR", "--json", "nowhere/found.json")
            #expect(refused.status != 0 && refused.output.isEmpty, "\(refused.output)\(refused.errors)")
        }
    #endif

    @Test(arguments: [("persistent", "PER-1"), ("tiered", "TIR-1"), ("behind", "WRT-5")])
    func `what not every reference has is due to one of its kinds`(kind: String, check: String) throws {
        let assay = try AssayProcess(AssayProcess.developers)
        let result = try assay.run("conform", "reference:\(kind)", "--section", check)
        #expect(result.status == 0 && result.output.contains("reference:\(kind): 1 pass"), "\(result.output)")
        #expect(try assay.run("conform", "reference", "--section", check).output.contains("1 not claimed"))
        let unknown = try assay.run("conform", "reference:\(kind)ly")
        #expect(unknown.status == 64)
        #expect(unknown.errors.contains("its kinds are plain, behind, tiered, persistent, durable"))
    }

    @Test func `a program is replayed, and its wrong answer is told`() throws {
        let assay = try AssayProcess(AssayProcess.developers)
        try assay.write(
            "p.json",
            #"[{"operation":"put","key":"61","value":"01"},{"operation":"get","key":"61"},{"operation":"cost"}]"#)
        let wrong = try assay.run("conform", "dictionary", "--replay", "p.json")
        #expect(wrong.status == 2, "\(wrong.output)\(wrong.errors)")
        #expect(wrong.output.contains("0x01") && wrong.output.contains("unsupported"))
        #expect(try assay.run("conform", "reference", "--replay", "p.json").status == 0)
        try assay.write("broken.json", "[{\"operation\":\"fly\"}]")
        #expect(try assay.run("conform", "reference", "--replay", "broken.json").status == 65)
    }

    @Test func `reproducers are printed as JSON and as messages of the protocol`() throws {
        let assay = try AssayProcess()
        try assay.write("claims.json", #"{"features":["timeToLive"]}"#)
        for (form, words) in [
            ("json", #"[{"#), ("protocol", #""hello""#), ("timeline", "  1  "), ("swift", "perform("),
        ] {
            let result = try assay.run(
                "conform", "dictionary", "--claims", "claims.json", "--section", "TTL", "--reproducer", form)
            #expect(result.status == 2 && result.output.contains(words), "\(form): \(result.output)\(result.errors)")
        }
        #expect(try assay.run("conform", "dictionary", "--reproducer", "poem").status == 64)
    }

    @Test func `a policy is a subject by its name, and its checks are explained`() throws {
        let assay = try AssayProcess()
        let result = try assay.run("conform", "policy:arc:dialect=caffeine")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("PLC-1 ") && result.output.contains("arc:dialect=caffeine: "))
        #expect(try assay.run("conform", "--explain", "plc-3").output.contains("told evicted"))
        #expect(try assay.run("conform", "policy:lru", "--list").output.contains("PLC-15"))
        #expect(try assay.run("conform", "policy:nothing").status == 64)
        #expect(try assay.run("conform", "policy:pfoo-l").status == 64)
    }

    @Test func `a page is written, and made again from the JSON`() throws {
        let assay = try AssayProcess(AssayProcess.developers)
        let result = try assay.run(
            "conform", "reference:M74", "--section", "LIN", "--html", "page.html", "--json", "found.json")
        #expect(result.status == 2, "\(result.output)\(result.errors)")
        let page = try assay.read("page.html")
        for text in ["<h2>Verdicts</h2>", "LIN-2", "client 1", "conform reference:M74"] { #expect(page.contains(text)) }
        #expect(try assay.run("report", "found.json").status == 0)
        #expect(try assay.read("found.html").contains("LIN-2"))
        #expect(try assay.run("conform", "reference:M0").status == 64)
    }

    @Test(arguments: [
        (["exec:no-such-file-here --flag"], Int32(69), "cannot be started"), (["exec:cat"], 69, "cannot be started"),
        (["exec:exit 0"], 69, "answer the greeting"),
        (["file", "--claims", "typo.json"], 65, "Did you mean 'timeToLive'?"),
        (["dictionary", "--claims", "order.json"], 65, "the order 'lrv', which is no policy's. Did you mean 'lru'?"),
        (["dictionary", "--claims", "missing.json"], 74, "missing.json"),
        (["exec:no-such-file-here", "--replay", "p.json"], 69, "cannot be started"),
    ])
    func `a fault of the set-up is one line and no verdict`(arguments: [String], status: Int32, words: String) throws {
        let assay = try AssayProcess()
        try assay.write("typo.json", #"{"features":["timeToLiv"]}"#)
        try assay.write("order.json", #"{"order":"lrv"}"#)
        try assay.write("p.json", #"[{"operation":"count"}]"#)
        let result = try assay.run(AssayProcess.executable, ["conform"] + arguments + ["--deadline", "20"])
        #expect(result.status == status, "\(result.output)\(result.errors)")
        #expect(result.output.isEmpty && result.errors.contains(words), "\(result.output)\(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1)
    }

    private static let hasServers = (try? AssayProcess().run("list", "backends").output.contains("redis")) == true

    @Test(.enabled(if: hasServers, "the trait Servers is off"))
    func `a server that does not run is told once`() throws {
        let result = try AssayProcess().run("conform", "redis:address=127.0.0.1:1,deadline-ms=200", "--section", "BAS")
        #expect(result.status == 69 && result.output.isEmpty, "\(result.output)\(result.errors)")
        #expect(result.errors.contains("redis:address=127.0.0.1:1") && result.errors.contains("start the server"))
    }

    @Test(arguments: [
        (#"[{"operation":"put","key":"61","sequence":1,"bytes":9007199254740992}]"#, "a value has 0 to"),
        (#"[{"operation":"advance","amount":-1}]"#, "time does not go back"),
    ])
    func `a program beyond its bounds is bad input`(json: String, words: String) throws {
        let assay = try AssayProcess(AssayProcess.developers)
        try assay.write("p.json", json)
        for subject in ["reference", "dictionary", "cache:lru"] {
            let result = try assay.run("conform", subject, "--replay", "p.json")
            #expect(result.status == 65 && result.errors.contains(words), "\(result.output)\(result.errors)")
        }
    }

    @Test func `what a killed run leaves is cleared by the next, and what a living one holds is not`() throws {
        let temporary = try TemporaryDirectory()
        let assay = try AssayProcess(environment: ["TMPDIR": temporary.path])
        func folders() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: temporary.path).filter {
                $0.hasPrefix("assay-conform-")
            }
        }
        let first = assay.prepared(
            AssayProcess.executable, ["conform", "file", "--seeds", "1000000", "--section", "BAS-11"])
        first.standardOutput = FileHandle.nullDevice
        first.standardError = FileHandle.nullDevice
        try first.run()
        defer { kill(first.processIdentifier, SIGKILL) }
        while try folders().count < 2 { usleep(10_000) }
        let held = try #require(try folders().first { !$0.hasSuffix(".lock") })
        #expect(try assay.run("conform", "file", "--section", "BAS-1").status == 0)
        #expect(try folders().contains(held))
        kill(first.processIdentifier, SIGKILL)
        first.waitUntilExit()
        #expect(try assay.run("conform", "file", "--section", "BAS-1").status == 0)
        #expect(try !folders().contains(held))
    }
}
