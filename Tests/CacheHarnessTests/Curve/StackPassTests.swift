import CacheCore
import CachePolicies
import Testing

@testable import CacheHarness

/// Requests of a skewed trace; with sizes each object keeps its own, and a few are far larger than the others.
private func skewed(_ requests: Int, objects: Int, seed: UInt64, sized: Bool = false) -> MemoryTrace {
    var generator = SeededGenerator(seed: seed)
    let ids = (0..<requests).map { _ in ObjectID(Double(objects) * generator.nextUnit() * generator.nextUnit()) }
    let dense = Dictionary(uniqueKeysWithValues: Set(ids).sorted().enumerated().map { ($1, ObjectID($0)) })
    let numbered = ids.map { dense[$0]! }
    return MemoryTrace(
        ids: numbered,
        sizes: sized ? numbered.map { UInt32(mix64(UInt64($0)) % 50 + ($0 % 17 == 0 ? 400 : 0)) } : [])
}

private let lru = PolicyChoice.all.first { $0.entry.descriptor.name == "lru" }!

private func replay(_ policy: PolicyChoice, _ columns: RequestColumns, _ capacity: Capacity) throws -> CurveHits {
    let counts = try #require(
        try policy.entry.simulate(
            columns,
            PolicyConfiguration(capacity: capacity, objects: columns.objects, parameters: policy.parameters)))
    return CurveHits(hits: counts.hits, bytesHit: counts.bytesHit)
}

/// A stack that a test damages: each distance is off by what `change` says.
private struct BrokenStack: ~Copyable, PriorityStack {
    var log: RecencyLog
    var change: (Int) -> Int

    mutating func request(_ id: ObjectID, size: Int) -> Int { change(log.request(id, size: size)) }
    func prefetch(_ id: ObjectID) {}
    func prefetchCounts(_ id: ObjectID) {}
}

@Suite("Curve: one pass counts what replays count")
struct StackPassTests {
    /// The policies that have a stack order, each with what selects it.
    static let stackPolicies = PolicyChoice.all.filter { $0.stackOrder != nil }

    @Test(arguments: stackPolicies)
    func `on every short trace, at every capacity`(_ policy: PolicyChoice) throws {
        let order = try #require(policy.stackOrder)
        for ids in ShortTraces.all(length: 7, objects: 4) {
            let columns = MemoryTrace(ids: ids, sizes: ids.map { 10 * $0 + 1 }).columns
            let curve = try #require(StackPass.curve(order, columns))
            for capacity in 1...5 {
                let expected = try replay(policy, columns, .objects(capacity))
                #expect(curve.hits(at: capacity) == expected, "\(ids) at \(capacity)")
            }
        }
    }

    @Test(arguments: stackPolicies, [false, true])
    func `on random traces, at every capacity`(_ policy: PolicyChoice, _ sized: Bool) throws {
        let order = try #require(policy.stackOrder)
        let columns = skewed(9000, objects: 300, seed: 5, sized: sized).columns
        let curve = try #require(StackPass.curve(order, columns))
        for capacity in stride(from: 1, through: columns.objects.count + 1, by: 23) {
            #expect(curve.hits(at: capacity) == (try replay(policy, columns, .objects(capacity))))
        }
        #expect(curve.hits(at: 0).hits == 0)
        #expect(curve.hits(at: .max) == curve.hits(at: curve.largestCapacity))
    }

    @Test func `in bytes, from the largest size on, at every capacity`() throws {
        let columns = skewed(6000, objects: 120, seed: 6, sized: true).columns
        let capacities = Array(stride(from: 1, through: 12_000, by: 61))
        let curve = try #require(StackPass.byteCurve(columns, capacities: capacities))
        var inexact = 0
        for (index, capacity) in capacities.enumerated() {
            let expected = try replay(lru, columns, .bytes(capacity))
            if curve.isExact(at: capacity) {
                #expect(curve.hits[index] == expected, "at \(capacity)")
            } else {
                #expect(curve.hits[index].hits <= expected.hits, "at \(capacity)")
                inexact += curve.hits[index].hits < expected.hits ? 1 : 0
            }
        }
        #expect(inexact > 0, "the trace has no object that is refused and so tells nothing of lower bounds")
    }

