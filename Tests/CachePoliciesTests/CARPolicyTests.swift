import Testing

@Suite("CAR")
struct CARPolicyTests {
    /// At capacity 2, after figure 2 of the paper: a was asked for and moves to T2, b leaves T1. b is hit in B1, p
    /// becomes 1, and c leaves T1 before. With T1 empty d's room comes from T2, where a's bit sends it round again. b
    /// is hit in B2, p becomes 0, and d leaves T1; e drops the oldest ghost of B1, so that c is new again.
    @Test func `turns two clocks`() throws {
        #expect(try outcomes("car", capacity: 2, "abacbadbebc") == "a b a! c>b b>c a! d>b b>d e>a b! c>e")
    }

    /// b's return from B2 costs the ghost of c too, so that c enters T1, below p, and is the next victim.
    @Test func `drops a ghost for a remembered newcomer in libCacheSim's dialect`() throws {
        #expect(try outcomes("car", capacity: 2, "abacbadbce") == "a b a! c>b b>c a! d>b b>d c>a e>b")
        #expect(
            try outcomes("car:dialect=libcachesim", capacity: 2, "abacbadbce")
                == "a b a! c>b b>c a! d>b b>d c>a e>c")
    }

    /// A loop over more than fits never hits.
    @Test func `misses a loop`() throws {
        #expect(try outcomes("car", capacity: 2, "abcabc") == "a b c>a a>b b>c c>a")
    }
}
