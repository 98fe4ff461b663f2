import Testing

@Suite("SIEVE")
struct SIEVEPolicyTests {
    /// The hand clears a and b and takes c; goes on from the tail and takes a; spares b; takes d, then e beside it.
    @Test func `leaves survivors where they are`() throws {
        #expect(try outcomes("sieve", capacity: 3, "abcabdebfg") == "a b c a! b! d>c e>a b! f>d g>e")
    }

    @Test func `is a swap at capacity 1`() throws {
        #expect(try outcomes("sieve", capacity: 1, "aabba") == "a a! b>a b! a>b")
    }
}
