import CacheCore
import Testing

@testable import CacheHarness

@Suite("LatencyCollector: exact percentiles of what it was given")
struct LatencyCollectorTests {
    @Test func `percentiles, counts and the histogram are those of the values`() {
        var collector = LatencyCollector()
        for value in 1...100_000 { collector.record(UInt64(value)) }
        for _ in 0..<5 { collector.record(nil) }
        let distribution = collector.distribution()
        let summary = distribution.summary
        #expect(summary.samples == 100_000 && summary.operations == 100_005)
        for (percentile, found) in [
            (50.0, summary.p50Nanoseconds), (90, summary.p90Nanoseconds), (99, summary.p99Nanoseconds),
            (99.9, summary.p999Nanoseconds), (99.99, distribution.p9999Nanoseconds),
            (99.999, distribution.p99999Nanoseconds),
        ] {
            let exact = percentile * 1000
            #expect(abs(Double(found) - exact) <= exact / 1000 + 1)
            // What reports compute from the stored histogram is what the histogram says.
            #expect(distribution.value(atPercentile: percentile) == found)
        }
        #expect(abs(summary.maxNanoseconds - 100_000) <= 100)
        #expect(distribution.counts.reduce(0, +) == 100_000)
        #expect(distribution.values == distribution.values.sorted())
    }

    @Test func `a call beyond the histogram's range is not lost`() {
        var collector = LatencyCollector()
        collector.record(10)
        collector.record(3_600_000_000_000)
        #expect(collector.distribution().summary.samples == 2)
        #expect(collector.distribution().summary.maxNanoseconds >= 600_000_000_000)
    }

    @Test func `nothing timed gives zeros`() {
        let distribution = LatencyCollector().distribution()
        #expect(distribution.summary.samples == 0 && distribution.summary.maxNanoseconds == 0)
        #expect(distribution.value(atPercentile: 99) == 0)
    }

    @Test func `a sample has about the asked size and random gaps`() {
        var sampler = LatencySampler(meanGap: 64, seed: 1)
        var gaps: Set<Int> = []
        var (last, samples) = (0, 0)
        for call in 1...640_000 where sampler.takesNext() {
            gaps.insert(call - last)
            last = call
            samples += 1
        }
        #expect((9000...11000).contains(samples))
        #expect(gaps.count > 100)
        var every = LatencySampler(meanGap: 1, seed: 1)
        #expect((0..<1000).allSatisfy { _ in every.takesNext() })
    }

    @Test func `outcomes are told apart and can be taken together`() {
        var (sheet, other) = (LatencySheet(meanGap: 1, seed: 1), LatencySheet(meanGap: 1, seed: 2))
        sheet.record(.hit, 10)
        other.record(.miss, 30)
        other.record(.miss, nil)
        sheet.add(other)
        let latency = sheet.latency()
        #expect(latency.map(\.operation) == [.hit, .miss])
        #expect(latency[1].distribution.summary.operations == 2 && latency[1].distribution.summary.samples == 1)
        #expect(sheet.summary(of: .hit, .miss).operations == 3)
        #expect(sheet.summary(of: .hit, .miss).maxNanoseconds == 30)
    }
}
