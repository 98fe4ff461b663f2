import Testing

@Suite("LFU and MFU")
struct LFUPolicyTests {
    /// When d comes a, b and c have 2, 1 and 1 requests; b entered and was used before c.
    @Test(arguments: [("lru", "d>b"), ("mru", "d>c"), ("fifo", "d>b"), ("lifo", "d>c")])
    func `breaks ties by last use or by entry`(_ ties: String, _ last: String) throws {
        #expect(try outcomes("lfu:ties=\(ties)", capacity: 3, "abcad") == "a b c a! \(last)")
    }

    /// All have two requests; a entered first but was used last, and c the other way round.
    @Test(arguments: [("lru", "d>c"), ("mru", "d>a"), ("fifo", "d>a"), ("lifo", "d>c")])
    func `tells entry from use`(_ ties: String, _ last: String) throws {
        #expect(try outcomes("lfu:ties=\(ties)", capacity: 3, "abccbad") == "a b c c! b! a! \(last)")
    }

    /// b comes back with the count it left with, equals a, and stays when d comes.
    @Test func `keeps counts for ever on request`() throws {
        #expect(try outcomes("lfu", capacity: 2, "aabcbdb") == "a a! b c>b b>c d>b b>d")
        #expect(try outcomes("lfu:history=perfect", capacity: 2, "aabcbdb") == "a a! b c>b b>c d>a b!")
    }

    /// a has had its turn twice; among equals the oldest goes.
    @Test func `MFU evicts the most frequent`() throws {
        #expect(try outcomes("mfu", capacity: 3, "abcabade") == "a b c a! b! a! d>a e>b")
    }
}
