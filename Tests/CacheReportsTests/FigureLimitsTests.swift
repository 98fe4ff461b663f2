import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheReports

@Suite("Figures of files from outside")
struct FigureLimitsTests {
    /// The results in a file, with some text replaced.
    private func read(_ text: String, _ old: String, _ new: String) throws -> any ReportedResults {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let changed = text.replacing(old, with: new, maxReplacements: 1)
        try #require(changed != text, "\(old) is not in the file")
        let path = directory.path + "/r.json"
        try Data(changed.utf8).write(to: URL(filePath: path))
        return try JSONReport.read(from: path)
    }

    @Test func `bytes that many requests ask for are counted up to 2^62, in any number of cells`() throws {
        var results = SmallResults.make()
        let place = try #require(results.cells.firstIndex { $0.counts != nil })
        results.cells[place].counts?.bytesRequested = 10_000 << 40
        results.cells += Array(repeating: results.cells[place], count: 500)
        let text = try JSONReport.render(results)
        guard let run = try read(text, "\"assayVersion\"", "\"note\" : 1, \"assayVersion\"") as? RunResults else {
            Issue.record("another kind")
            return
        }
        #expect(run.cells == results.cells)
    }

    @Test func `a figure out of bounds is refused by its place, also where a fraction is allowed`() throws {
        let run = try JSONReport.render(SmallResults.make())
        for (old, new, place, limit) in [
            ("\"bytesRequested\" : 64000", "\"bytesRequested\" : 9223372036854775807", "bytesRequested", "2^62"),
            ("\"durationSeconds\" : ", "\"durationSeconds\" : 1e300, \"x\" : ", "durationSeconds", "2^53"),
            ("\"hits\" : ", "\"hits\" : -5, \"x\" : ", "counts.hits", "is -5 of"),
            ("\"hits\" : ", "\"hits\" : 9000000000, \"x\" : ", "counts.hits", "in 'requests'"),
            ("\"requestsPerSecond\" : 2500000", "\"requestsPerSecond\" : -1e19", "cells[0].requestsPerSecond", "2^53"),
        ] {
            let error = #expect(throws: AssayError.self) { try read(run, old, new) }
            #expect(error?.code == .badInput && error?.message.contains(place) == true, "\(error?.message ?? "read")")
            #expect(error?.message.contains(limit) == true)
        }
    }

    @Test(arguments: ["1e19", "1.01", "-0.5"])
    func `a hit ratio that is none is refused`(ratio: String) throws {
        let curves = SmallCurves.make()
        let point = try #require(curves.curves.first?.points.first)
        let error = #expect(throws: AssayError.self) {
            try read(JSONReport.render(curves), "\"hitRatio\" : \(point.hitRatio)", "\"hitRatio\" : \(ratio)")
        }
        #expect(error?.code == .badInput && error?.message.contains("hitRatio'") == true, "\(error?.message ?? "read")")
    }

    @Test func `figures that are each small enough are refused when no sum of them is`() throws {
        let list = Array(repeating: "9007199254740992", count: 600).joined(separator: ",")
        let run = try JSONReport.render(SmallResults.make())
        let error = #expect(throws: AssayError.self) {
            try read(run, "\"durationSeconds\"", "\"x\" : [\(list)], \"durationSeconds\"")
        }
        #expect(error?.message.contains("2^62") == true)
    }

    @Test func `a seed is any word of 64 bits`() throws {
        var results = SmallResults.make()
        results.seed = .max
        guard
            let run = try read(
                JSONReport.render(results), "\"assayVersion\"", "\"note\" : 1, \"assayVersion\"") as? RunResults
        else {
            Issue.record("another kind")
            return
        }
        #expect(run.seed == .max)
    }

    @Test(arguments: [
        (1e19, "9,223,372,036,854,775,807"), (-1e19, "−9,223,372,036,854,775,808"), (.nan, "–"), (2.9, "2"),
    ])
    func `a count that was calculated is the nearest that there is`(value: Double, text: String) {
        #expect(HumanFormat.count(value) == text)
        #expect(SystemFigureText.text(SystemFigure("f", value, .count)) == text)
    }

    @Test func `durations and sizes without an end are written`() {
        #expect(HumanFormat.duration(.infinity) == HumanFormat.absent)
        #expect(HumanFormat.duration(1e300).hasSuffix(" min"))
        #expect(HumanFormat.bytes(1e19).hasSuffix("TiB"))
    }
}
