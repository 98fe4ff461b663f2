import CacheCore
import CacheGate
import Foundation
import Testing

@testable import CacheHistory

/// Figures as the tests record them.
enum RecordedSample {
    static func commit(_ number: Int) -> FigureHistory.Commit {
        FigureHistory.Commit(
            digest: SHA256.hexadecimal(of: "\(number)".utf8), time: 1_000_000 + number, title: "commit \(number)")
    }

    static func figure(
        _ value: ResultFigure.Value, name: String = "hits", parameters: String = "", kind: ResultFigure.Kind = .exact,
        place: [String: String] = ["trace": "t"]
    ) -> ResultFigure {
        ResultFigure(
            subject: "s3fifo", parameters: parameters, place: place, name: name, value: value, kind: kind, better: .more
        )
    }

    static func recorded(_ number: Int, _ figure: ResultFigure, machine: String = "m") -> RecordedFigure {
        RecordedFigure(commit: commit(number).digest, machine: machine, figure: figure)
    }
}

@Suite("Series of figures over commits")
struct FigureHistoryTests {
    private typealias Sample = RecordedSample
    private let commits = (0..<12).map(Sample.commit)

    private func history(_ figures: [RecordedFigure], places: [String: Int] = [:]) -> FigureHistory {
        FigureHistory(commits: commits.shuffled(), figures: figures, places: places)
    }

    @Test func `every other value of an exact figure is a change, at the first commit that has it`() throws {
        let history = history(
            (0..<12).map { Sample.recorded($0, Sample.figure(.count($0 < 6 ? 500 : $0 < 11 ? 480 : 500))) })
        let series = try #require(history.series.first)
        #expect(series.changes.map(\.point) == [6, 11])
        #expect(series.changes[0].before == .count(500) && series.changes[0].after == .count(480))
        #expect(series.changes.map(series.isWorse) == [true, false])
        #expect(history.commits.map(\.title) == (0..<12).map { "commit \($0)" })
        #expect(history.notes.first?.contains("order of their times: 12 of 12") == true)
    }

    @Test func `a check whose outcome changed is a change`() throws {
        let words = ["passed", "passed", "failed"].map(ResultFigure.Value.word)
        let history = history(words.enumerated().map { Sample.recorded($0, Sample.figure($1)) })
        #expect(try #require(history.series.first).changes.map(\.point) == [2])
    }

    @Test func `a series follows its subject over a change of parameters, and a sweep is several series`() {
        let changed = (0..<12).map {
            Sample.recorded($0, Sample.figure(.count($0), parameters: $0 < 6 ? "" : "small=0.2"))
        }
        #expect(history(changed).series.map(\.points.count) == [12])
        let swept = ["small=0.1", "small=0.2"].flatMap { parameters in
            (0..<12).map { Sample.recorded($0, Sample.figure(.count(7), parameters: parameters)) }
        }
        let series = history(swept).series
        #expect(series.map(\.points.count) == [12, 12] && series.allSatisfy(\.changes.isEmpty))
    }

    @Test func `the order is the repository's, and commits without results before a change are told`() throws {
        // Times go the other way than the repository's order.
        let places = Dictionary(uniqueKeysWithValues: (0..<12).map { (commits[$0].digest, (11 - $0) * 3) })
        let figures = (0..<12).map { Sample.recorded($0, Sample.figure(.count($0 < 4 ? 1 : 2))) }
        let history = history(figures, places: places)
        #expect(history.commits.first?.title == "commit 11" && history.notes.isEmpty)
        let change = try #require(history.series.first?.changes.first)
        #expect(history.commits[change.point].title == "commit 3" && change.unrecordedCommits == 2)
        var some = places
        some[commits[0].digest] = nil
        #expect(self.history(figures, places: some).commits.first?.title == "commit 0")
    }

    @Test func `times are compared on one machine, by the median of a commit, and exact figures on any`() {
        let timed = (0..<3).flatMap { number in
            ["a", "b"].flatMap { machine in
                [1.0, 9, 2].map {
                    Sample.recorded(number, Sample.figure(.real($0), name: "rate", kind: .timed), machine: machine)
                }
            }
        }
        let series = history(timed).series
        #expect(series.map(\.machine) == ["a", "b"])
        #expect(series.allSatisfy { $0.points.map(\.value) == Array(repeating: .real(2), count: 3) })
        let exact = ["a", "b"].map { Sample.recorded($0 == "a" ? 0 : 1, Sample.figure(.count(3)), machine: $0) }
        #expect(history(exact).series.map(\.points.count) == [2])
    }

    @Test func `what the same code gives twice differently is told`() {
        let history = history([4, 5].map { Sample.recorded(0, Sample.figure(.count($0))) })
        #expect(history.series.first?.points.map(\.value) == [.count(5)])
        #expect(history.notes.contains { $0.contains("several values") })
    }

    @Test func `a level of counted figures that moved has medians and a chance`() throws {
        let values = (0..<12).map { $0 < 6 ? 201.4 : 210 }
        let figures = values.enumerated().map {
            Sample.recorded($0, Sample.figure(.real($1), name: "bytes_per_entry", kind: .counted))
        }
        let history = history(figures)
        let change = try #require(history.series.first?.changes.first)
        #expect(history.notes.contains { $0.contains("nothing is said of the last 2") })
        #expect(change.point == 6 && change.before == .real(201.4) && change.after == .real(210))
        #expect((0.001...0.01).contains(try #require(change.chance)))
        #expect(self.history(Array(figures.prefix(9))).notes.contains { $0.contains("fewer than 10 commits") })
    }
}