    @Test func `in bytes on every short trace, from the largest size on`() throws {
        for ids in ShortTraces.all(length: 6, objects: 4) {
            let columns = MemoryTrace(ids: ids, sizes: ids.map { [3, 0, 5, 2][Int($0)] }).columns
            let curve = try #require(StackPass.byteCurve(columns, capacities: Array(1...12)))
            for capacity in 1...12 where curve.isExact(at: capacity) {
                #expect(
                    curve.hits[capacity - 1] == (try replay(lru, columns, .bytes(capacity))), "\(ids) \(capacity)")
            }
        }
    }

    @Test func `changing sizes are noticed, and the curve does not claim to be exact`() throws {
        let columns = MemoryTrace(ids: [0, 1, 0, 1], sizes: [5, 2, 6, 2]).columns
        let curve = try #require(StackPass.byteCurve(columns, capacities: [100]))
        #expect(curve.hasChangingSizes)
        #expect(!curve.isExact(at: 100))
    }

    @Test(arguments: [64, 128, 4096])
    func `a log that ends often counts the same`(_ positions: Int) throws {
        let columns = skewed(20_000, objects: 2000, seed: 7).columns
        var log = RecencyLog(objects: columns.objects.count, positions: positions)
        var naive: [ObjectID] = []
        for id in columns.ids {
            let expected = naive.firstIndex(of: id).map { naive.count - $0 } ?? -1
            if expected > 0 { naive.remove(at: naive.count - expected) }
            naive.append(id)
            try #require(log.request(id, size: 1) == expected)
        }
    }

    @Test func `a log longer than a node of every level counts the same`() throws {
        var log = RecencyLog(objects: 65, positions: 1 << 25)
        var generator = SeededGenerator(seed: 5)
        var naive: [ObjectID] = []
        for request in 0..<(1 << 24) + (1 << 20) {
            // Each object half as often as the one before it, so that some wait for the whole length.
            let id = ObjectID(generator.next().trailingZeroBitCount)
            let place = naive.lastIndex(of: id)
            let expected = place.map { naive.count - $0 } ?? -1
            if let place { naive.remove(at: place) }
            naive.append(id)
            let distance = log.request(id, size: 1)
            guard distance != expected else { continue }
            Issue.record("request \(request): \(distance), not \(expected)")
            return
        }
        #expect(log.count == naive.count && naive.count > 20)
    }

    @Test(arguments: [8, 64, 4096])
    func `a weighted log that ends often counts the same`(_ positions: Int) throws {
        let columns = skewed(20_000, objects: 1500, seed: 8).columns
        var log = WeightedRecencyLog(objects: columns.objects.count, positions: positions)
        var naive: [ObjectID] = []
        func size(_ id: ObjectID) -> Int { Int(id) * 37 % 101 }
        for id in columns.ids {
            let place = naive.firstIndex(of: id)
            let expected = place.map { naive[$0...].reduce(0) { $0 + size($1) } } ?? -1
            if let place { naive.remove(at: place) }
            naive.append(id)
            try #require(log.request(id, size: size(id)) == expected)
        }
        #expect(log.weight == naive.reduce(0) { $0 + size($1) })
    }

    @Test func `objects that are taken out of a log count no more`() throws {
        var log = RecencyLog(objects: 5, positions: 64)
        var weighted = WeightedRecencyLog(objects: 5, positions: 8)
        for id in [0, 1, 2, 3] as [ObjectID] {
            _ = log.request(id, size: 1)
            _ = weighted.request(id, size: 10)
        }
        for id in [2, 2, 4] as [ObjectID] {
            log.remove(id)
            weighted.remove(id)
        }
        #expect(log.request(0, size: 1) == 3 && weighted.request(0, size: 10) == 30)
        #expect(log.request(2, size: 1) == -1 && weighted.request(2, size: 10) == -1)
        #expect(log.count == 4 && weighted.count == 4 && weighted.weight == 40)
    }

    @Test(arguments: [{ $0 + 1 }, { $0 == 3 ? 2 : $0 }, { $0 > 40 ? -1 : $0 }] as [@Sendable (Int) -> Int])
    func `a stack whose distances are wrong is caught`(_ change: @escaping @Sendable (Int) -> Int) throws {
        let columns = skewed(3000, objects: 100, seed: 9).columns
        var stack = BrokenStack(log: RecencyLog(objects: columns.objects.count), change: { $0 < 0 ? $0 : change($0) })
        var padded = MemoryTrace(ids: Array(columns.ids)).columns
        padded = RequestColumns(
            ids: padded.ids, sizes: nil, objects: ObjectSpace(count: columns.objects.count + 2), owner: padded.owner)
        let curve = try #require(StackPass.curve(&stack, padded, ReplayMonitor()))
        let differs = try (1...100).contains { capacity in
            curve.hits(at: capacity) != (try replay(lru, columns, .objects(capacity)))
        }
        #expect(differs)
    }

    @Test func `a pass that is stopped has no result`() {
        let monitor = ReplayMonitor()
        monitor.stop()
        let columns = skewed(100, objects: 10, seed: 1).columns
        #expect(StackPass.curve(.leastRecentlyUsed, columns, monitor: monitor) == nil)
        #expect(StackPass.byteCurve(columns, capacities: [1], monitor: monitor) == nil)
    }

    @Test func `a ladder finds the least capacity that holds a distance`() {
        let capacities = [1, 2, 63, 64, 65, 1000, 1001, 1 << 40, (1 << 40) + 1, 1 << 53]
        let ladder = CapacityLadder(capacities.shuffled() + [64])
        var distances = [0, 3, 62, 66, 127, 128, 129, 999, 1002, (1 << 53) + 1, .max]
        distances += capacities
        for distance in distances {
            let expected = capacities.firstIndex { $0 >= distance } ?? capacities.count
            #expect(ladder.rung(for: distance) == expected, "\(distance)")
        }
    }
}
