import CacheCore
import CachePolicies
import Testing

/// What a policy says of its next victim, of which admission policies make use.
@Suite("The next victim of every policy")
struct NextVictimTests {
    @Test(arguments: PolicyCall.all)
    func `leaves first when the newcomer enters`(_ text: String) throws {
        let call = try PolicyCall(text)
        for (number, capacity) in Self.capacities.enumerated() where call.entry.isApplicable(to: capacity.unit) {
            let trace = RandomTraces.trace(seed: UInt64(number), requests: 600, objects: 40, changing: number % 2 > 0)
            let found = try Self.violations(call, capacity, trace) { $0.nextVictim(for: $1) }
            #expect(found == [], "\(text) @ \(capacity)")
        }
    }

    @Test(arguments: ["fifo", "lru", "sampled-lru"])
    func `and a wrong one is noticed`(_ text: String) throws {
        let trace = RandomTraces.trace(seed: 1, requests: 600, objects: 40)
        let found = try Self.violations(PolicyCall(text), .objects(5), trace) { policy, newcomer in
            _ = policy.nextVictim(for: newcomer)
            return (0..<40).first { policy.contains($0) }
        }
        #expect(!found.isEmpty)
    }

    /// Asking and then refusing must leave the policy as it was, but for its draws and its hand.
    @Test(arguments: PolicyCall.all)
    func `changes nothing that is resident by being asked for`(_ text: String) throws {
        let call = try PolicyCall(text)
        for (number, capacity) in Self.capacities.enumerated() where call.entry.isApplicable(to: capacity.unit) {
            let trace = RandomTraces.trace(seed: 50 + UInt64(number), requests: 300, objects: 40)
            let space = ObjectSpace(count: trace.objectCount, smallestSize: trace.smallestSize)
            let policy = try call.open(capacity, space)
            var victims = VictimList()
            for request in trace.requests where !policy.touch(request) {
                let before = (0..<40).filter { policy.contains($0) }
                let weight = policy.residentWeight
                let count = policy.residentCount
                for _ in 0..<2 where fits(request, capacity) {
                    let victim = policy.nextVictim(for: request)
                    #expect(victim.map { before.contains($0) || $0 == request.id } != false, "\(text) @ \(capacity)")
                }
                #expect((0..<40).filter { policy.contains($0) } == before, "\(text) @ \(capacity)")
                #expect(policy.residentWeight == weight && policy.residentCount == count, "\(text) @ \(capacity)")
                if request.index % 3 > 0 { _ = policy.insert(request, evicting: &victims) }
                if request.index % 7 == 0 { policy.remove(ObjectID(request.index % 40)) }
            }
        }
    }

    private static let capacities: [Capacity] = [1, 2, 3, 7, 20].flatMap { [.objects($0), .bytes($0 * 4)] }

    private func fits(_ request: Request, _ capacity: Capacity) -> Bool {
        capacity.unit == .objects || request.size <= capacity.amount
    }

    /// What differs from a twin that is not asked, and victims that did not leave first.
    private static func violations(
        _ call: PolicyCall, _ capacity: Capacity, _ trace: TestTrace,
        asking ask: (any SteppedPolicy, Request) -> ObjectID?
    ) throws -> [String] {
        let space = ObjectSpace(count: trace.objectCount, smallestSize: trace.smallestSize)
        let (policy, twin) = (try call.open(capacity, space), try call.open(capacity, space))
        var found: [String] = []
        for request in trace.requests {
            let weight = capacity.unit == .objects ? 1 : request.size
            let isTold = twin.touch(request)
            if policy.touch(request) != isTold { found.append("\(request.index): hit") }
            guard !isTold else { continue }
            let needsRoom = weight <= capacity.amount && policy.residentWeight + weight > capacity.amount
            let victim = needsRoom ? ask(policy, request) : nil
            let residents = Set((0..<ObjectID(trace.objectCount)).filter { policy.contains($0) })
            var (left, due) = (VictimList(), VictimList())
            let entered = policy.insert(request, evicting: &left)
            if entered != twin.insert(request, evicting: &due) { found.append("\(request.index): entry") }
            if left.evicted != due.evicted { found.append("\(request.index): \(left.evicted) for \(due.evicted)") }
            // What a hit had pushed out before is reported first.
            let first = left.evicted.first { residents.contains($0) || $0 == request.id }
            if let victim, let first, victim != first {
                found.append("\(request.index): \(first) left before \(victim)")
            }
        }
        return Array(found.prefix(5))
    }
}
