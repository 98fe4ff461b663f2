import CacheCore
import CacheEngine
import CachePolicies
import Synchronization
import Testing

@Suite("Random programs on the engine agree with a dictionary, a list and a clock")
struct ModelTests {
    /// What combination of options a program runs with.
    struct Regime: Sendable, CustomTestStringConvertible {
        var capacity: Capacity
        var life: Int64?
        var sliding: Int64?
        var testDescription: String { "\(capacity), life \(life ?? 0), sliding \(sliding ?? 0)" }
    }

    static let regimes: [Regime] = [Capacity.objects(4), .objects(1000), .objects(1), .bytes(40), .bytes(100_000)]
        .flatMap { capacity in
            [(nil, nil), (50, nil), (nil, 30)].map { Regime(capacity: capacity, life: $0.0, sliding: $0.1) }
        }

    /// Runs a random program on both and returns the first difference.
    static func difference(
        _ regime: Regime, seed: UInt64, operations: Int, defect: Defect? = nil
    ) throws -> String? {
        let clock = VirtualClock(monotonicNanoseconds: -5, wallNanoseconds: 1000)
        var options = CacheOptions<Int, Int>(capacity: regime.capacity)
        options.clock = clock
        options.expectedEntries = 3
        let isWeighed = regime.capacity.unit == .bytes
        if isWeighed { options.weigher = { _, value in value % 50 } }
        if let life = regime.life { options.expiry = .afterWrite(.nanoseconds(life)) }
        if let life = regime.sliding { options.expiry = .afterAccess(.nanoseconds(life)) }
        let engine = EngineSubject(cache: try Cache(options, policy: ReplayTests.entry("lru")))
        let events = Mutex<[RemovalEvent<Int, Int>]>([])
        let subscription = engine.cache.onRemoval { event in events.withLock { $0.append(event) } }
        defer { subscription.cancel() }
        let subject: any CacheSubject = defect.map { BrokenSubject(engine: engine, defect: $0) } ?? engine
        var model = CacheModel(
            capacity: regime.capacity.amount, defaultLife: regime.life, slidingLife: regime.sliding,
            weigh: { isWeighed ? $1 % 50 : 1 })
        var program = RandomProgram(seed: seed)
        for step in 0..<operations {
            if let difference = try program.step(subject, &model, clock, isRoomy: regime.capacity.amount > 100) {
                return "step \(step): \(difference)"
            }
            let told = events.withLock { $0 }
            // Swept late is told late: the model's events of expiry may come before.
            _ = subject.count
            let all = events.withLock { $0 }
            guard all.count == model.events.count else {
                return "step \(step): \(all.count) events (\(told.count) at once) for \(model.events.count)"
            }
        }
        return compare(events.withLock { $0 }, model)
    }

    private static func compare(_ events: [RemovalEvent<Int, Int>], _ model: CacheModel) -> String? {
        // Values are unique: an event is known by its value, and the order holds for each key.
        for key in Set(model.events.map(\.key)) {
            let told = events.filter { $0.key == key }.map { "\($0.value) \($0.cause)" }
            let expected = model.events.filter { $0.key == key }.map { "\($0.value) \($0.cause)" }
            if told != expected { return "key \(key): told \(told), not \(expected)" }
        }
        return nil
    }

    @Test(arguments: regimes)
    func `no difference`(_ regime: Regime) throws {
        for seed in 0..<UInt64(25) {
            let difference = try Self.difference(regime, seed: seed, operations: 400)
            #expect(difference == nil, "seed \(seed)")
            if difference != nil { return }
        }
    }

    @Test(arguments: Defect.allCases)
    func `a broken cache is found out`(_ defect: Defect) throws {
        let found = try Self.regimes.contains { regime in
            try (0..<UInt64(10)).contains { seed in
                try Self.difference(regime, seed: seed, operations: 400, defect: defect) != nil
            }
        }
        #expect(found)
    }
}
