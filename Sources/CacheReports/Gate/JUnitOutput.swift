internal import CacheGate

/// A gate's verdict as JUnit XML: a suite a place, a case a line, and one case for all that was compared.
enum JUnitOutput {
    static func render(_ outcome: GateOutcome) -> String {
        let text = GateText(outcome)
        var xml = XMLText()
        xml.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        xml.open("testsuites", [("name", "assay gate")] + totals(text.lines, and: [outcome]))
        xml.open("testsuite", [("name", "assay gate")] + totals([], and: [outcome]))
        xml.open("properties")
        for (name, value) in [("baseline", outcome.baseline), ("candidate", outcome.candidate)] {
            xml.empty("property", [("name", name), ("value", value)])
        }
        xml.close("properties")
        xml.open("testcase", [("classname", "assay gate"), ("name", text.compared)])
        if outcome.comparedFigures == 0 { xml.empty("skipped", [("message", text.compared)]) }
        xml.element("system-out", [], ([text.verdict] + outcome.notes).joined(separator: "\n"))
        xml.close("testcase")
        xml.close("testsuite")
        for (place, lines) in Dictionary(grouping: text.lines, by: GateText.place).sorted(by: { $0.key < $1.key }) {
            xml.open("testsuite", [("name", place)] + totals(lines, and: []))
            for line in lines { testCase(line, place, &xml) }
            xml.close("testsuite")
        }
        xml.close("testsuites")
        return xml.text
    }

    private static func isSkipped(_ line: GateLine) -> Bool {
        !line.fails && [.missing, .undecided, .incomparable, .added].contains(line.verdict)
    }

    /// Counts of cases, with the first one of each outcome.
    private static func totals(_ lines: [GateLine], and outcomes: [GateOutcome]) -> [(String, String)] {
        [
            ("tests", "\(lines.count + outcomes.count)"), ("failures", "\(lines.count(where: \.fails))"),
            ("errors", "0"),
            ("skipped", "\(lines.count(where: isSkipped) + outcomes.count { $0.comparedFigures == 0 })"),
        ]
    }

    private static func testCase(_ line: GateLine, _ place: String, _ xml: inout XMLText) {
        let name = [GateText.subject(line), line.figure].filter { !$0.isEmpty }.joined(separator: " ")
        let detail = GateText.detail(line)
        let content = [detail, GateText.command(line).map { "Repeat: \($0)" }].compactMap { $0 }.joined(separator: "\n")
        xml.open("testcase", [("classname", place), ("name", name)])
        if line.fails {
            xml.element("failure", [("message", detail), ("type", line.verdict.rawValue)], content)
        } else if isSkipped(line) {
            xml.empty("skipped", [("message", "\(line.verdict.rawValue): \(detail)")])
        } else {
            xml.element("system-out", [], "\(line.verdict.rawValue): \(content)")
        }
        xml.close("testcase")
    }
}
