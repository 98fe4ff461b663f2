import Foundation
import Testing

@Suite("Live runs: descriptors, signals and temporary folders")
struct LiveRunResourcesTests {
    private static let trace = (0..<60).map { "\($0 % 7)\n" }.joined()

    private func limited(_ assay: AssayProcess, _ descriptors: Int, _ arguments: [String]) throws -> AssayProcess.Result
    {
        try assay.run(
            URL(filePath: "/bin/sh"),
            ["-c", "ulimit -n \(descriptors); exec \"$@\"", "sh", AssayProcess.executable.path] + arguments)
    }

    @Test func `many cells run under a low limit of descriptors`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        let capacities = (1...20).map { "\($0)" }.joined(separator: ",")
        let result = try limited(
            assay, 64,
            [
                "run", "--trace", "short.txt", "--policy", "fifo", "--backend", "dictionary", "--capacity", capacities,
                "--out", "out",
            ])
        #expect(result.status == 0, "\(result.errors)")
        #expect((try assay.json("out/results.json")["cells"] as? [Any])?.count == 20)
    }

    @Test func `checks run under a low limit of descriptors`() throws {
        let result = try limited(AssayProcess(), 48, ["conform", "dictionary", "--section", "BAS-1,BAS-2"])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
    }

    @Test func `a bench that lacked descriptors says so in its status`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        var result: AssayProcess.Result?
        for descriptors in 5..<40 where !FileManager.default.fileExists(atPath: assay.path("out/bench.json")) {
            result = try limited(
                assay, descriptors, ["bench", "--trace", "short.txt", "--capacity", "3", "--quiet", "--out", "out"])
        }
        #expect(result?.status == 69 && result?.errors.contains("lacked a resource") == true, "\(result?.errors ?? "")")
    }

    @Test func `what lacked a descriptor is run again by --resume`() throws {
        let assay = try AssayProcess()
        try assay.write("short.txt", Self.trace)
        let order = ["run", "--trace", "short.txt", "--policy", "fifo", "--backend", "dictionary", "--capacity", "3,4"]
        // Enough to plan and to write reports, too few for a child's pipes or for what the child opens.
        var result = try limited(assay, 5, order + ["--out", "out"])
        var descriptors = 6
        while !FileManager.default.fileExists(atPath: assay.path("out/results.json")), descriptors < 40 {
            result = try limited(assay, descriptors, order + ["--out", "out", "--force"])
            descriptors += 1
        }
        let cells = try #require(try assay.json("out/results.json")["cells"] as? [[String: Any]])
        let kinds = cells.map { ($0["failure"] as? [String: Any])?["kind"] as? String }
        #expect(kinds == ["lacked a resource", "lacked a resource"], "\(cells)")
        #expect(result.status == 69 && result.errors.contains("--resume"), "\(result.errors)")
        let resumed = try assay.run("run", "--resume", "out")
        #expect(resumed.status == 0, "\(resumed.errors)")
        let whole = try #require(try assay.json("out/results.json")["cells"] as? [[String: Any]])
        #expect(whole.count == 2 && whole.allSatisfy { $0["failure"] == nil })
    }

    @Test func `a folder that a killed run left is cleared by the next one`() throws {
        let assay = try AssayProcess()
        let temporary = assay.path("temporary")
        let left = temporary + "/assay-live-left"
        try FileManager.default.createDirectory(atPath: left + "/timing", withIntermediateDirectories: true)
        try assay.write("temporary/assay-live-left.lock", "")
        try assay.write("short.txt", Self.trace)
        let result = try assay.run(
            URL(filePath: "/usr/bin/env"),
            ["TMPDIR=\(temporary)", AssayProcess.executable.path]
                + ["bench", "--trace", "short.txt", "--backend", "file", "--capacity", "3", "--out", "out", "--quiet"])
        #expect(result.status == 0, "\(result.errors)")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: temporary).filter { $0.hasPrefix("assay-live") }.isEmpty
        )
    }
}
