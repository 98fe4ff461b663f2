import CacheCore
import Testing

@testable import CacheReports

@Suite("Throughput: no order without a difference")
struct ThroughputTests {
    private func speed(_ name: String, _ ranges: [ClosedRange<Double>]) throws -> Throughput<String> {
        let cells = ranges.map { range in
            var cell = SmallResults.failed
            cell.requestsPerSecond = (range.lowerBound + range.upperBound) / 2
            if range.lowerBound < range.upperBound {
                cell.throughputRange = ThroughputRange(least: range.lowerBound, most: range.upperBound, passes: 3)
            }
            return cell
        }
        return try #require(Throughput(name, cells))
    }

    private func places(_ all: [Throughput<String>]) -> [String] {
        Throughput.placed(all).map { "\($0.places) \($0.speed.key)" }
    }

    @Test func `overlapping ranges share their places, the higher median first`() throws {
        let all = [
            try speed("a", [1...3]), try speed("b", [10...12]), try speed("c", [11...20]), try speed("d", [5...6]),
            try speed("e", [2...4]),
        ]
        #expect(places(all) == ["1–2 c", "1–2 b", "3 d", "4–5 e", "4–5 a"])
    }

    @Test func `ranges that are joined by a third one have no order`() throws {
        #expect(
            places([try speed("a", [1...3]), try speed("b", [4...6]), try speed("c", [2...5])])
                == ["1–3 b", "1–3 c", "1–3 a"])
        #expect(
            places([try speed("a", [10...12]), try speed("b", [8...9]), try speed("c", [5...11])])
                == ["1–3 a", "1–3 b", "1–3 c"])
    }

    @Test func `what was replayed in different ways is not ranked`() throws {
        var stepped = SmallResults.failed
        (stepped.requestsPerSecond, stepped.notes) = (2, [CellResult.steppedNote])
        stepped.throughputRange = ThroughputRange(least: 1, most: 3, passes: 3)
        let slow = try #require(Throughput("a", [stepped]))
        #expect(places([slow, try speed("b", [16...17])]) == ["1–2 b", "1–2 a"])
        #expect(places([slow]) == ["1 a"])
    }

    @Test func `what was measured once is not ranked`() throws {
        #expect(places([try speed("a", [1...1]), try speed("b", [16...16])]) == ["1–2 b", "1–2 a"])
        #expect(places([try speed("a", [1...1, 1.1...1.1]), try speed("b", [16...17])]) == ["1–2 b", "1–2 a"])
        #expect(places([try speed("a", [1...2, 1.1...1.1]), try speed("b", [16...17])]) == ["1–2 b", "1–2 a"])
        #expect(Throughput.placed([Throughput<String>]()).isEmpty)
    }

    @Test func `a rate carries half the width of its range`() {
        #expect(HumanFormat.rate(10e6, ThroughputRange(least: 9e6, most: 11e6, passes: 3)) == "10 M/s ±10 %")
        #expect(HumanFormat.rate(10e6, nil) == "10 M/s")
    }
}
