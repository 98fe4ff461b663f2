import CacheCore
import CacheGate
import CacheReports
import Foundation
import Testing

/// Names that mean something to one of the outputs.
enum NastyNames {
    static let all = [
        "<script>alert(1)</script>", "=1+1", "a|b", "a\\|b", "\\", "line\nbreak", "\n::error::x", "\r\n##[error]x",
        "```\n# heading", "`", "``a", "</code><b>", "&lt;&#96;", "@octocat #1 https://a.example www.a.example",
        "%0A::set-output name=a::b", "a:b,c", "\u{1B}[31m\u{202E}\u{7}", "]]>", "\"'", "</details>", "e\u{301}\u{0}",
        "| --- |", "<!--", "$x^2$", "[a](b)", "*a* _b_ ~c~", "",
    ]
}

@Suite("Names stay text in every output of a gate")
struct GateEscapingTests {
    @Test(arguments: NastyNames.all)
    func `every output has as many lines, cells and elements with any name as with a plain one`(_ name: String) throws {
        let outcome = SampleOutcomes.failing(2, named: name, text: name)
        let plain = SampleOutcomes.failing(2, named: "a", text: "a")
        for output in GateOutput.all {
            let text = output.render(outcome)
            let isData = ["json", "junit", "gitlab"].contains(output.name)
            #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(output.name)")
            #expect(isData || !text.contains("##[error]") && !text.contains("\u{202E}"), "\(output.name)")
            let expected = Self.shape(output.render(plain), output.name)
            #expect(Self.shape(text, output.name) == expected, "\(output.name): \(text)")
        }
    }

    @Test(arguments: NastyNames.all)
    func `what each reader reads back is the name`(_ name: String) throws {
        let outcome = SampleOutcomes.failing(1, named: name, text: name)
        let object = try JSONSerialization.jsonObject(with: Data(GateOutput.named("json").render(outcome).utf8))
        let lines = (object as? [String: Any])?["lines"] as? [[String: Any]]
        #expect(lines?.first?["subject"] as? String == name)
        #expect(lines?.first?["command"] as? String == "assay run --policy lru:n=0" + name)
        let xml = MarkupCheck(GateOutput.named("junit").render(outcome))
        #expect(xml.problem == nil)
        let legal = name.unicodeScalars.map { $0.value < 9 || $0.value == 27 ? "\u{FFFD}" : String($0) }.joined()
        #expect(xml.named("testsuite").last?.attributes["name"] == "trace=web" + legal)
        let gitlab = try JSONSerialization.jsonObject(with: Data(GateOutput.named("gitlab").render(outcome).utf8))
        let finding = try #require((gitlab as? [[String: Any]])?.first)
        #expect(Set(finding.keys) == ["description", "check_name", "fingerprint", "severity", "location"])
        #expect((finding["fingerprint"] as? String)?.count == 64)
    }

    @Test func `a command that the terminal would change is not shown as one to copy`() {
        let text = GateOutput.named("text").render(SampleOutcomes.failing(1, text: "\n"))
        #expect(text.contains("repeat: (the command has characters"))
        #expect(
            GateOutput.named("text").render(SampleOutcomes.failing(1)).contains("repeat: assay run --policy lru:n=0\n"))
    }

    @Test func `the fingerprint is that of the figure, not of its values or parameters`() throws {
        func prints(_ outcome: GateOutcome) -> [String] {
            let lines = GateOutput.named("gitlab").render(outcome).split(separator: "\n")
            return lines.filter { $0.contains("fingerprint") }.map(String.init)
        }
        let outcome = SampleOutcomes.failing(2)
        #expect(Set(prints(outcome)).count == 1)
        var other = outcome
        other.lines[1].candidate = .count(99)
        #expect(prints(other) == prints(outcome))
        other.lines[1].figure = "evictions"
        #expect(Set(prints(other)).count == 2)
    }

    /// What must not depend on names: lines, cells of a table, tags and Markdown's active characters.
    private static func shape(_ text: String, _ name: String) -> [String: Int] {
        var shape = ["lines": text.utf8.count { $0 == 10 }]
        guard name == "markdown" || name == "summary" else { return shape }
        let parts = text.components(separatedBy: "<details>")
        for mark in ["|", "<", ">", "`", "*", "_", "[", "~", "\\", "@", "$", "://", "www."] {
            shape[mark] = parts[0].components(separatedBy: mark).count
        }
        return shape
    }
}
