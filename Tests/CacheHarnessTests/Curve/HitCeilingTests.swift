import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

@Suite("Curve: estimates keep to what the trace allows")
struct HitCeilingTests {
    @Test func `first requests miss, and so do objects that never fit`() {
        // Object 1 is asked for with 9 bytes and then with 4, 2 always with 6.
        let trace = MemoryTrace(ids: [0, 1, 0, 1, 1, 2, 2], sizes: [1, 9, 1, 4, 4, 6, 6])
        let objects = HitCeiling(trace.columns, capacities: [1, 100], unit: .objects)
        #expect(objects.footprint == 3)
        #expect(objects.ratios(at: 0).hitRatio == 4.0 / 7 && objects.ratios(at: 1).byteHitRatio == 15.0 / 31)
        let bytes = HitCeiling(trace.columns, capacities: [1, 4, 6, 9], unit: .bytes)
        #expect(bytes.footprint == 16)
        // Object 1 can be hit in a cache of 4 bytes after its request of 4.
        for place in 0..<4 { #expect(bytes.ratios(at: place).hitRatio == Double(place + 1) / 7) }
    }

    @Test(arguments: [Capacity.Unit.objects, .bytes])
    func `no estimate is above what can be hit, none falls, and a cache that holds everything is exact`(
        _ unit: Capacity.Unit
    ) throws {
        for seed in 1...12 as ClosedRange<UInt64> {
            let trace = MemoryTrace.skewed(requests: 1500, objects: 200, seed: seed, keepingSizes: seed < 7)
            let scale = unit == .objects ? 1 : 40
            let capacities = [1, 5, 20, 60, 120, 200, 900, 2000].map { $0 * scale }
            let ceiling = HitCeiling(trace.columns, capacities: capacities, unit: unit)
            for extent in [SampleExtent.rate(0.05), .rate(0.3), .objects(8), .objects(40)] {
                let estimate = try #require(
                    ShardsEstimate(trace.columns, capacities: capacities, unit: unit, extent: extent, seed: seed))
                guard estimate.sampledRequests > 0 else { continue }
                for (place, capacity) in capacities.enumerated() {
                    let most = ceiling.ratios(at: place)
                    #expect(estimate.hitRatios[place] <= most.hitRatio)
                    #expect(estimate.byteHitRatios[place] <= most.byteHitRatio)
                    if capacity >= ceiling.footprint { #expect(estimate.hitRatios[place] == most.hitRatio) }
                }
                for ratios in [estimate.hitRatios, estimate.byteHitRatios] {
                    #expect(zip(ratios, ratios.dropFirst()).allSatisfy { $0 <= $1 })
                    #expect(ratios.allSatisfy { $0 >= 0 })
                }
            }
        }
    }

    @Test func `a miniature's estimate is cut at the ceiling, too`() throws {
        let trace = MemoryTrace.skewed(requests: 1500, objects: 300)
        let sample = try #require(MiniatureTrace(trace.columns, extent: .rate(0.5), seed: 1))
        let ceiling = HitCeiling(trace.columns, capacities: [300], unit: .objects).ratios(at: 0)
        var counts = ReplayCounts()
        (counts.requests, counts.hits, counts.bytesRequested, counts.bytesHit) = (700, 700, 9000, 9000)
        let ratios = sample.ratios(counts, ceiling: ceiling)
        #expect(ratios.hitRatio == ceiling.hitRatio && ratios.byteHitRatio == ceiling.byteHitRatio)
    }

    @Test func `an interval that draws windows again keeps to the ceiling`() {
        let interval = AdviceInterval(low: -0.2, high: 0.97)
        #expect(interval.limited(to: 0...0.928) == AdviceInterval(low: 0, high: 0.928))
        #expect(interval.limited(to: -0.928...0.928) == AdviceInterval(low: -0.2, high: 0.928))
    }
}
