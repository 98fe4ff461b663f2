import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheReports

@Suite("Published forms")
struct SchemaTests {
    @Test func `every kind of result is what its schema says`() throws {
        for (kind, text) in try RecordedSamples.all() + [("results", JSONReport.render(SampleResults.make()))] {
            #expect(try SchemaCheck(kind).problems(in: text) == [], "\(kind)")
        }
    }

    @Test func `the recorded reports of conformance are what their schema says`() throws {
        let folder = SharedFolder.packageRoot.appending(path: "Reports/conformance")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        #expect(!names.isEmpty)
        let schema = try SchemaCheck("conformance")
        for name in names {
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            #expect(try schema.problems(in: text) == [], "\(name)")
        }
    }

    @Test func `every document is what its schema says`() throws {
        let schema = try SchemaCheck("document")
        for (kind, text) in try RecordedSamples.all() where kind != "gate" {
            #expect(try schema.problems(in: RecordedSamples.rendered(kind, text).document) == [], "\(kind)")
        }
        let text = try JSONDocument.render(SampleDocument.make())
        #expect(try schema.problems(in: text) == [])
        for (old, new) in [
            ("\"kind\" : \"table\"", "\"kind\" : \"list\""), ("\"value\" : 1000", "\"value\" : \"1000\""),
        ] {
            #expect(try text.contains(old) && schema.problems(in: text.replacing(old, with: new)) != [])
        }
    }

    /// A field that is new, gone, of another type or out of its limits.
    @Test func `what a schema does not allow is noticed in every kind`() throws {
        for (kind, text) in try RecordedSamples.all() {
            let schema = try SchemaCheck(kind)
            let damages = [
                ("\"schemaVersion\" : ", "\"added\" : 1, \"schemaVersion\" : "),
                ("\"schemaVersion\" : ", "\"schemaVersion\" : 9"), ("\"commandLine\" : [", "\"commandLine\" : [5, "),
                ("\"commandLine\"", "\"renamed\""), ("\"requests\" : 1", "\"requests\" : -1"),
                ("\"startedAt\" : \"", "\"startedAt\" : \"on "), ("\"hitRatio\" : 0", "\"hitRatio\" : 7"),
                ("\"policy\" : \"", "\"added\" : 1, \"policy\" : \""),
                ("\"requests\" : 1", "\"requests\" : 0.5, \"r\" : 1"),
                ("\"status\" : \"complete\"", "\"status\" : \"done\""),
            ].filter { text.contains($0.0) }
            #expect(damages.count >= 4)
            for (old, new) in damages {
                #expect(try schema.problems(in: text.replacing(old, with: new)) != [], "\(kind): \(new)")
            }
        }
    }

    @Test func `the data dictionary has every column`() throws {
        let path = SharedFolder.packageRoot.appending(path: "docs/csv.md")
        let document = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
        let prose = document.components(separatedBy: "\n## ")[0]
        let wanted = prose + "\n" + CSVReport.dictionary
        if document != wanted, ProcessInfo.processInfo.environment["ASSAY_UPDATE_GOLDEN"] != nil {
            try wanted.write(to: path, atomically: true, encoding: .utf8)
        }
        #expect(document == wanted, "docs/csv.md says something else; ASSAY_UPDATE_GOLDEN=1 writes it anew")
    }

    @Test func `columns have names that differ, and sentences that fit into a cell of a table`() {
        let rows = CSVReport.dictionary.components(separatedBy: "\n## ").map {
            $0.components(separatedBy: "\n| `").dropFirst()
        }
        #expect(rows.count == 13)
        for file in rows {
            let names = file.map { $0.prefix { $0 != "`" } }
            #expect(Set(names).count == names.count && !names.isEmpty)
            #expect(file.allSatisfy { $0.count { $0 == "|" } == 5 && $0.contains(". | ") })
        }
    }
}
