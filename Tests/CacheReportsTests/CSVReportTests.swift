import CacheCore
import Testing

@testable import CacheReports

@Suite("CSV report")
struct CSVReportTests {
    static let beginning = [
        "trace", "policy", "parameters", "admission", "backend", "capacity", "capacity_unit", "requests", "hits",
        "misses",
        "evictions", "hit_ratio", "byte_hit_ratio", "requests_per_second",
    ]

    @Test("The first columns are fixed, the last is the failure, and no name comes twice")
    func columns() {
        let names = CSVReport.results.columns.map(\.name)
        #expect(Array(names.prefix(Self.beginning.count)) == Self.beginning)
        #expect(names.last == "failure")
        #expect(Set(names).count == names.count)
        for name in ["get_latency_p99_nanoseconds", "allocated_bytes", "bytes_per_entry", "disk_bytes"] {
            #expect(names.contains(name))
        }
    }

    @Test("The small run as CSV, to the byte")
    func golden() {
        let expected = """
            web,lru,,always,simulation,100,objects,1000,250,750,650,0.25,0.125,2500000.0,64000,8000,56000,100,100,ignored,0,0\
            ,,,,,,,,,,,,,,,,,,,,,,,0,0,,,0,,,,,100,1,,,1,,0,,,,,,,,
            web,sieve,,always,simulation,100,objects,1000,375,625,525,0.375,0.1875,2500000.0,64000,12000,52000,100,100,ignored,0,0\
            ,,,,,,,,,,,,,,,,,,,,,,,0,0,,,0,,,,,100,1,,,1,,0,,,,,,,,
            web,lru,,always,file,100,objects,1000,250,750,650,0.25,0.125,80000.0,64000,8000,56000,100,100,ignored,0,0,\
            1000,1000,900,1500,4000,,50000,750,750,9100,15000,,,500000,\
            jemalloc,14100,141.0,9600,100,1048576,409600,100,0,0,,,0,,,,,100,1,,,1,,0,,,,,,,,
            web,arc,"p=1,5",always,simulation,100,objects,,,,,,,,,,,,,ignored,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,1%,1,,,,,0,,,,,,,,\
            "crashed: It said ""no"", then ended."

            """
        var results = SmallResults.make()
        results.cells[3].failure?.message = "It said \"no\", then ended."
        let text = CSVReport.render(results)
        let header = CSVReport.results.columns.map(\.name).joined(separator: ",")
        #expect(text == (header + "\n" + expected).replacing("\n", with: "\r\n"))
    }

    @Test("Every record has as many fields as the header, and text survives quoting")
    func fields() {
        var results = SampleResults.make()
        results.cells[0].trace = "a\"b,c\r\nd"
        let records = Self.parsed(CSVReport.render(results))
        #expect(records.count == results.cells.count + 1)
        #expect(records.allSatisfy { $0.count == CSVReport.results.columns.count })
        #expect(records[1][0] == results.cells[0].trace)
    }

    @Test(
        arguments: [
            ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""), ("+1+1", "'+1+1"), ("-2+3", "'-2+3"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\t=1", "'\t=1"), ("\r=1", "\"'\r=1\""), ("-", "'-"), ("-0.5", "-0.5"), ("-1e-05", "-1e-05"), ("+7", "+7"),
            ("a=1", "a=1"), ("", ""), ("-9223372036854775808", "-9223372036854775808"),
        ])
    func `a text that a spreadsheet would run begins with an apostrophe, and numbers stay numbers`(
        field: String, cell: String
    ) {
        #expect(CSVReport.quoted(field) == cell)
    }

    /// Records after RFC 4180.
    static func parsed(_ text: String) -> [[String]] {
        var records: [[String]] = []
        var record: [String] = []
        var field = ""
        var isQuoted = false
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"" where isQuoted && scalars.first == "\"": field.unicodeScalars.append(scalars.removeFirst())
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                record.append(field)
                field = ""
            case "\r" where !isQuoted: continue
            case "\n" where !isQuoted:
                records.append(record + [field])
                (record, field) = ([], "")
            default: field.unicodeScalars.append(scalar)
            }
        }
        return records
    }
}
