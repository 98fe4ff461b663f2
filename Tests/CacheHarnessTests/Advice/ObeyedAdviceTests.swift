import CacheCore
import Testing

@testable import CacheHarness

@Suite("Advice and curves of traces that state writes and deletes")
struct ObeyedAdviceTests {
    /// Each object is written, read, deleted and read again: half of the reads can hit, in a cache of one object.
    private static let halves = MemoryTrace(
        ids: (0..<400).map { ObjectID($0 / 4) },
        operations: (0..<400).map { [.write, .read, .remove, .read][$0 % 4] })

    @Test func `a target beyond what deletes allow is out of reach, not a cache of one object`() async throws {
        let order = try AdviceFixtures.order(.target(0.75))
        let advice = try await AdviceFixtures.advise(order, Self.halves.sweepTrace)
        #expect(advice.outcome == .unreachable)
        #expect(advice.unlimited.hits == 100 && advice.unlimited.hitRatio == 0.5)
        #expect(advice.choice?.capacity == 1 && advice.choice?.figures?.hitRatio == 0.5)
        // They count every request as a read.
        #expect(advice.bounds.isEmpty)
    }

    @Test(arguments: [ReplayRules.Counted.reads, .all])
    func `the choice is what a search through all replays finds`(_ counted: ReplayRules.Counted) async throws {
        for seed in 1...3 as ClosedRange<UInt64> {
            let trace = MemoryTrace.withOperations(requests: 400, objects: 24, readsChange: false, seed: seed)
            var order = try AdviceFixtures.order(
                .target(0.3), policies: ["lru", "fifo", "mru", "s3fifo"])
            order.rules.counted = counted
            let advice = try await AdviceFixtures.advise(order, trace.sweepTrace)
            var best: (capacity: Int, policy: Int)?
            for (place, policy) in order.policies.enumerated() {
                for capacity in 1...24 {
                    var configuration = PolicyConfiguration(
                        capacity: .objects(capacity), objects: trace.columns.objects, parameters: policy.parameters)
                    configuration.rules = order.rules
                    let counts = try #require(try policy.entry.simulate(trace.columns, configuration))
                    if counts.hitRatio >= 0.3, capacity < best?.capacity ?? .max { best = (capacity, place) }
                }
            }
            #expect(advice.outcome == .reached && advice.choice?.capacity == best?.capacity)
            #expect(advice.choice?.failure == nil)
        }
    }

    private func order(_ method: CurveOrder.Method, extent: SampleExtent = .rate(1)) throws -> CurveOrder {
        CurveOrder(
            policies: [try AdviceFixtures.selection("lru"), try AdviceFixtures.selection("belady")],
            capacities: [.absolute(.objects(5)), .absolute(.objects(20)), .absolute(.bytes(500))], pointCount: 3,
            pointUnit: .objects, method: method, extent: extent, measuresError: false, seed: 1)
    }

    @Test(arguments: [CurveOrder.Method.auto, .exact, .miniature])
    func `curves replay operations, and a policy that knows the future says why it cannot`(
        _ method: CurveOrder.Method
    ) async throws {
        let trace = MemoryTrace.withOperations(readsChange: false)
        let curves = try await CurveRun(
            order(method), traces: [trace.sweepTrace], workers: 2, monitor: ReplayMonitor()
        ).run()
        for curve in curves where curve.policy == "lru" {
            #expect(curve.method == (method == .miniature ? .miniature : .replay))
            for point in curve.points {
                let lru = try AdviceFixtures.selection("lru")
                let counts = try #require(
                    try lru.entry.simulate(
                        trace.columns,
                        PolicyConfiguration(
                            capacity: Capacity(point.capacity, curve.capacityUnit), objects: trace.columns.objects,
                            parameters: lru.parameters)))
                // The sample is the whole trace here.
                #expect(abs(point.hitRatio - counts.hitRatio) < 1e-12, "\(curve.capacityUnit) \(point.capacity)")
            }
        }
        #expect(curves.count { $0.failure?.message.contains("writes or deletes") == true } == 2)
    }

    @Test func `SHARDS refuses what it cannot estimate`() throws {
        var order = try order(.shards)
        order.policies.removeLast()
        let error = #expect(throws: AssayError.self) {
            try CurveRun(
                order, traces: [Self.halves.sweepTrace], workers: 1, monitor: ReplayMonitor())
        }
        #expect(error?.code == .usage && error?.message.contains("writes or deletes") == true)
    }
}
