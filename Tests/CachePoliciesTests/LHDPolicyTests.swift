import CacheCore
import Testing

/// With a thousand draws every resident is a candidate, so that nothing is left to chance.
@Suite("LHD")
struct LHDPolicyTests {
    private static let certain = "lhd:associativity=1024,explorers=0"

    /// At first the rank is (class + 1) / (age + 1): at d the objects a, b, c of class 0 are 3, 2 and 1 old; a hit after
    /// one request puts a into class 15, and 16 / 4 is more than 1 / 3.
    @Test func `ranks by class and age before it has learned`() throws {
        #expect(try outcomes(Self.certain, capacity: 3, "abcd") == "a b c d>a")
        #expect(try outcomes(Self.certain, capacity: 3, "aabcda") == "a a! b c d>b a!")
    }

    /// Two bytes at age 1 rank 1 / 4, five bytes at age 2 rank 1 / 15.
    @Test func `gives up large objects first`() throws {
        let trace = TestTrace(ids: [0, 1, 2], sizes: [5, 2, 4])
        let policy = try PolicyCall(Self.certain).open(.bytes(8), ObjectSpace(count: 3, smallestSize: 2))
        var victims = VictimList()
        for request in trace.requests { _ = policy.insert(request, evicting: &victims) }
        #expect(victims.evicted == [0])
    }

    /// A loop that is larger than the cache gives LRU no hit at all. LHD learns that objects of any age are hit at the
    /// same one, and keeps the old.
    @Test func `learns a loop`() throws {
        let trace = TestTrace(ids: (0..<6000).map { $0 % 60 })
        #expect(try PolicyCall("lru").simulate(trace.columns, .objects(50)).hits == 0)
        let counts = try PolicyCall("lhd:interval=500,ages=1000").simulate(trace.columns, .objects(50))
        #expect(counts.hits > 3000)
    }

    @Test func `refuses values out of range`() throws {
        #expect(throws: AssayError.self) { try PolicyCall("lhd:associativity=0") }
        #expect(throws: AssayError.self) { try PolicyCall("lhd:ages=8") }
    }
}
