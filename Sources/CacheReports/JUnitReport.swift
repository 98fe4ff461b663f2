public import CacheCore

/// A gate's verdict as JUnit XML, which continuous integration shows as tests: a suite a trace, a case a cell.
public enum JUnitReport {
    /// The verdict as an XML document that ends with a newline.
    public static func render(_ results: GateResults) -> String {
        let suites = Dictionary(grouping: results.cells, by: \.trace).sorted { $0.key < $1.key }
        var xml = XMLText()
        xml.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        xml.open("testsuites", [("name", "assay gate")] + totals(results.cells, results.rules))
        for (trace, cells) in suites {
            xml.open("testsuite", [("name", trace)] + totals(cells, results.rules))
            properties(results, of: trace, &xml)
            for cell in cells.sorted(by: byName) { testCase(cell, results.rules, &xml) }
            xml.close("testsuite")
        }
        xml.close("testsuites")
        return xml.text
    }

    private enum Outcome {
        case passed, failed, error, skipped
    }

    private static func outcome(_ cell: GateCell, _ rules: GateRules) -> Outcome {
        if rules.forbids(cell.verdict) { return .failed }
        return switch cell.verdict {
        case .equal, .change, .improvement, .regression, .missing: .passed
        case .incomparable: .error
        case .added, .dropped, .stillFailing: .skipped
        }
    }

    private static func totals(_ cells: [GateCell], _ rules: GateRules) -> [(String, String)] {
        let outcomes = cells.map { outcome($0, rules) }
        func count(_ wanted: Outcome) -> String { "\(outcomes.count { $0 == wanted })" }
        return [
            ("tests", "\(cells.count)"), ("failures", count(.failed)), ("errors", count(.error)),
            ("skipped", count(.skipped)),
        ]
    }

    private static func properties(_ results: GateResults, of trace: String, _ xml: inout XMLText) {
        let rules = results.rules
        var values = [
            ("baseline", results.baseline.source), ("baseline.assayVersion", results.baseline.assayVersion),
            ("baseline.startedAt", results.baseline.startedAt), ("candidate", results.candidate.source),
            ("candidate.assayVersion", results.candidate.assayVersion),
            ("candidate.startedAt", results.candidate.startedAt),
            ("tolerance.bytesPerEntry", HumanFormat.percent(rules.bytesPerEntryTolerance)),
            ("allowsMissing", "\(rules.allowsMissing)"), ("isStrict", "\(rules.isStrict)"),
        ]
        if let mismatch = results.incomparableTraces.first(where: { $0.trace == trace }) {
            values.append(("baseline.digest", mismatch.baselineDigest))
            values.append(("candidate.digest", mismatch.candidateDigest))
        }
        xml.open("properties")
        for (name, value) in values { xml.empty("property", [("name", name), ("value", value)]) }
        xml.close("properties")
    }

    private static func testCase(_ cell: GateCell, _ rules: GateRules, _ xml: inout XMLText) {
        let attributes = [("classname", cell.trace), ("name", name(cell))]
        let detail = cell.differences.map { difference in
            "\(difference.figure): \(GateReport.number(difference.baseline)) → "
                + "\(GateReport.number(difference.candidate)) \(GateReport.change(difference))"
        }
        let lines = detail + cell.notCompared.map { "not compared: \($0)" }
        switch outcome(cell, rules) {
        case .passed where lines.isEmpty:
            xml.empty("testcase", attributes)
        case .passed:
            xml.open("testcase", attributes)
            xml.element("system-out", [], ([GateReport.word(cell.verdict)] + lines).joined(separator: "\n"))
            xml.close("testcase")
        case .failed:
            xml.open("testcase", attributes)
            xml.element(
                "failure", [("message", message(cell, detail)), ("type", cell.verdict.rawValue)],
                lines.joined(separator: "\n"))
            xml.close("testcase")
        case .error:
            xml.open("testcase", attributes)
            xml.element("error", [("message", "the trace is not the same input"), ("type", "incomparable")], "")
            xml.close("testcase")
        case .skipped:
            xml.open("testcase", attributes)
            xml.empty("skipped", [("message", message(cell, detail))])
            xml.close("testcase")
        }
    }

    private static func message(_ cell: GateCell, _ detail: [String]) -> String {
        if let failure = cell.failure { return "\(failure.kind.rawValue): \(failure.message)" }
        switch cell.verdict {
        case .missing: return "the candidate has no such cell"
        case .dropped: return "the candidate has no such cell, which the rules allow"
        case .added: return "not in the baseline"
        default: return detail.first ?? GateReport.word(cell.verdict)
        }
    }

    private static func name(_ cell: GateCell) -> String {
        "\(GateReport.policy(cell)) / \(cell.capacity) \(cell.capacityUnit.rawValue) / \(cell.backend)"
    }

    private static func byName(_ a: GateCell, _ b: GateCell) -> Bool {
        (a.policy, a.parameters, a.admission, a.capacity, a.backend)
            < (b.policy, b.parameters, b.admission, b.capacity, b.backend)
    }
}
