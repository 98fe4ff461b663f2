import CacheConformance
import CacheCore
import CachePolicies
import Testing

/// What every policy must keep to, whatever its rule: the policy suite for each one that is registered, in each dialect.
@Suite("The contract of every policy")
struct ContractTests {
    @Test(arguments: PolicyCall.all)
    func `passes the policy suite`(_ text: String) throws {
        let call = try PolicyCall(text)
        for seed in Thoroughness.share(of: UInt64(1)...2, every: 2) {
            let report = ConformanceSuite.policy.run(on: call.subject, seed: seed)
            for result in report.failures {
                Issue.record("\(text): \(result.id) \(result.failure?.description ?? "")")
            }
            #expect(report.count(of: "pass") >= 11, "too little of \(text) is asked")
        }
    }

    @Test(arguments: BuiltinPolicies.all.filter { !$0.isApplicable(to: .bytes) })
    func `refuses bytes where they have no meaning, and says why`(_ entry: PolicyEntry) throws {
        let reason = try #require(entry.descriptor.objectsOnly)
        #expect(reason.hasSuffix("."))
        let call = try PolicyCall(entry.descriptor.name)
        let refusal = #expect(throws: AssayError.self) { try call.open(.bytes(9), ObjectSpace(count: 3)) }
        #expect(refusal?.message.contains(reason) == true)
    }

    /// Drives a policy through a trace and audits it after every call.
    static func audit(
        _ call: PolicyCall, _ capacity: Capacity, _ trace: TestTrace, removing: Bool
    ) throws -> PolicyAudit {
        let objects = ObjectSpace(count: trace.objectCount, smallestSize: trace.smallestSize)
        var audit = PolicyAudit(
            try call.open(capacity, objects), capacity, objects: trace.objectCount,
            excepting: call.entry.descriptor.deviations(with: call.parameters),
            honoursExpiry: call.honoursExpiry)
        var generator = SeededGenerator(seed: 99)
        for request in trace.requests {
            audit.request(request)
            if removing, generator.next(below: 12) == 0 {
                audit.remove(ObjectID(generator.next(below: trace.objectCount)))
            }
        }
        return audit
    }
}
