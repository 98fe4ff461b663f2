import CacheCore
import Testing

@testable import CacheHarness

@Suite("KneeSearch: the highest rate that keeps a promise")
struct KneeSearchTests {
    /// What a subject does that answers in `service` up to `limit` requests a second and falls behind above.
    private static func step(_ rate: Double, limit: Double, service: UInt64, samples: Int = 1000) -> RateStep {
        var collector = LatencyCollector()
        for _ in 0..<samples { collector.record(rate <= limit ? service : 100 * service) }
        let distribution = collector.distribution()
        return RateStep(
            requestsPerSecond: rate, answeredPerSecond: min(rate, limit), isSaturated: rate > 2 * limit,
            response: distribution, service: distribution, lag: distribution)
    }

    private static let search = KneeSearch(
        target: .init(percentile: 99, nanoseconds: 1_000_000), firstRate: 1000)

    @Test(arguments: [3.0, 400, 1000, 33_000, 7_654_321])
    func `the limit is found within 5 percent, never above it`(_ limit: Double) throws {
        let found = try Self.search.run { (rate) throws(AssayError) in
            Self.step(rate, limit: limit, service: 100_000)
        }
        #expect(found.requestsPerSecond <= limit && found.requestsPerSecond > limit / 1.06)
        #expect(found.steps.count < 40)
        #expect(found.steps.contains { $0.requestsPerSecond == found.requestsPerSecond })
    }

    /// Steps of 5 seconds, which a slow one exceeds up to ten times: the limit is above all rates whose step is too short.
    @Test(arguments: [1.0, 200]) func `a step that is too short says nothing, and no rate is given up for it`(
        least: Double
    ) throws {
        let search = KneeSearch(
            target: .init(percentile: 99.9, nanoseconds: 1_000_000), firstRate: 50, leastRate: least)
        let found = try search.run { (rate) throws(AssayError) in
            Self.step(rate, limit: 700, service: 100_000, samples: min(10_000, Int(rate * 50)))
        }
        #expect(found.requestsPerSecond <= 700 && found.requestsPerSecond > 700 / 1.06)
        #expect(found.steps.allSatisfy { $0.requestsPerSecond >= least })
    }

    @Test func `no rate is tried whose step is too short`() throws {
        let search = KneeSearch(
            target: .init(percentile: 99.9, nanoseconds: 1_000_000), firstRate: 500, leastRate: 200)
        let found = try search.run { (rate) throws(AssayError) in
            Self.step(rate, limit: 100, service: 100_000, samples: min(10_000, Int(rate * 50)))
        }
        #expect(found.requestsPerSecond == 0 && found.steps.map(\.requestsPerSecond) == [500, 250, 200])
    }

    @Test func `a promise that nothing keeps has no rate`() throws {
        let found = try Self.search.run { (rate) throws(AssayError) in
            Self.step(rate, limit: 1e9, service: 2_000_000)
        }
        #expect(found.requestsPerSecond == 0 && !found.steps.isEmpty)
    }
}
