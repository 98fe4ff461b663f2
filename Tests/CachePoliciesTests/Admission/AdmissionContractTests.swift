import CacheConformance
import CacheCore
import CachePolicies
import Testing

/// The contract behind every filter, with expiry and without.
@Suite("Admission and expiry keep the contract of every policy")
struct AdmissionContractTests {
    static let pairs = AdmissionCalls.all.flatMap { filter in AdmissionCalls.policies.map { "\($0)+\(filter)" } }
    private static let capacities: [Capacity] = [.objects(1), .objects(9), .bytes(3), .bytes(30)]

    @Test(arguments: pairs + AdmissionCalls.policies)
    func `holds after every call`(_ text: String) throws {
        for honoursExpiry in [false, true] {
            let call = try PolicyCall(text, honoursExpiry: honoursExpiry)
            for (number, capacity) in Self.capacities.enumerated() where call.entry.isApplicable(to: capacity.unit) {
                let trace = RandomTraces.trace(
                    seed: UInt64(number), requests: 200, objects: 30, changing: number % 2 > 0, expiring: true)
                let audit = try ContractTests.audit(call, capacity, trace, removing: number > 1)
                #expect(audit.findings.map(\.text) == [], "\(text) @ \(capacity), expiry \(honoursExpiry)")
            }
        }
    }

    /// What enters leaves by eviction or expiry, or is still there.
    @Test(arguments: Thoroughness.share(of: pairs + AdmissionCalls.policies, every: 3))
    func `accounts for every object that entered`(_ text: String) throws {
        for honoursExpiry in [false, true] {
            let call = try PolicyCall(text, honoursExpiry: honoursExpiry)
            for capacity in Self.capacities where call.entry.isApplicable(to: capacity.unit) {
                let trace = RandomTraces.trace(seed: 5, requests: 400, objects: 30, expiring: true)
                let audit = try ContractTests.audit(call, capacity, trace, removing: false)
                let counts = try call.simulate(trace.columns, capacity)
                #expect(counts.hits == audit.hits && counts.evictions == audit.evictions, "\(text) @ \(capacity)")
                #expect(counts.expirations == audit.expirations, "\(text) @ \(capacity)")
                #expect(
                    audit.entries == counts.evictions + counts.expirations + counts.residentObjects,
                    "\(text) @ \(capacity), expiry \(honoursExpiry)")
                #expect(honoursExpiry || counts.expirations == 0)
                #expect(counts.refusals <= counts.misses)
            }
        }
    }

    /// A refused object is never offered, so that its ghost stays: the policy is as if the filter were its caller.
    @Test(arguments: pairs)
    func `equals the policy with the filter asked by hand`(_ text: String) throws {
        let call = try PolicyCall(text)
        let plain = try PolicyCall(String(text.prefix { $0 != "+" }))
        let selection = try #require(call.admission)
        for capacity in [Capacity.objects(1), .objects(9)] {
            let trace = RandomTraces.trace(seed: 8, requests: 600, objects: 40)
            let space = ObjectSpace(count: trace.objectCount, smallestSize: trace.smallestSize)
            let (fronted, policy) = (try call.open(capacity, space), try plain.open(capacity, space))
            let gate = try selection.open(plain.configuration(capacity, space))
            var last: ObjectID?
            for request in trace.requests {
                if gate.needsRecord { gate.record(request) }
                let hit = policy.touch(request)
                #expect(fronted.touch(request) == hit, "\(text) @ \(capacity)")
                guard !hit else { continue }
                let isFull = policy.residentCount == capacity.amount
                let victim = isFull && gate.needsVictim ? policy.nextVictim(for: request) ?? last : nil
                var (left, due) = (VictimList(), VictimList())
                if gate.admits(request, over: victim) { _ = policy.insert(request, evicting: &due) }
                _ = fronted.insert(request, evicting: &left)
                last = due.evicted.last ?? last
                #expect(left.evicted == due.evicted, "\(text) @ \(capacity)")
            }
        }
    }

    /// `always` is to have no filter; one that lets everything in must not be noticed either.
    @Test(arguments: PolicyCall.all)
    func `a filter that refuses nothing changes nothing`(_ text: String) throws {
        let trace = RandomTraces.trace(seed: 3, requests: 800, objects: 50, changing: true, expiring: true)
        for capacity in [Capacity.objects(1), .objects(12), .bytes(5), .bytes(60)] {
            let plain = try PolicyCall(text)
            guard plain.entry.isApplicable(to: capacity.unit) else { continue }
            let counts = try plain.simulate(trace.columns, capacity)
            let open = try PolicyCall(text + "+probability:p=1").simulate(trace.columns, capacity)
            #expect(open == counts, "\(text) @ \(capacity)")
            let endless = RandomTraces.trace(seed: 3, requests: 800, objects: 50, changing: true)
            #expect(
                try PolicyCall(text, honoursExpiry: true).simulate(endless.columns, capacity) == counts,
                "\(text) @ \(capacity): nothing states a time to live")
        }
    }

    @Test func `a filter that refuses everything lets nothing in`() throws {
        let trace = RandomTraces.trace(seed: 3, requests: 800, objects: 50)
        let counts = try PolicyCall("lru+probability:p=0").simulate(trace.columns, .objects(12))
        #expect(counts.refusals == 800 && counts.hits == 0 && counts.residentObjects == 0 && counts.bytesWritten == 0)
    }

    /// The filter's numbers are not the policy's: with one stream for both, a coin would decide who leaves too.
    @Test func `coins of the filter and draws of the policy differ`() throws {
        let seed: UInt64 = 7
        var policy = SeededGenerator(seed: seed)
        let gate = try openGate("probability:p=0.5", seed: seed)
        let equal = (0..<1000).count { _ in
            (policy.nextUnit() < 0.5) == gate.admits(Request(id: 0), over: nil)
        }
        #expect((400...600).contains(equal))
    }
}

