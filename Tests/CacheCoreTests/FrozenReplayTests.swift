import CacheCore
import Testing

/// When a ``FillingPolicy`` says that it is frozen.
private protocol FreezeRule { static func isFrozen(residents: Int, capacity: Int) -> Bool }
private enum Never: FreezeRule { static func isFrozen(residents: Int, capacity: Int) -> Bool { false } }
private enum Full: FreezeRule {
    static func isFrozen(residents: Int, capacity: Int) -> Bool { residents == capacity }
}
private enum TooEarly: FreezeRule {
    static func isFrozen(residents: Int, capacity: Int) -> Bool { residents == capacity - 1 }
}

/// Admits objects until it is full, and nothing from then on.
private struct FillingPolicy<Rule: FreezeRule>: EvictionPolicy {
    private let capacity: Int
    private var residents: Set<ObjectID> = []

    static var descriptor: PolicyDescriptor {
        PolicyDescriptor(name: "filling", family: "order", summary: "Admits objects until it is full.", citation: "")
    }
    init(_ configuration: PolicyConfiguration) throws(AssayError) { capacity = configuration.capacity.amount }

    var residentCount: Int { residents.count }
    var residentWeight: Int { residents.count }
    var isFrozen: Bool { Rule.isFrozen(residents: residents.count, capacity: capacity) }
    static func weight(of request: Request) -> Int { 1 }
    func touch(_ request: Request) -> Bool { residents.contains(request.id) }
    mutating func insert<Sink: EvictionSink & ~Copyable>(_ request: Request, evicting sink: inout Sink) -> Bool {
        guard residents.count < capacity else { return false }
        residents.insert(request.id)
        return true
    }
    mutating func remove(_ id: ObjectID) { residents.remove(id) }
    func contains(_ id: ObjectID) -> Bool { residents.contains(id) }
}

@Suite("Replays of what has frozen")
struct FrozenReplayTests {
    private static let objects = 300

    /// What a policy counts over a trace whose requests have one size, or sizes of 0 to 98 and a few that need 33 bits.
    private func counts<Rule: FreezeRule>(
        _ rule: Rule.Type, _ ids: [ObjectID], capacity: Int, sized: Bool, monitor: ReplayMonitor = ReplayMonitor()
    ) throws -> ReplayCounts? {
        let space = ObjectSpace(count: Self.objects)
        let policy = try FillingPolicy<Rule>(
            PolicyConfiguration(capacity: .objects(capacity), objects: space, parameters: ParameterValues(defaults: []))
        )
        let sizes = ids.indices.map { $0 % 1000 == 7 ? UInt32.max : UInt32($0 % 99) }
        let wide = Dictionary(uniqueKeysWithValues: stride(from: 7, to: ids.count, by: 1000).map { ($0, 1 << 32 + $0) })
        return ids.withUnsafeBufferPointer { ids in
            sizes.withUnsafeBufferPointer { sizes in
                let recorded = RecordedSizes(sizes, wide: wide)
                let columns = RequestColumns(
                    ids: ids, sizes: sized ? recorded : nil, uniformSize: 3, objects: space, owner: nil)
                return replay(policy, columns, monitor: monitor)
            }
        }
    }

    private func trace(_ requests: Int) -> [ObjectID] {
        var generator = SeededGenerator(seed: UInt64(requests))
        return (0..<requests).map { _ in ObjectID(generator.next(below: Self.objects)) }
    }

    @Test(arguments: [0, 1, 10, 65_535, 65_536, 65_537, 131_072, 200_000], [false, true])
    func `counts are those of a replay that asks the policy each time`(_ requests: Int, _ sized: Bool) throws {
        let ids = trace(requests)
        for capacity in [1, 64, 65, Self.objects - 1] {
            let frozen = try #require(try counts(Full.self, ids, capacity: capacity, sized: sized))
            #expect(frozen == (try counts(Never.self, ids, capacity: capacity, sized: sized)), "capacity \(capacity)")
        }
    }

    @Test(arguments: [false, true])
    func `a policy that says so too early is caught`(_ sized: Bool) throws {
        // Objects past the first block's end that would still have been admitted.
        let ids = Array(repeating: 0, count: 65_536) + trace(100_000)
        let frozen = try counts(TooEarly.self, ids, capacity: 2, sized: sized)
        #expect(frozen != (try counts(Never.self, ids, capacity: 2, sized: sized)))
    }

    @Test func `a replay that is stopped has no result`() throws {
        let monitor = ReplayMonitor()
        monitor.stop()
        #expect(try counts(Full.self, trace(100_000), capacity: 3, sized: false, monitor: monitor) == nil)
    }
}
