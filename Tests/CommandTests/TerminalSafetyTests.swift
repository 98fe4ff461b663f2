import Foundation
import Testing
import _CacheTestSupport

/// Text from outside reaches no terminal as it is: keys, file names, answers, and what errors say of them.
@Suite("Text from outside is harmless")
struct TerminalSafetyTests {
    private static let evil = "\u{1B}]0;owned\u{7}\u{9B}2J\u{202E}"
    private static let shown = #"\u001b]0;owned\u0007\u009b2J\u202e"#

    private func expectSafe(_ result: AssayProcess.Result, _ comment: String) {
        let text = result.output + result.errors
        #expect(!text.unicodeScalars.contains { [0x1B, 0x07, 0x9B, 0x202E].contains($0.value) }, "\(comment): \(text)")
        #expect(text.contains(Self.shown) || text.contains(Self.shown.dropFirst(6)), "\(comment): \(text)")
    }

    @Test func `keys and values of a history`() throws {
        let assay = try AssayProcess()
        try assay.write(
            "h.json",
            """
            {"assay-history":1,"time":"events"}
            {"client":0,"op":"put","key":"\(Self.evil)","value":"1","call":1,"return":2}
            {"client":1,"op":"get","key":"\(Self.evil)","result":"\(Self.evil)","call":3,"return":4}
            """)
        for arguments in [["check-history", "h.json"], ["check-history", "h.json", "--json"]] {
            let result = try assay.run(AssayProcess.executable, arguments)
            #expect(result.status == 2)
            expectSafe(result, "\(arguments)")
        }
        let json = try assay.run("check-history", "h.json", "--json").output
        let document = try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        let first = try #require((document["histories"] as? [[String: Any]])?.first)
        #expect((first["fault"] as? [String: Any])?["key"] as? String == Self.evil)
        try assay.write("bad.edn", "{:process 0, :type :invoke, :f :\u{9B}2J}")
        #expect(try assay.run("check-history", "bad.edn").errors.contains(#"\u009b2J"#))
    }

    @Test func `names of files, formats, options and subcommands`() throws {
        let assay = try AssayProcess()
        for arguments in [
            ["check-history", Self.evil], ["inspect", Self.evil], ["report", Self.evil],
            ["gate", Self.evil, Self.evil], [Self.evil],
            ["run", "--trace", "x", "--policy", Self.evil], ["conform", Self.evil], ["inspect", "x", "--\(Self.evil)"],
            ["run", "--trace", "x", "--capacity", Self.evil],
        ] {
            let result = try assay.run(AssayProcess.executable, arguments)
            #expect(result.status >= 5)
            expectSafe(result, "\(arguments)")
        }
    }

    @Test func `what a trace is called and what a subject says`() throws {
        let assay = try AssayProcess()
        try assay.write("t\(Self.evil).txt", "a\nb\na\n")
        expectSafe(try assay.run("inspect", "t\(Self.evil).txt"), "inspect")
        expectSafe(
            try assay.run("run", "--trace", "t\(Self.evil).txt", "--policy", "lru", "--capacity", "1", "--out", "out"),
            "run")
        let command = #"exec:printf '\033]0;owned\007\302\2332J\342\200\256' >&2; exit 3"#
        expectSafe(try assay.run("conform", command, "--section", "BAS-1"), "conform")
    }
}
