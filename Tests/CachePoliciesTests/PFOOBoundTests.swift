import CacheCore
import CachePolicies
import Testing

/// PFOO-L and PFOO-U name bounds by misses: in hits, `pfoo-l` is above the optimum and `pfoo-u` below.
@Suite("PFOO, bounds on the optimum")
struct PFOOBoundTests {
    /// Objects a...d, each of one size.
    private static let sizes: [[UInt32]] = [[1, 1, 1, 1], [1, 2, 3, 4], [3, 1, 2, 5], [0, 1, 2, 3], [2, 7, 2, 3]]

    @Test func `enclose the optimum of every short trace`() throws {
        var exact = 0
        for ids in RandomTraces.all(length: 6, objects: 4) {
            for sizes in Self.sizes {
                let trace = TestTrace(ids: ids, sizes: ids.map { sizes[Int($0)] })
                for capacity in 1...6 {
                    let best = Optimum(trace, .bytes(capacity))
                    exact += try Self.checkBounds(trace, .bytes(capacity), best) ? 1 : 0
                }
            }
        }
        #expect(exact > 1000, "the bounds never meet")
    }

    @Test func `enclose the optimum when sizes change and capacities are objects`() throws {
        for seed in 0..<60 {
            let trace = RandomTraces.trace(
                seed: UInt64(seed), requests: 9, objects: 4, largestSize: 5, changing: seed % 2 == 0)
            for capacity in [1, 3, 6, 9] {
                _ = try Self.checkBounds(trace, .bytes(capacity), Optimum(trace, .bytes(capacity)))
            }
            for capacity in 1...3 {
                _ = try Self.checkBounds(trace, .objects(capacity), Optimum(trace, .objects(capacity)))
            }
        }
    }

