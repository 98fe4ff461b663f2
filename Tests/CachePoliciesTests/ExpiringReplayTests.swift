import CacheCore
import CachePolicies
import Testing

/// Objects that expire leave before the next request, whatever that is and whomever the policy is told of.
@Suite("Replays in which objects expire")
struct ExpiringReplayTests {
    /// LRU written down without a thought for speed.
    private struct Plain {
        let capacity: Capacity
        let isObeyed: Bool
        /// What was used last comes last.
        var residents: [(id: UInt32, weight: Int, end: Int64?)] = []
        var counts = [0, 0, 0]

        mutating func serve(_ request: Request, _ operation: TraceOperation) {
            counts[2] += residents.count { $0.end.map { $0 <= request.timeNanoseconds } ?? false }
            residents.removeAll { $0.end.map { $0 <= request.timeNanoseconds } ?? false }
            let weight = capacity.unit == .objects ? 1 : request.size
            let place = residents.firstIndex { $0.id == request.id }
            switch operation {
            case .remove:
                if let place { residents.remove(at: place) }
            case .write: put(request, weight, renewing: true)
            case .read:
                if let place {
                    counts[0] += 1
                    residents.append(residents.remove(at: place))
                    if !isObeyed, residents.last!.weight != weight { put(request, weight, renewing: false) }
                } else if !isObeyed {
                    put(request, weight, renewing: false)
                }
            }
        }

        private mutating func put(_ request: Request, _ weight: Int, renewing: Bool) {
            residents.removeAll { $0.id == request.id }
            guard weight <= capacity.amount else { return }
            while residents.reduce(weight, { $0 + $1.weight }) > capacity.amount {
                residents.removeFirst()
                counts[1] += 1
            }
            let life = request.timeToLiveNanoseconds
            residents.append((request.id, weight, life > 0 ? request.timeNanoseconds + life : nil))
        }
    }

    /// Hits, evictions and expirations.
    private static func figures(_ trace: TestTrace, _ capacity: Capacity) throws -> [Int] {
        let call = try PolicyCall("lru", honoursExpiry: true)
        var configuration = call.configuration(capacity, trace.columns.objects)
        configuration.rules = ReplayRules()
        let counts = try #require(try call.entry.simulate(trace.columns, configuration))
        return [counts.hits, counts.evictions, counts.expirations]
    }

    /// A read of what had expired and was not stored hid from the policy that others had expired when the object came back.
    @Test func `a read that stores nothing keeps nothing dead in the cache`() throws {
        let trace = TestTrace(
            ids: [0, 1, 0, 2, 0, 1], times: [0, 60, 70, 71, 73, 74], timesToLive: [10, 0, 0, 1, 60, 0],
            operations: [.write, .write, .read, .write, .write, .read])
        #expect(try Self.figures(trace, .objects(2)) == [1, 0, 2])
    }

    @Test func `a read of what can never fit keeps nothing dead in the cache`() throws {
        let trace = TestTrace(
            ids: [0, 1, 2, 0, 0, 1], sizes: [3, 3, 3, 30, 5, 3], times: [1_743, 1_747, 1_759, 1_762, 1_764, 1_771],
            timesToLive: [2, 0, 4, 1, 4, 9])
        #expect(try Self.figures(trace, .bytes(10)) == [1, 0, 3])
    }

    @Test(arguments: 0..<40, [false, true])
    func `hits, evictions and expirations are those of a plain LRU`(seed: UInt64, isObeyed: Bool) throws {
        var random = SeededGenerator(seed: seed)
        let count = 2_000
        var now = Int64(0)
        let operations = (0..<count).map { _ in TraceOperation(rawValue: [0, 0, 0, 1, 1, 2][random.next(below: 6)])! }
        let trace = TestTrace(
            ids: (0..<count).map { _ in UInt32(random.next(below: 30)) },
            sizes: (0..<count).map { _ in UInt32(1 + random.next(below: random.next(below: 20) == 0 ? 80 : 6)) },
            times: (0..<count).map { _ in
                now += Int64(random.next(below: 3))
                return now
            }, timesToLive: (0..<count).map { _ in [0, 2, 9, 30, 120][random.next(below: 5)] },
            operations: isObeyed ? operations : nil)
        for capacity in [Capacity.objects(8), .bytes(40)] {
            var plain = Plain(capacity: capacity, isObeyed: isObeyed)
            for (request, operation) in zip(trace.requests, operations) {
                plain.serve(request, isObeyed ? operation : .read)
            }
            #expect(try Self.figures(trace, capacity) == plain.counts, "\(capacity)")
        }
    }
}
