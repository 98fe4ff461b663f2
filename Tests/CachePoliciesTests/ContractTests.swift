import CacheCore
import CachePolicies
import Testing

/// What every policy must keep to, whatever its rule: run for each one that is registered, in each dialect.
@Suite("The contract of every policy")
struct ContractTests {
    static let capacities: [Capacity] = [1, 2, 3, 10, 30, 1000].flatMap { [.objects($0), .bytes($0)] }

    @Test(arguments: PolicyCall.all)
    func `holds after every call`(_ text: String) throws {
        let call = try PolicyCall(text)
        let numbered = Thoroughness.share(of: Self.capacities.enumerated(), every: 4)
        for (number, capacity) in numbered where call.entry.isApplicable(to: capacity.unit) {
            let trace = RandomTraces.trace(seed: UInt64(number), requests: 250, objects: 40)
            let checker = try Self.check(call, capacity, trace, removing: number % 3 != 0)
            #expect(checker.violations == [], "\(text) @ \(capacity)")
        }
    }

    @Test(arguments: PolicyCall.all)
    func `holds when sizes change between requests`(_ text: String) throws {
        let call = try PolicyCall(text)
        guard call.entry.isApplicable(to: .bytes) else { return }
        for seed in Thoroughness.share(of: 0..<6, every: 5) {
            // Smallest sizes above 0 leave the tables no slot to spare.
            let trace = RandomTraces.trace(
                seed: UInt64(seed), requests: 250, objects: 40, smallestSize: seed % 4, changing: true)
            for capacity in Thoroughness.share(of: [1, 2, 3, 7, 13, 29, 64], every: 2) {
                let checker = try Self.check(call, .bytes(capacity), trace, removing: seed % 3 != 0)
                #expect(checker.violations == [], "\(text) @ \(capacity) bytes, seed \(seed)")
            }
        }
    }

    @Test(arguments: PolicyCall.all)
    func `equals its replay`(_ text: String) throws {
        let call = try PolicyCall(text)
        let trace = RandomTraces.trace(seed: 7, requests: 1000, objects: 60)
        for capacity in Self.capacities where call.entry.isApplicable(to: capacity.unit) {
            let counts = try call.simulate(trace.columns, capacity)
            let policy = try call.open(
                capacity, ObjectSpace(count: trace.objectCount, smallestSize: trace.smallestSize))
            var victims = VictimList()
            let hits = trace.requests.filter { request in
                let hit = policy.touch(request)
                if !hit { _ = policy.insert(request, evicting: &victims) }
                return hit
            }
            #expect(counts.hits == hits.count, "\(text) @ \(capacity)")
            #expect(counts.evictions == victims.evicted.count, "\(text) @ \(capacity)")
            #expect(try call.simulate(trace.columns, capacity) == counts, "\(text) @ \(capacity) is not reproducible")
        }
    }

    @Test(arguments: PolicyCall.all)
    func `misses only first requests when all fits`(_ text: String) throws {
        let trace = RandomTraces.trace(seed: 3, requests: 400, objects: 60)
        let distinct = Set(trace.requests.map(\.id)).count
        let counts = try PolicyCall(text).simulate(trace.columns, .objects(1000))
        #expect(counts.misses == distinct)
        #expect(counts.evictions == 0)
    }

    @Test(arguments: BuiltinPolicies.all.filter { !$0.isApplicable(to: .bytes) })
    func `refuses bytes where they have no meaning, and says why`(_ entry: PolicyEntry) throws {
        let reason = try #require(entry.descriptor.objectsOnly)
        #expect(reason.hasSuffix("."))
        let call = try PolicyCall(entry.descriptor.name)
        let refusal = #expect(throws: AssayError.self) { try call.open(.bytes(9), ObjectSpace(count: 3)) }
        #expect(refusal?.message.contains(reason) == true)
    }

    @Test(arguments: PolicyCall.all)
    func `serves an empty trace`(_ text: String) throws {
        #expect(try PolicyCall(text).simulate(TestTrace(ids: []).columns, .objects(3)) == ReplayCounts())
    }

    /// A policy whose conformance is broken on purpose must be caught.
    @Test(arguments: BrokenPolicies.all)
    func `catches`(_ broken: PolicyEntry) throws {
        let call = try PolicyCall(broken.descriptor.name, in: BrokenPolicies.all)
        let trace = RandomTraces.trace(seed: 1, requests: 400, objects: 60)
        let checker = try Self.check(call, .bytes(30), trace, removing: true)
        let inObjects = try Self.check(call, .objects(5), trace, removing: true)
        #expect(!(checker.violations + inObjects.violations).isEmpty, "\(broken.descriptor.summary)")
    }

    /// Dialects that break a rule because the reference does.
    private static let exceptions: [String: ContractExceptions] = [
        "slru:dialect=libcachesim": .evictsOnHit,
        "s4lru:dialect=libcachesim": .evictsOnHit,
        "w-tinylfu:dialect=libcachesim": .evictsOnHit,
        "lirs:dialect=libcachesim": [.evictsOnHit, .servesUncounted],
        // libCacheSim's test that drops ghosts of B2 can never hold.
        "car:dialect=libcachesim": .hasUnboundedGhosts,
        // Caffeine lets an object that is larger than the cache pass through the window.
        "w-tinylfu:dialect=caffeine": .passesOversize,
        // By definition it remembers every object that it ever saw.
        "lfu:history=perfect": .hasUnboundedGhosts,
    ]

    private static func exceptions(for call: PolicyCall) -> ContractExceptions {
        var excepted: ContractExceptions = call.entry.descriptor.isUnbounded ? .isUnbounded : []
        for (text, exception) in exceptions {
            let (name, dialect) = (text.prefix { $0 != ":" }, text.drop { $0 != ":" }.dropFirst())
            let policy = call.text.prefix { $0 != "+" }
            if policy.hasPrefix(name + ":"), policy.contains(dialect) { excepted.formUnion(exception) }
        }
        return excepted
    }

    static func check(
        _ call: PolicyCall, _ capacity: Capacity, _ trace: TestTrace, removing: Bool
    ) throws -> ContractChecker {
        let objects = ObjectSpace(count: trace.objectCount, smallestSize: trace.smallestSize)
        var checker = ContractChecker(
            try call.open(capacity, objects), capacity, objects: trace.objectCount, excepting: exceptions(for: call),
            honoursExpiry: call.honoursExpiry)
        var generator = SeededGenerator(seed: 99)
        for request in trace.requests {
            checker.request(request)
            if removing, generator.next(below: 12) == 0 {
                checker.remove(ObjectID(generator.next(below: trace.objectCount)))
            }
        }
        return checker
    }
}
