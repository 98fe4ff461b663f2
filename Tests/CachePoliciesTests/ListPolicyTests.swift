import Testing

@Suite("FIFO, LRU, MRU and LFU")
struct ListPolicyTests {
    @Test func `FIFO ignores hits`() throws {
        #expect(try outcomes("fifo", capacity: 3, "abcade") == "a b c a! d>a e>b")
    }

    @Test func `LRU keeps what was asked for last`() throws {
        #expect(try outcomes("lru", capacity: 3, "abcade") == "a b c a! d>b e>c")
    }

    @Test func `MRU evicts what was asked for last`() throws {
        #expect(try outcomes("mru", capacity: 3, "abcade") == "a b c a! d>a e>d")
    }

    /// b and c are equal, b was asked for longer ago; then c and d are, and a count that left is forgotten.
    @Test func `LFU evicts the least frequent`() throws {
        #expect(try outcomes("lfu", capacity: 3, "abcaadebf") == "a b c a! a! d>b e>c b>d f>e")
    }

    @Test func `Random depends on its seed alone`() throws {
        let letters = "abcdefabcdefghijabc"
        #expect(try outcomes("random", capacity: 4, letters) == outcomes("random", capacity: 4, letters))
    }
}
