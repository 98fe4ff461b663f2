import CacheCore
import Testing

@Suite("The policies that draw their victims")
struct SampledPolicyTests {
    /// With 1000 draws among three residents every one of them is seen, but for one run in 10^170.
    @Test(arguments: [
        ("sampled-lru", "a b c a! d>b e>c a!"), ("sampled-mru", "a b c a! d>a e>d a>e"),
        ("sampled-fifo", "a b c a! d>a e>b a>c"),
    ])
    func `follow their rule when they see all`(_ policy: String, _ expected: String) throws {
        #expect(try outcomes("\(policy):samples=1000", capacity: 3, "abcadea") == expected)
        #expect(try outcomes("\(policy):samples=1000,dialect=caffeine", capacity: 3, "abcadea") == expected)
    }

    /// Counts are a 3, b 2, c 1 when d comes.
    @Test func `count since the entry`() throws {
        #expect(try outcomes("sampled-lfu:samples=1000", capacity: 3, "abcababdc").hasSuffix("d>c c>d"))
        #expect(try outcomes("sampled-mfu:samples=1000", capacity: 3, "abcaabdc").hasSuffix("d>a c!"))
    }

    /// In a stream of new objects every age of a victim is as likely as another: 2000 of each, give or take 4.6
    /// standard deviations.
    @Test(arguments: ["random", "sampled-lfu:samples=1", "sampled-lru:samples=1,dialect=caffeine"])
    func `draw every resident alike`(_ policy: String) throws {
        let trace = TestTrace(ids: Array(0..<8004))
        let opened = try PolicyCall(policy).open(.objects(4), ObjectSpace(count: 8004))
        var residents: [ObjectID] = []
        var ages = [0, 0, 0, 0]
        for request in trace.requests {
            var victims = VictimList()
            _ = opened.insert(request, evicting: &victims)
            for victim in victims.evicted {
                let age = try #require(residents.firstIndex(of: victim))
                residents.remove(at: age)
                ages[age] += 1
            }
            residents.append(request.id)
        }
        #expect(ages.reduce(0, +) == 8000)
        for count in ages { #expect(abs(count - 2000) < 180, "\(ages)") }
    }

    /// One draw in three meets the newcomer.
    @Test func `random in Caffeine's dialect may refuse the newcomer`() throws {
        let outcome = try outcomes("random:dialect=caffeine", capacity: 2, "abcdefghijklmnopqrstuvwxyz")
        let refused = outcome.split(separator: " ").filter { $0.first == $0.last && $0.count == 3 }
        #expect(refused.count > 2 && refused.count < 18)
    }

    @Test(arguments: ["samples=0", "samples=1001", "dialect=libcachesim"])
    func `refuse what is out of range`(_ parameters: String) {
        #expect(throws: AssayError.self) { try PolicyCall("sampled-lru:\(parameters)") }
    }
}
