import CacheCore
import Testing

@testable import CacheHarness

@Suite("LatencyCollector: exact percentiles of what it was given")
struct LatencyCollectorTests {
    @Test func `percentiles, counts and the histogram are those of the values`() throws {
        var collector = LatencyCollector()
        for value in 1...1_000_000 { collector.record(UInt64(value)) }
        for _ in 0..<5 { collector.record(nil) }
        let distribution = collector.distribution()
        let summary = distribution.summary
        #expect(summary.samples == 1_000_000 && summary.operations == 1_000_005)
        for (percentile, found) in [
            (50.0, summary.p50Nanoseconds), (90, summary.p90Nanoseconds), (99, summary.p99Nanoseconds),
            (99.9, summary.p999Nanoseconds), (99.99, distribution.p9999Nanoseconds),
            (99.999, distribution.p99999Nanoseconds),
        ] {
            let exact = percentile * 10_000
            #expect(abs(Double(try #require(found)) - exact) <= exact / 1000 + 1)
            // What reports compute from the stored histogram is what the histogram says.
            #expect(distribution.value(atPercentile: percentile) == found)
        }
        #expect(abs(try #require(summary.maxNanoseconds) - 1_000_000) <= 1000)
        #expect(distribution.counts.reduce(0, +) == 1_000_000)
        #expect(distribution.values == distribution.values.sorted())
    }

    @Test func `a call beyond the histogram's range is not lost`() {
        var collector = LatencyCollector()
        collector.record(10)
        collector.record(3_600_000_000_000)
        #expect(collector.distribution().summary.samples == 2)
        #expect(collector.distribution().summary.maxNanoseconds ?? 0 >= 600_000_000_000)
    }

    @Test func `nothing timed gives no figure`() {
        var collector = LatencyCollector()
        collector.record(nil)
        let distribution = collector.distribution()
        #expect(distribution.summary.samples == 0 && distribution.summary.operations == 1)
        #expect(distribution.summary.maxNanoseconds == nil && distribution.summary.p50Nanoseconds == nil)
        #expect(distribution.meanNanoseconds == nil && distribution.p99999Nanoseconds == nil)
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
        var (sheet, other) = (LatencyByOperation(), LatencyByOperation())
        let timed = sheet.next(.read)
        sheet.record(.hit, timed, 10)
        other.record(.miss, timed, 30)
        other.record(.miss, timed, nil)
        sheet.add(other)
        let latency = sheet.latency()
        #expect(latency.map(\.operation) == [.hit, .miss])
        #expect(latency[1].distribution.summary.operations == 2 && latency[1].distribution.summary.samples == 1)
        #expect(sheet.summary(of: .hit, .miss).operations == 3)
        #expect(sheet.summary(of: .hit, .miss).maxNanoseconds == 30)
    }

    @Test(arguments: [(50.0, 20), (90, 100), (99, 1_000), (99.9, 10_000), (99.99, 100_000), (99.999, 1_000_000)])
    func `a percentile appears from ten samples beyond it on`(_ percentile: Double, _ fewest: Int) {
        #expect(LatencySummary.fewestSamples(percentile: percentile) == fewest)
        for (samples, isThere) in [(fewest - 1, false), (fewest, true)] {
            var collector = LatencyCollector()
            for _ in 0..<samples { collector.record(100) }
            let distribution = collector.distribution()
            let found =
                switch percentile {
                case 50: distribution.summary.p50Nanoseconds
                case 90: distribution.summary.p90Nanoseconds
                case 99: distribution.summary.p99Nanoseconds
                case 99.9: distribution.summary.p999Nanoseconds
                case 99.99: distribution.p9999Nanoseconds
                default: distribution.p99999Nanoseconds
                }
            #expect(found == (isThere ? 100 : nil))
        }
    }

    /// Of 1,000,000 hits at 10 ns one in 64 is timed, of 20,000 misses at 1,000 ns each: counted alike, misses would be most.
    @Test func `outcomes of which unequal shares are timed have their weight together`() throws {
        var expected = LoadCounts()
        (expected.reads, expected.hits) = (1_020_000, 1_000_000)
        var sheet = LatencyByOperation(expected: expected, isSampled: true, seed: 7)
        for call in 0..<1_020_000 {
            let (choice, isMiss) = (sheet.next(.read), call % 51 == 50)
            sheet.record(isMiss ? .miss : .hit, choice, choice.isTimed ? (isMiss ? 1000 : 10) : nil)
        }
        let latency = sheet.latency()
        #expect(latency[0].distribution.summary.samples < 20_000 && latency[1].distribution.summary.samples == 20_000)
        let both = sheet.summary(of: .hit, .miss)
        #expect(both.p50Nanoseconds == 10 && both.p90Nanoseconds == 10)
        #expect(both.p99Nanoseconds == 1000)
        #expect(both.operations == 1_020_000)
    }
}
