import CacheCore
import Testing

@testable import CacheHarness

@Suite("KneeSearch: the highest rate that keeps a promise")
struct KneeSearchTests {
    /// What a subject does that answers in `service` up to `limit` requests a second and falls behind above.
    private static func step(_ rate: Double, limit: Double, service: UInt64) -> RateStep {
        var collector = LatencyCollector()
        for _ in 0..<1000 { collector.record(rate <= limit ? service : 100 * service) }
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

    @Test func `a promise that nothing keeps has no rate`() throws {
        let found = try Self.search.run { (rate) throws(AssayError) in
            Self.step(rate, limit: 1e9, service: 2_000_000)
        }
        #expect(found.requestsPerSecond == 0 && !found.steps.isEmpty)
    }
}