    /// With one size Bélády with bypass is the optimum.
    @Test func `enclose Bélády's MIN where all sizes are equal`() throws {
        for seed in 0..<20 {
            let trace = RandomTraces.trace(seed: UInt64(seed), requests: 400, objects: 50)
            for capacity in [1, 2, 5, 10, 20, 40, 60] {
                let best = try PolicyCall("belady:bypass=true").simulate(trace.columns, .objects(capacity))
                let (lower, upper) = try Self.bounds(trace, .objects(capacity))
                #expect(lower.hits >= best.hits && best.hits >= upper.hits)
                #expect(lower.bytesHit >= best.bytesHit)
                // Close, or the bounds would tell nothing.
                #expect(lower.hits - upper.hits <= 60, "\(lower.hits) \(best.hits) \(upper.hits) @ \(capacity)")
                if capacity == 60 { #expect(lower.hits == upper.hits) }
            }
        }
    }

    @Test(arguments: PolicyCall.all)
    func `no policy has fewer misses than the lower bound`(_ text: String) throws {
        let call = try PolicyCall(text)
        guard !call.entry.descriptor.isUnbounded else { return }
        for seed in 0..<4 {
            let trace = RandomTraces.trace(seed: UInt64(seed), requests: 300, objects: 40, changing: seed % 2 == 0)
            for capacity in [Capacity.objects(3), .objects(12), .bytes(9), .bytes(60)]
            where call.entry.isApplicable(to: capacity.unit) {
                let counts = try call.simulate(trace.columns, capacity)
                let lower = try Self.bounds(trace, capacity).lower
                #expect(counts.hits <= lower.hits, "\(text) @ \(capacity)")
                #expect(counts.bytesHit <= lower.bytesHit, "\(text) @ \(capacity)")
            }
        }
    }

    /// Both bounds by plain arrays: the cheapest intervals, on average and moment by moment.
    @Test func `are what a list of intervals gives`() throws {
        for seed in 0..<10 {
            let trace = RandomTraces.trace(seed: UInt64(seed), requests: 120, objects: 20, smallestSize: 1)
            let requests = trace.requests
            let intervals = requests.filter { $0.nextIndex != Request.never }
                .sorted {
                    ($0.size * ($0.nextIndex - $0.index), $0.index) < ($1.size * ($1.nextIndex - $1.index), $1.index)
                }
            for capacity in [3, 10, 25, 70] {
                var (left, hits, packed) = (capacity * (requests.count - 1), 0, 0)
                var taken = [Int](repeating: 0, count: requests.count)
                for interval in intervals where interval.size <= capacity {
                    left -= interval.size * (interval.nextIndex - interval.index)
                    hits += left >= 0 ? 1 : 0
                    let span = interval.index..<interval.nextIndex
                    guard taken[span].allSatisfy({ $0 + interval.size <= capacity }) else { continue }
                    packed += 1
                    for moment in span { taken[moment] += interval.size }
                }
                let (lower, upper) = try Self.bounds(trace, .bytes(capacity))
                #expect(lower.hits == hits)
                // The schedule that goes by bytes may have more hits still.
                #expect(upper.hits >= packed && upper.hits <= packed + 5)
            }
        }
    }

    /// Seven requests, capacity 2: the intervals are a 0-5 and 5-6, b 1-3, c 2-4, of sizes 1, 1, 2. On average there is
    /// room for volume 12, and all four take 5 + 1 + 2 + 4; but a, b and c together take 4 of 2 at moment 2.
    @Test func `differ where a moment is over-full`() throws {
        let trace = TestTrace(ids: [0, 1, 2, 1, 2, 0, 0], sizes: [1, 1, 2, 1, 2, 1, 1])
        let (lower, upper) = try Self.bounds(trace, .bytes(2))
        #expect((lower.hits, lower.bytesHit) == (4, 5))
        #expect((upper.hits, upper.bytesHit) == (3, 3))
        #expect(Optimum(trace, .bytes(2)).hits == 3)
        #expect((upper.requests, upper.bytesRequested, upper.evictions) == (7, 9, 0))
    }

    @Test(arguments: ["pfoo-l", "pfoo-u"])
    func `cannot drive a cache`(_ name: String) throws {
        let call = try PolicyCall(name)
        #expect(call.entry.isBound)
        let error = #expect(throws: AssayError.self) { try call.open(.objects(3), ObjectSpace(count: 3)) }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("\(name) is a bound") == true)
    }

    @Test(arguments: ["pfoo-l", "pfoo-u"])
    func `stop when asked, and serve an empty trace`(_ name: String) throws {
        let call = try PolicyCall(name)
        #expect(try call.simulate(TestTrace(ids: []).columns, .objects(3)) == ReplayCounts())
        let monitor = ReplayMonitor()
        let columns = TestTrace(ids: [0, 1, 0]).columns
        let configuration = call.configuration(.objects(1), columns.objects)
        #expect(try call.entry.simulate(columns, configuration, monitor: monitor)?.hits == 1)
        #expect(monitor.requests == 3)
        monitor.stop()
        #expect(try call.entry.simulate(columns, configuration, monitor: monitor) == nil)
    }

    private static func bounds(
        _ trace: TestTrace, _ capacity: Capacity
    ) throws -> (lower: ReplayCounts, upper: ReplayCounts) {
        let columns = trace.columns
        return (
            try PolicyCall("pfoo-l").simulate(columns, capacity), try PolicyCall("pfoo-u").simulate(columns, capacity)
        )
    }

    /// Whether all three are equal.
    private static func checkBounds(_ trace: TestTrace, _ capacity: Capacity, _ best: Optimum) throws -> Bool {
        let (lower, upper) = try bounds(trace, capacity)
        #expect(lower.hits >= best.hits && best.hits >= upper.hits, "\(trace.requests) @ \(capacity)")
        #expect(lower.bytesHit >= best.bytes && best.bytes >= upper.bytesHit, "\(trace.requests) @ \(capacity)")
        return lower.hits == upper.hits && lower.bytesHit == upper.bytesHit
    }
}

/// The most hits, and the most bytes hit, of any cache that may refuse objects: found by trying every set of residents
/// after every request.
private struct Optimum {
    var hits = 0
    var bytes = 0

    init(_ trace: TestTrace, _ capacity: Capacity) {
        /// What each resident was admitted with.
        typealias Residents = [ObjectID: Int]
        var reachable: [Residents: (hits: Int, bytes: Int)] = [[:]: (0, 0)]
        for request in trace.requests {
            var after: [Residents: (hits: Int, bytes: Int)] = [:]
            for (residents, best) in reachable {
                var all = residents
                var (hits, bytes) = best
                if residents[request.id] != nil {
                    hits += 1
                    bytes += request.size
                } else {
                    all[request.id] = capacity.unit == .objects ? 1 : request.size
                }
                for kept in Self.subsets(of: all) where kept.values.reduce(0, +) <= capacity.amount {
                    let known = after[kept] ?? (0, 0)
                    after[kept] = (max(known.hits, hits), max(known.bytes, bytes))
                }
            }
            reachable = after
        }
        hits = reachable.values.map(\.hits).max() ?? 0
        bytes = reachable.values.map(\.bytes).max() ?? 0
    }

    private static func subsets(of residents: [ObjectID: Int]) -> [[ObjectID: Int]] {
        residents.reduce([[:]]) { sets, object in
            sets + sets.map { $0.merging([object.key: object.value]) { first, _ in first } }
        }
    }
}
