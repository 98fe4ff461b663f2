extension ConformanceFindings {
    /// The verdicts as JUnit XML: a suite a section, a case a check.
    ///
    /// A failure is a failure, with its likely cause and its first reproducer; a crash or a hang is an error. What is not claimed,
    /// blocked, inconclusive or known to fail is skipped, with the reason.
    public var junit: String {
        var xml = XMLText()
        xml.line("<?xml version=\"1.0\" encoding=\"UTF-8\"?>")
        xml.open("testsuites", [("name", "assay conform \(title)")] + Self.totals(rows))
        for (name, own) in sections {
            xml.open("testsuite", [("name", "\(name) \(sectionTitles[name] ?? "")")] + Self.totals(own))
            for row in own { testCase(row, &xml) }
            xml.close("testsuite")
        }
        xml.close("testsuites")
        return xml.text
    }

    private var sections: [(String, [Row])] {
        let names = rows.map(\.section).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return names.map { name in (name, rows.filter { $0.section == name }) }
    }

    private static func isSkipped(_ row: Row) -> Bool {
        row.known != nil || ["not claimed", "blocked", "inconclusive"].contains(row.outcome)
    }

    private static func totals(_ rows: [Row]) -> [(String, String)] {
        let judged = rows.filter { !isSkipped($0) }
        return [
            ("tests", "\(rows.count)"), ("failures", "\(judged.count { $0.outcome == "fail" })"),
            ("errors", "\(judged.count { ["crashed", "hung"].contains($0.outcome) })"),
            ("skipped", "\(rows.count - judged.count)"),
        ]
    }

    private func testCase(_ row: Row, _ xml: inout XMLText) {
        xml.open("testcase", [("classname", title), ("name", "\(row.id) \(row.assertion)")])
        let detail = row.detail ?? row.outcome
        if Self.isSkipped(row) {
            let why = row.known.map { "known to fail: \($0)" } ?? "\(row.outcome): \(detail)"
            xml.empty("skipped", [("message", why)])
        } else if row.isNegative {
            let cause = causes.first { $0.checks.contains(row.id) }
            let words =
                cause.map { ["Likely cause: \($0.title) (\(($0.checks + $0.blocked).joined(separator: ", ")))"] } ?? []
            let how = failures.first { $0.id == row.id }?.reproducers.first.map { [$0.title, $0.text] } ?? []
            xml.element(
                row.outcome == "fail" ? "failure" : "error", [("message", detail), ("type", row.outcome)],
                (words + how).joined(separator: "\n"))
        } else if row.outcome != "pass" {
            xml.element("system-out", [], "\(row.outcome): \(detail)")
        }
        xml.close("testcase")
    }
}
