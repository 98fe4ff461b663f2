import CacheCore
import CachePolicies
import Testing

/// Filters that compare the newcomer with the victim.
@Suite("Admission over a victim")
struct VictimAdmissionTests {
    @Test func `clairvoyant keeps what is asked for sooner`() throws {
        // b comes later than a; then neither comes again, and b enters.
        #expect(try outcomes("lru+clairvoyant", capacity: 1, "abab") == "a b a! b>a")
        #expect(try outcomes("lru", capacity: 1, "abab") == "a b>a a>b b>a")
    }

    @Test(arguments: [1, 3, 10, 25])
    func `clairvoyant compares as a look along the trace does`(_ capacity: Int) throws {
        let trace = RandomTraces.trace(seed: 2, requests: 1500, objects: 60)
        let ids = trace.requests.map(\.id)
        func next(_ id: ObjectID, after index: Int) -> Int { ids[(index + 1)...].firstIndex(of: id) ?? .max }
        let policy = try PolicyCall("lru").open(.objects(capacity), ObjectSpace(count: 60))
        let gate = try openGate("clairvoyant", .objects(capacity))
        for request in trace.requests {
            gate.record(request)
            guard !policy.touch(request) else { continue }
            let victim = policy.residentCount == capacity ? policy.nextVictim(for: request) : nil
            let isBetter =
                victim.map { next(request.id, after: request.index) <= next($0, after: request.index) } ?? true
            #expect(gate.admits(request, over: victim) == isBetter)
            var victims = VictimList()
            if isBetter { _ = policy.insert(request, evicting: &victims) }
        }
    }

    /// Belady's choice of a victim cannot be improved by a filter that knows as much, and is no worse for it.
    @Test(arguments: [2, 8, 20])
    func `clairvoyant helps every policy and reaches no more than the optimum`(_ capacity: Int) throws {
        let columns = RandomTraces.trace(seed: 2, requests: 4000, objects: 80).columns
        let optimum = try PolicyCall("belady:bypass=true").simulate(columns, .objects(capacity)).hits
        for policy in ["fifo", "lru", "clock", "lfu", "sampled-lru"] {
            let plain = try PolicyCall(policy).simulate(columns, .objects(capacity)).hits
            let helped = try PolicyCall(policy + "+clairvoyant").simulate(columns, .objects(capacity)).hits
            #expect(plain < helped && helped <= optimum, "\(policy)")
        }
    }

    @Test func `without room to make, both let in`() throws {
        for filter in ["clairvoyant", "tinylfu", "tinylfu:dialect=caffeine"] {
            #expect(try openGate(filter).admits(Request(id: 0), over: nil), "\(filter)")
        }
    }

    @Test(arguments: ["tinylfu", "tinylfu:dialect=caffeine"])
    func `tinylfu lets in what was asked for more often, and not as often`(_ filter: String) throws {
        let gate = try openGate(filter, .objects(1000), objects: 1000)
        for (id, count) in [(ObjectID(0), 3), (1, 3), (2, 4)] {
            for _ in 0..<count { gate.record(Request(id: id)) }
        }
        #expect(!gate.admits(Request(id: 0), over: 1))
        #expect(gate.admits(Request(id: 2), over: 1))
        #expect(!gate.admits(Request(id: 1), over: 2))
        #expect(gate.admits(Request(id: 1), over: 3))
    }

    /// With many counters for few objects the sketch is exact: counts up to 15, halved with the number of requests.
    @Test func `tinylfu equals exact counts`() throws {
        #expect(try differencesFromCounts(halvingAfter: 20_000) == 0)
    }

    @Test func `and counts that are halved at another time are noticed`() throws {
        #expect(try differencesFromCounts(halvingAfter: 20_500) > 0)
        #expect(try differencesFromCounts(halvingAfter: .max) > 0)
    }

    @Test func `a warm loser enters Caffeine's once in 128 times`() throws {
        let gate = try openGate("tinylfu:dialect=caffeine", .objects(1000), objects: 1000)
        for _ in 0..<6 { for id in 0..<ObjectID(2) { gate.record(Request(id: id)) } }
        let trials = 100_000
        let share = Double((0..<trials).count { _ in gate.admits(Request(id: 0), over: 1) }) / Double(trials)
        #expect(isPlausible(share, for: 1 / 128, trials: trials))
        // One request less, and it is not warm.
        let cold = try openGate("tinylfu:dialect=caffeine", .objects(1000), objects: 1000)
        for _ in 0..<5 { for id in 0..<ObjectID(2) { cold.record(Request(id: id)) } }
        #expect((0..<trials).allSatisfy { _ in !cold.admits(Request(id: 0), over: 1) })
    }

    @Test func `in bytes Caffeine's asks for each victim, the paper's for the first`() throws {
        // c (4 bytes) is asked for twice: more often than a, as often as b.
        let (letters, sizes): (String, [UInt32]) = ("abbcc", [2, 2, 4])
        #expect(try outcomes("fifo+tinylfu", capacity: 5, letters, sizes: sizes) == "a b b! c c>ab")
        // Its a left although c was refused over b.
        #expect(try outcomes("fifo+tinylfu:dialect=caffeine", capacity: 5, letters, sizes: sizes) == "a b b! c c>a")
    }

    /// Where the policy cannot tell, the last victim is compared.
    @Test func `the last victim stands in for one that is not told`() throws {
        let policy = try PolicyCall("lirs+clairvoyant").open(.objects(3), ObjectSpace(count: 9))
        #expect(policy.nextVictim(for: Request(id: 8)) == nil)
        var victims = VictimList()
        // None has left yet, so that the fourth enters; the fifth, never asked for again, is no worse than what left.
        for (index, next) in [10, 11, 12, 13, Request.never].enumerated() {
            let request = Request(id: ObjectID(index), index: index, nextIndex: next)
            #expect(!policy.touch(request))
            let entered = policy.insert(request, evicting: &victims)
            #expect(entered == (index < 4), "\(index)")
        }
    }

    private func differencesFromCounts(halvingAfter sample: Int) throws -> Int {
        let gate = try openGate("tinylfu", .objects(2000), objects: 2000)
        var counts = [Int](repeating: 0, count: 12)
        var generator = SeededGenerator(seed: 6)
        var (found, additions) = (0, 0)
        for _ in 1...60_000 {
            // Most requests go to others, so that few counts reach the largest.
            let isCounted = generator.next(below: 60) == 0
            let id =
                isCounted ? generator.next(below: 1 + generator.next(below: 12)) : 1000 + generator.next(below: 900)
            gate.record(Request(id: ObjectID(id)))
            if isCounted { counts[id] = min(15, counts[id] + 1) }
            additions += 1
            if additions == sample {
                counts = counts.map { $0 / 2 }
                additions /= 2
            }
            let (newcomer, victim) = (generator.next(below: 12), generator.next(below: 12))
            let isBetter = gate.admits(Request(id: ObjectID(newcomer)), over: ObjectID(victim))
            if isBetter != (counts[newcomer] > counts[victim]) { found += 1 }
        }
        return found
    }
}
