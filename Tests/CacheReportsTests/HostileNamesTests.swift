import CacheCore
import CacheGate
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheReports

/// Names of traces and whatever else comes from outside stays text in every form.
@Suite("Hostile names")
struct HostileNamesTests {
    static let names = [
        "<script>alert(1)</script>", "=1+1", "@x", "-2+3\"q\",\r\nz", "'><img src=x onerror=alert(1)>",
        "{{{x}}}\u{301}",
    ]

    /// Strings that people or traces choose; all others are words of Assay's own.
    private static let free: Set<String> = [
        "trace", "name", "argument", "format", "digest", "origin", "policy", "parameters", "admission", "backend",
        "capacityRequested", "requested", "message", "tenant", "notes", "warnings", "commandLine", "selection",
        "budget",
        "summary", "citation", "family", "system", "workload", "description", "settings", "operation",
        "operatingSystem",
        "processor", "build", "memoryAllocator", "meter", "source", "reason", "key", "text", "title", "subject",
    ]

    /// A document with `name` before every such string, so that what was equal is equal and what differed differs.
    static func hostile(_ value: Any, _ name: String, under key: String = "") -> Any {
        switch value {
        case let object as [String: Any]:
            let isOfWords = object["distribution"] != nil && object["operation"] as? String == "hit"
            return Dictionary(
                uniqueKeysWithValues: object.map {
                    ($0, isOfWords && $0 == "operation" ? $1 : hostile($1, name, under: $0))
                })
        case let list as [Any]: return list.map { hostile($0, name, under: key) }
        case let text as String: return free.contains(key) ? name + text : text
        default: return value
        }
    }

    @Test func `a name stays text in every page, CSV file and JSON`() throws {
        for (kind, text) in try RecordedSamples.all() {
            let page = try RecordedSamples.rendered(kind, text).page
            let schema = try SchemaCheck(kind)
            let plain = try JSONSerialization.jsonObject(with: Data(text.utf8))
            for name in Self.names {
                let object = Self.hostile(plain, name)
                let renamed = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
                let hostile = try RecordedSamples.rendered(kind, renamed)
                expectText(hostile.page, like: page, name, kind)
                for file in hostile.csv { try expectCells(file, name, kind) }
                #expect(try schema.problems(in: hostile.json) == [], "\(kind)")
                let again = try JSONSerialization.jsonObject(with: Data(hostile.json.utf8)) as? NSDictionary
                #expect(again?["commandLine"] as? NSArray == (object as? NSDictionary)?["commandLine"] as? NSArray)
            }
        }
    }

    @Test(arguments: names)
    func `a name stays text in what was judged`(name: String) throws {
        var findings = ConformanceReportTests.findings()
        let page = try HTMLReport.render(findings.document())
        findings.subject = name
        for index in findings.rows.indices { findings.rows[index].detail = name }
        for index in findings.failures.indices { findings.failures[index].observed = name }
        expectText(try HTMLReport.render(findings.document()), like: page, name, "conformance")
        try expectCells(CSVReport.render(findings), name, "conformance")
        let encoded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(FigureHistoryReportTests.history))
        let renamed = try JSONSerialization.data(withJSONObject: Self.hostile(encoded, name))
        let history = try JSONDecoder().decode(FigureHistory.self, from: renamed)
        try expectCells(FigureHistoryText.csv(history), name, "history")
    }

    /// A page with as many tags that act as one without hostile names.
    private func expectText(_ page: String, like plain: String, _ name: String, _ kind: String) {
        for tag in ["<script", "</script", "<img", "onerror=alert(1)>"] {
            let counts = [page, plain].map { $0.components(separatedBy: tag).count }
            #expect(counts[0] == counts[1], "\(kind): \(tag) of \(name)")
        }
        #expect(page.contains(XMLText.escaped(name)), "\(kind): \(name)")
    }

    /// A CSV file whose records have equal lengths, no formula, and the name as it is.
    private func expectCells(_ file: String, _ name: String, _ kind: String) throws {
        let records = CSVReportTests.parsed(file)
        #expect(records.allSatisfy { $0.count == records[0].count } && records.count > 1, "\(kind): \(name)")
        let cells = records.joined()
        for cell in cells where Double(cell) == nil {
            #expect(!"=+-@\t\r".contains(cell.first ?? " "), "\(kind): \(cell)")
        }
        let isQuoted = "=@-".contains(name.first!)
        #expect(cells.contains { $0.hasPrefix((isQuoted ? "'" : "") + name) }, "\(kind): \(name)")
    }
}
