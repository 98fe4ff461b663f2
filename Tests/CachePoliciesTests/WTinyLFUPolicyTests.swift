import Testing

@Suite("W-TinyLFU")
struct WTinyLFUPolicyTests {
    /// At capacity 4 the window holds 1. d and b were asked for once, so that d loses; e was asked for three times and
    /// wins.
    @Test func `admits what is more frequent than the victim`() throws {
        #expect(
            try outcomes("w-tinylfu:window=0.25", capacity: 4, "abcdaaeeef") == "a b c d a! a! e>d e! e! f>b")
    }

    @Test func `is an LRU of 1 at capacity 1`() throws {
        #expect(try outcomes("w-tinylfu", capacity: 1, "aabba") == "a a! b>a b! a>b")
    }
}