/// Policies behind a front whose clock or gate is broken: what the checks above must catch.
@Suite("Checks of admission and expiry notice what is broken")
struct BrokenFrontTests {
    @Test(arguments: Defect.allCases)
    func `notices`(_ defect: Defect) throws {
        let trace = RandomTraces.trace(seed: 4, requests: 400, objects: 30, expiring: true)
        let space = ObjectSpace(count: trace.objectCount, smallestSize: trace.smallestSize)
        let call = try PolicyCall("lru+second-hit:exact", honoursExpiry: true)
        // So few ghosts are allowed at capacity 1 that what is kept in secret shows.
        let violations = try [1, 9].flatMap { capacity in
            let broken = BrokenFront(try call.open(.objects(capacity), space), defect)
            var audit = PolicyAudit(
                broken, .objects(capacity), objects: trace.objectCount, honoursExpiry: true)
            for request in trace.requests { audit.request(request) }
            return audit.findings
        }
        #expect(!violations.isEmpty, "\(defect)")
    }

    enum Defect: CaseIterable {
        case expiresLate, expiresEarly, neverExpires, hitsExtend, keepsExpiredSecret, keepsRefusedSecret
    }

    /// Changes what a sound front is told, or what it tells.
    private final class BrokenFront: SteppedPolicy {
        private let front: any SteppedPolicy
        private let defect: Defect
        private var current: Request?

        init(_ front: any SteppedPolicy, _ defect: Defect) {
            self.front = front
            self.defect = defect
        }

        var residentCount: Int { front.residentCount }
        var residentWeight: Int { front.residentWeight }
        func contains(_ id: ObjectID) -> Bool { front.contains(id) }
        func remove(_ id: ObjectID) { front.remove(id) }
        func nextVictim(for newcomer: Request) -> ObjectID? { front.nextVictim(for: newcomer) }
        func report(into counts: inout ReplayCounts) { front.report(into: &counts) }

        func touch(_ request: Request) -> Bool {
            let hit = front.touch(bent(request))
            guard hit, defect == .hitsExtend else { return hit }
            var victims = VictimList()
            front.remove(request.id)
            return front.insert(request, evicting: &victims)
        }

        func insert(_ request: Request, evicting victims: inout VictimList) -> Bool {
            var reports = VictimList()
            let entered = front.insert(bent(request), evicting: &reports)
            reports.evicted.forEach { victims.evicted($0) }
            for id in reports.forgotten {
                let isRefused = id == request.id
                if defect == .keepsExpiredSecret, !isRefused, !reports.evicted.contains(id) { continue }
                if defect == .keepsRefusedSecret, isRefused { continue }
                victims.forgotten(id)
            }
            return entered
        }

        private func bent(_ request: Request) -> Request {
            var request = request
            switch defect {
            case .expiresLate: request.timeNanoseconds -= request.index % 2 == 0 ? 0 : 3
            case .expiresEarly: if request.timeToLiveNanoseconds > 1 { request.timeToLiveNanoseconds -= 1 }
            case .neverExpires: request.timeToLiveNanoseconds = 0
            default: break
            }
            return request
        }
    }
}
