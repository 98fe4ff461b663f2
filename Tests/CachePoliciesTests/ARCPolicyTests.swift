import Testing

@Suite("ARC")
struct ARCPolicyTests {
    /// At capacity 2, step by step after figure 4 of the paper: b is hit in B1 (p becomes 1) and a leaves T2; a is hit
    /// in B2 (p becomes 0) and c leaves T1; d takes b from T2; e and c drop the oldest of B1 because T1 and B1 are
    /// full.
    @Test func `adapts to ghosts`() throws {
        #expect(try outcomes("arc", capacity: 2, "abacbadec") == "a b a! c>b b>a a>c d>b e>d c>e")
    }

    /// A loop over more than fits never hits.
    @Test func `misses a loop`() throws {
        #expect(try outcomes("arc", capacity: 2, "abcabc") == "a b c>a a>b b>c c>a")
    }
}
