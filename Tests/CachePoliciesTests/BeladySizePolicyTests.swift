import CacheCore
import Testing

@Suite("Bélády's choice by size")
struct BeladySizePolicyTests {
    /// Of sizes 1, 4 and 2 with 3, 2 and 1 requests to go, b holds 8, a 3: b leaves, though a is needed last.
    @Test func `weighs distance by size`() throws {
        let trace = TestTrace(ids: [0, 1, 2, 2, 1, 0], sizes: [1, 4, 2, 2, 4, 1])
        let policy = try PolicyCall("belady-size").open(.bytes(6), ObjectSpace(count: 3, smallestSize: 1))
        var evicted: [[ObjectID]] = []
        let hits = trace.requests.filter { request in
            var victims = VictimList()
            let hit = policy.touch(request)
            if !hit { _ = policy.insert(request, evicting: &victims) }
            evicted.append(victims.evicted)
            return hit
        }
        #expect(hits.map(\.index) == [3, 5])
        #expect(evicted == [[], [], [1], [], [], []])
    }

    /// In objects and with few residents it is Bélády's MIN that refuses only what is not needed again.
    @Test(arguments: 1...6)
    func `lies between MIN without and with bypass in objects`(_ capacity: Int) throws {
        for seed in 0..<5 {
            let columns = RandomTraces.trace(seed: UInt64(seed), requests: 500, objects: 30).columns
            func hits(_ policy: String) throws -> Int {
                try PolicyCall(policy).simulate(columns, .objects(capacity)).hits
            }
            #expect(try hits("belady") <= hits("belady-size"))
            #expect(try hits("belady-size") <= hits("belady:bypass=true"))
        }
    }

    /// An object that is not needed again is not admitted, and leaves first where it is resident.
    @Test func `keeps nothing that is not needed again`() throws {
        #expect(try outcomes("belady-size", capacity: 2, "abacbdb") == "a b a! c b! d b!")
        #expect(try outcomes("belady-size", capacity: 2, "abacbcb") == "a b a! c>a b! c! b!")
    }

    /// Fewer samples find a worse victim; all of them need no draw.
    @Test func `nears the exact choice with more samples`() throws {
        let columns = RandomTraces.trace(seed: 4, requests: 4000, objects: 400).columns
        func hits(_ samples: Int) throws -> Int {
            try PolicyCall("belady-size:samples=\(samples)").simulate(columns, .bytes(600)).hits
        }
        #expect(try hits(1) < hits(8))
        #expect(try hits(8) < hits(0))
    }
}
