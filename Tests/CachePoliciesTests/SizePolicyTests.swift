import Testing

@Suite("SIZE and the cheapest first")
struct SizePolicyTests {
    /// b is the largest, then d; one large victim makes room for two small newcomers.
    @Test func `SIZE evicts the largest`() throws {
        #expect(
            try outcomes("size", capacity: 10, "abcdefb", sizes: [3, 5, 2, 4, 1, 1, 5])
                == "a b c d>b e f>d b>a")
    }

    /// a and b are equal and a was asked for later; libCacheSim's heap gives up a, which it holds on top.
    @Test func `SIZE breaks ties by the last request`() throws {
        #expect(try outcomes("size", capacity: 8, "abcad", sizes: [3, 3, 2, 2]) == "a b c a! d>b")
        #expect(try outcomes("size:dialect=libcachesim", capacity: 8, "abcad", sizes: [3, 3, 2, 2]) == "a b c a! d>a")
    }

    /// All are equal: the last fills the place on top, before the newcomer enters.
    @Test func `SIZE in libCacheSim's dialect evicts the second newest where all are equal`() throws {
        #expect(try outcomes("size:dialect=libcachesim", capacity: 3, "abcdefg") == "a b c d>a e>c f>d g>e")
        #expect(try outcomes("size", capacity: 3, "abcadefg") == "a b c a! d>b e>c f>a g>d")
    }

    @Test func `the cheapest leaves first`() throws {
        #expect(try outcomes("cheapest-first", capacity: 3, "abcdb", costs: [5, 1, 3, 2]) == "a b c d>b b>d")
        #expect(try outcomes("cheapest-first", capacity: 3, "abcade", costs: [2, 2, 3, 3, 3]) == "a b c a! d>b e>a")
    }

    /// Without costs every miss costs 1.
    @Test func `the cheapest first is an LRU without costs`() throws {
        let letters = "abcadebcafdabc"
        #expect(
            try outcomes("cheapest-first", capacity: 3, letters) == outcomes("lru", capacity: 3, letters))
    }
}
