import Foundation
import Testing
import _CacheTestSupport

@Suite("assay conform asks less, expects failures, and compares")
struct ConformLimitsCommandTests {
    private static let adapters = SharedFolder.packageRoot.appending(path: "Sources/CacheKits/python").path

    /// A cache in Python whose `contains` counts as a read, and whose `remove` always says true.
    private static let flawed =
        "exec:exec python3 -B -c \"import sys; sys.path.insert(0, '\(adapters)'); import assay_subject as a; "
        + "C = a.MappingCache; C.remove = lambda s, k: s.entries.pop(k, None) is None or True; "
        + "a.serve(C, 'my cache 1.0', {'storage': a.STORE})\""

    @Test func `a profile and skipped checks limit what is asked, and the score names the profile`() throws {
        let assay = try AssayProcess()
        let result = try assay.run(
            "conform", "dictionary", "--profile", "core", "--skip", "key,VAL,BAS-11,PLC-1", "--section", "BAS,KEY,VAL")
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("of profile core") && result.output.contains("BAS-10 "))
        #expect(!result.output.contains("BAS-11 ") && !result.output.contains("KEY-1 "))
        for (arguments, words) in [
            (["--profile", "cor"], "Did you mean 'core'?"), (["--skip", "BAS-111"], "Did you mean 'BAS-11'?"),
            (["--time-limit", "0"], "above 0"), (["--markdown"], "--list"),
            (["--section", "BAS-1", "--skip", "BAS"], "No check is left"),
            (["--clock", "sun"], "There is no clock 'sun'"), (["--clock", "faketime"], "for exec:COMMAND"),
        ] {
            let refused = try assay.run(AssayProcess.executable, ["conform", "dictionary"] + arguments)
            #expect(refused.status == 64 && refused.errors.contains(words), "\(arguments): \(refused.errors)")
        }
        let list = try assay.run("conform", "--list", "--markdown", "--section", "BAS-3")
        #expect(list.output.contains("| BAS-3 | 1 | ") && !list.output.contains("| BAS-4 |"))
    }

    @Test func `what the time limit leaves is inconclusive, and the status says so`() throws {
        let result = try AssayProcess().run("conform", "dictionary", "--section", "CLR", "--time-limit", "0.000001")
        #expect(result.status == 6 && result.errors.contains("5 of 5 checks"), "\(result.output)\(result.errors)")
        #expect(result.output.contains("→ the run ended") && result.output.contains("no score"))
        #expect(result.output.contains("unknown of the checks claimed of those asked (5 checks were not asked)"))
    }

    @Test(arguments: ["exec", "dictionary"])
    func `an interrupted run writes its reports of what was asked`(kind: String) throws {
        let assay = try AssayProcess()
        let subject = kind == "exec" ? Self.flawed : kind
        let process = assay.prepared(
            AssayProcess.executable,
            ["conform", subject, "dictionary", "--section", "BAS,CON", "--json", "j.json", "--junit", "j.xml"])
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var said = Data()
        while !String(decoding: said, as: UTF8.self).contains("BAS-3 ") {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            said += more
        }
        process.interrupt()
        said += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: said, as: UTF8.self)
        try #require(process.terminationStatus == 130, "it was over before it could be interrupted: \(text)")
        #expect(text.contains("→ the run ended before it was asked"), "\(text)")
        let names = try FileManager.default.contentsOfDirectory(atPath: assay.directory.path)
        let reports = names.filter { $0.hasPrefix("j") && $0.hasSuffix(".json") }
        try #require(reports.count == 1 && names.contains { $0.hasSuffix(".xml") }, "\(names)")
        let report = try assay.read(reports[0])
        #expect(report.contains("BAS-3") && report.contains("the run ended before it was asked"))
    }

    @Test func `a known failure does not fail the run, and what passes or has no reason is told`() throws {
        let assay = try AssayProcess()
        try assay.write(
            "known.json",
            #"[{"check": "bas-5", "reason": "remove is told nothing"}, {"check": "BAS-3", "reason": "old"}]"#)
        let run = [
            "conform", Self.flawed, "--section", "BAS-3,BAS-5", "--junit", "j.xml", "--html", "p.html", "--json",
            "j.json",
        ]
        let result = try assay.run(AssayProcess.executable, run + ["--expect", "known.json"])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("BAS-5 fails as expected: remove is told nothing"))
        #expect(result.output.contains("BAS-3 passes, though it is expected to fail"))
        #expect(result.output.contains("  1  0 ns  remove"), "a process is told a timeline")
        #expect(try assay.read("j.xml").contains("<skipped message=\"known to fail: remove is told nothing\"/>"))
        #expect(try assay.read("p.html").contains("my cache 1.0 fails 1 check"))
        #expect(try assay.run(AssayProcess.executable, run).status == 2)
        for (text, words) in [
            (#"[{"check": "BAS-5"}]"#, "reason"), (#"[{"check": "BAS-5", "reason": " "}]"#, "BAS-5 has no reason"),
            (#"[{"check": "BASS-5", "reason": "x"}]"#, "Did you mean 'BAS-5'?"),
            (#"[{"check": "BAS-5", "reason": "x"}, {"check": "BAS-5", "reason": "y"}]"#, "stands there twice"),
        ] {
            try assay.write("bad.json", text)
            let refused = try assay.run(AssayProcess.executable, run + ["--expect", "bad.json"])
            #expect(refused.status == 65 && refused.errors.contains(words), "\(text): \(refused.errors)")
        }
    }

    @Test func `a report is compared with an older one`() throws {
        let assay = try AssayProcess()
        #expect(try assay.run("conform", "dictionary", "--section", "CLR-1,CLR-2", "--json", "old.json").status == 0)
        let old = try assay.read("old.json")
        let same = try assay.run("conform", "dictionary", "--section", "CLR-1,CLR-2", "--compare", "old.json")
        #expect(same.output.contains("The subject does otherwise: nothing"), "\(same.output)\(same.errors)")
        #expect(same.output.contains("The suite asks otherwise, or more: nothing"))
        try assay.write(
            "old.json",
            old.replacing(
                "\"outcome\":\"pass\",\"revision\":1", with: "\"outcome\":\"blocked\",\"revision\":7"))
        let other = try assay.run("conform", "dictionary", "--section", "CLR-1", "--compare", "old.json")
        #expect(other.output.contains("CLR-1: blocked (revision 7) → pass (revision 1)"), "\(other.output)\(old)")
        #expect(try assay.run("conform", "dictionary", "slab", "--compare", "old.json").status == 64)
        #expect(try assay.run("conform", "dictionary", "--compare", "none.json").status == 74)
    }
}
