import Testing

@Suite("S3-FIFO")
struct S3FIFOPolicyTests {
    /// At capacity 5 the small queue's share is 2 and 4 ghosts are remembered. a was hit twice and moves to main, b
    /// once and leaves; b comes back into main. c's ghost is dropped by the very eviction that makes room for c.
    @Test func `filters newcomers`() throws {
        #expect(
            try outcomes("s3fifo:small=0.4", capacity: 5, "abcdeaabfbghicj")
                == "a b c d e a! a! b! f>b b>c g>d h>e i>f c>g j>h")
    }

    /// While the cache fills, c, d and e enter main, and newcomers then only push each other out.
    @Test func `fills main first in libCacheSim's dialect`() throws {
        #expect(
            try outcomes("s3fifo:small=0.4,dialect=libcachesim", capacity: 5, "abcdefgch") == "a b c d e f>a g>b c! h>f"
        )
        #expect(
            try outcomes("s3fifo:small=0.4,dialect=libcachesim-v0", capacity: 5, "abcdefgch")
                == "a b c d e f>a g>b c! h>c")
    }

    @Test func `refuses everything when the small queue holds one object in libCacheSim's dialect`() throws {
        #expect(try outcomes("s3fifo:dialect=libcachesim", capacity: 19, "aaa") == "a a a")
    }
}
