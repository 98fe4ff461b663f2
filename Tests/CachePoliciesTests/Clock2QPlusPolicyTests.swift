import Testing

@Suite("Clock2Q+")
struct Clock2QPlusPolicyTests {
    /// The small queue has 4 of 6, the window 2. a is hit while only b is behind it, which does not count; b is hit
    /// when c and d are, and moves to main. S3-FIFO keeps both.
    @Test func `ignores hits in the window`() throws {
        let letters = "abacdbefghij"
        #expect(
            try outcomes("clock2q-plus:small=0.67", capacity: 6, letters) == "a b a! c d b! e f g>a h>c i>d j>e")
        #expect(
            try outcomes("clock2q-plus:small=0.67,window=0", capacity: 6, letters)
                == outcomes("s3fifo:small=0.67,threshold=1", capacity: 6, letters))
        #expect(try outcomes("s3fifo:small=0.67,threshold=1", capacity: 6, letters).hasSuffix("g>c h>d i>e j>f"))
    }

    /// a was hit twice and b once; e and g are promoted into a full main. The first pass clears every bit, the second
    /// takes a, which S3-FIFO's counter still saves.
    @Test func `has one reference bit in main`() throws {
        let letters = "abcdabeaabfeghgi"
        let common = "a b c d a! b! e>c a! a! b! f>d e! g>ef h g! "
        #expect(try outcomes("clock2q-plus:small=0.5,window=0", capacity: 4, letters) == common + "i>ah")
        #expect(try outcomes("s3fifo:small=0.5,threshold=1", capacity: 4, letters) == common + "i>bh")
    }

    @Test func `refuses everything when the small queue holds one object in libCacheSim's dialect`() throws {
        #expect(try outcomes("clock2q-plus:dialect=libcachesim", capacity: 19, "aaa") == "a a a")
    }
}
