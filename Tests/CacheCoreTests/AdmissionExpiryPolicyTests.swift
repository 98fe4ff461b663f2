import CacheCore
import Testing

/// What the front tells its filter, its policy and its caller.
@Suite("AdmissionExpiryPolicy: what may enter, and until when")
struct AdmissionExpiryPolicyTests {
    private static let entry = PolicyEntry(unit: LIFOPolicy<UnitSizes>.self, bytes: LIFOPolicy<ByteSizes>.self)

    private func open(
        _ capacity: Capacity, _ refusing: String = "", honoursExpiry: Bool = false
    ) throws -> any SteppedPolicy {
        var configuration = PolicyConfiguration(
            capacity: capacity, objects: ObjectSpace(count: 10), parameters: ParameterValues(defaults: []))
        let parameters = try ParameterValues(
            parsing: refusing.isEmpty ? "" : "refusing=\(refusing)", for: ListAdmission.descriptor.parameters,
            of: "list")
        configuration.admission = AdmissionSelection(AdmissionEntry(ListAdmission.self), parameters)
        configuration.honoursExpiry = honoursExpiry
        return try Self.entry.open(configuration)
    }

    private func counts(of policy: any SteppedPolicy) -> ReplayCounts {
        var counts = ReplayCounts()
        policy.report(into: &counts)
        return counts
    }

    @Test func `a refused object is not resident, evicts nothing and is forgotten at once`() throws {
        let policy = try open(.objects(1), "3")
        var victims = VictimList()
        #expect(policy.insert(Request(id: 0), evicting: &victims))
        #expect(!policy.touch(Request(id: 3)))
        #expect(!policy.insert(Request(id: 3), evicting: &victims))
        #expect(victims.evicted == [] && victims.forgotten == [3])
        #expect(policy.contains(0) && !policy.contains(3))
        #expect(policy.residentCount == 1 && policy.residentWeight == 1)
        #expect(counts(of: policy).refusals == 1)
    }

    @Test func `what can never fit is the policy's to refuse`() throws {
        let policy = try open(.bytes(10), "3")
        var victims = VictimList()
        #expect(!policy.insert(Request(id: 3, size: 11), evicting: &victims))
        #expect(counts(of: policy).refusals == 0)
        #expect(!policy.insert(Request(id: 3, size: 10), evicting: &victims))
        #expect(counts(of: policy).refusals == 1)
        #expect(victims.forgotten == [3, 3] && victims.evicted == [])
    }

    @Test func `an object that left can be refused, and is forgotten each time`() throws {
        let policy = try open(.objects(1), "1&2")
        var victims = VictimList()
        for id in [0, 1, 2, 3, 1] as [ObjectID] { _ = policy.insert(Request(id: id), evicting: &victims) }
        #expect(victims.evicted == [0])
        #expect(victims.forgotten == [1, 2, 0, 1])
        #expect(policy.contains(3))
    }

    @Test func `what expires is not evicted, and reported forgotten by the next insertion`() throws {
        let policy = try open(.objects(2), honoursExpiry: true)
        var victims = VictimList()
        #expect(policy.insert(request(0, at: 0, for: 5), evicting: &victims))
        #expect(policy.insert(request(1, at: 1), evicting: &victims))
        // Until a request comes, it is there.
        #expect(policy.contains(0))
        #expect(policy.touch(request(1, at: 5)))
        #expect(!policy.contains(0) && policy.residentCount == 1)
        #expect(victims.forgotten == [])
        #expect(policy.insert(request(2, at: 6), evicting: &victims))
        #expect(victims.forgotten == [0] && victims.evicted == [])
        #expect(policy.residentCount == 2 && counts(of: policy).expirations == 1)
    }

    @Test func `what expired and was removed is the caller's to know`() throws {
        let policy = try open(.objects(2), honoursExpiry: true)
        var victims = VictimList()
        #expect(policy.insert(request(0, at: 0, for: 5), evicting: &victims))
        #expect(!policy.touch(request(1, at: 9)))
        policy.remove(0)
        #expect(policy.insert(request(1, at: 9), evicting: &victims))
        #expect(victims.forgotten == [])
    }

    @Test func `a removed object does not expire`() throws {
        let policy = try open(.objects(2), honoursExpiry: true)
        var victims = VictimList()
        #expect(policy.insert(request(0, at: 0, for: 5), evicting: &victims))
        policy.remove(0)
        #expect(!policy.touch(request(1, at: 9)))
        #expect(counts(of: policy).expirations == 0)
    }

    @Test func `an object that was removed and enters again without a time to live stays`() throws {
        let policy = try open(.objects(2), honoursExpiry: true)
        var victims = VictimList()
        #expect(policy.insert(request(0, at: 0, for: 5), evicting: &victims))
        policy.remove(0)
        #expect(policy.insert(request(0, at: 1), evicting: &victims))
        #expect(policy.touch(request(0, at: 100)))
    }

    @Test func `a refused object has no deadline`() throws {
        let policy = try open(.objects(2), "3", honoursExpiry: true)
        var victims = VictimList()
        #expect(!policy.insert(request(3, at: 0, for: 5), evicting: &victims))
        #expect(!policy.touch(request(3, at: 9)))
        #expect(counts(of: policy).expirations == 0)
    }

    @Test func `a filter that refuses its parameters is not opened`() throws {
        let refusal = #expect(throws: AssayError.self) { try open(.objects(1), "all") }
        #expect(refusal?.message == "list: all is no list of numbers.")
    }

    private func request(_ id: ObjectID, at time: Int64, for life: Int64 = 0) -> Request {
        var request = Request(id: id)
        request.timeNanoseconds = time
        request.timeToLiveNanoseconds = life
        return request
    }
}

/// Refuses the objects on a list.
private struct ListAdmission: AdmissionPolicy {
    private let refused: Set<ObjectID>

    static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "list", family: "admission", summary: "Refuses the objects on a list.", citation: "",
            parameters: [ParameterSpecification("refusing", .text(default: ""), "Their numbers, joined by '&'.")])
    }

    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        var refused: Set<ObjectID> = []
        for text in configuration.parameters.text("refusing").split(separator: "&") {
            guard let id = ObjectID(text) else { throw AssayError(.usage, "list: \(text) is no list of numbers.") }
            refused.insert(id)
        }
        self.refused = refused
    }

    mutating func admits(_ request: Request, over victim: ObjectID?) -> Bool { !refused.contains(request.id) }
}
