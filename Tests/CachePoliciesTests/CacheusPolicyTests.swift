import CacheCore
import Testing

@Suite("CACHEUS")
struct CacheusPolicyTests {
    /// Half of the capacity for `SR`: a and b are in `R` when the scan comes, and stay.
    @Test func `keeps a scan out of what was asked for again`() throws {
        let outcome = try outcomes("cacheus:sr=0.5", capacity: 4, "ababcdefghab")
        #expect(outcome.hasPrefix("a b a! b! c d e>"))
        #expect(outcome.hasSuffix("a! b!"))
    }

    /// Objects asked for once each: SR-LRU gives up the oldest, CR-LFU the newest, and both occur.
    @Test func `asks both experts`() throws {
        let entry = try PolicyCall("cacheus")
        let trace = TestTrace(ids: Array(0..<200))
        let policy = try entry.open(.objects(10), ObjectSpace(count: 200))
        var (oldest, newest, held) = (0, 0, [ObjectID]())
        for request in trace.requests {
            var victims = VictimList()
            _ = policy.insert(request, evicting: &victims)
            for victim in victims.evicted {
                if victim == held.first { oldest += 1 } else if victim == held.last { newest += 1 }
                held.removeAll { $0 == victim }
            }
            held.append(request.id)
        }
        #expect(oldest + newest == 190)
        #expect(oldest > 0 && newest > 0)
    }

    /// With room for one object there is no `R`, and the experts always agree.
    @Test(arguments: ["cacheus", "cacheus:dialect=caffeine"])
    func `serves a capacity of 1`(_ policy: String) throws {
        #expect(try outcomes(policy, capacity: 1, "aabab") == "a a! b>a a>b b>a")
    }

    @Test func `refuses values out of range`() throws {
        #expect(throws: AssayError.self) { try PolicyCall("cacheus:sr=1.5") }
        #expect(throws: AssayError.self) { try PolicyCall("cacheus:least=0.6") }
    }
}
