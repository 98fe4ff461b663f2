import Testing

@Suite("QD-LP-FIFO")
struct QDLPPolicyTests {
    /// At capacity 4 the small queue has 1, or what main does not use yet. a is hit and moves to main; b leaves a ghost
    /// and comes back into main; c's ghost takes main's third place, and the next to enter pushes out a, the oldest.
    @Test func `filters newcomers`() throws {
        #expect(
            try outcomes("qdlp:small=0.25", capacity: 4, "abcdaebfcdgd") == "a b c d a! e>b b>c f>d c>e d>a g>f d!")
    }

    /// A remembered newcomer makes room in main alone, in libCacheSim's dialect in the small queue and then in main.
    @Test func `makes room where the newcomer enters`() throws {
        #expect(try outcomes("qdlp:small=0.5,ghost=2", capacity: 4, "abcdabefcd") == "a b c d a! b! e>c f>d c>a d>b")
        #expect(
            try outcomes("qdlp:small=0.5,ghost=2,dialect=libcachesim", capacity: 4, "abcdabefcd")
                == "a b c d a! b! e>c f>d c>ea d>b")
    }

    @Test func `refuses everything when the small queue holds one object in libCacheSim's dialect`() throws {
        #expect(try outcomes("qdlp:dialect=libcachesim", capacity: 19, "aaa") == "a a a")
    }
}
