import Testing

@Suite("CART")
struct CARTPolicyTests {
    /// At capacity 2, after the paper's figure. a is spared and, because T1 has reached the weight of B1, of long-term
    /// utility, so that it moves to T2 when the hand comes again. b is hit in B1 and long-term at once. a is referenced
    /// in T2 and returns to T1; neither is short-term, so both move to T2 and b, the first, leaves for e. B1 is within
    /// its target of 2: b's ghost is dropped, and b is new.
    @Test func `filters by utility`() throws {
        #expect(try outcomes("cart", capacity: 2, "abacdbaeb") == "a b a! c>b d>c b>d a! e>b b>e")
    }

    /// A loop over more than fits never hits.
    @Test func `misses a loop`() throws {
        #expect(try outcomes("cart", capacity: 2, "abcabc") == "a b c>a a>b b>c c>a")
    }
}
