import CacheCore
import Testing

@Suite("S3-LRU")
struct S3LRUPolicyTests {
    /// At capacity 4 the small queue's share is 1. a is lifted by its hit and outlives a scan; b's ghost is remembered, so that
    /// it enters main, which is then over its share of 3 by nobody.
    @Test func `a hit lifts at once and a ghost enters main`() throws {
        #expect(try outcomes("s3lru", capacity: 4, "aabcdefab") == "a a! b c d e>b f>c a! b>d")
        #expect(try outcomes("s3lru", capacity: 4, "aabcdebfghib") == "a a! b c d e>b b>c f>d g>e h>f i>g b!")
    }

    /// With a threshold of 2, one hit leaves a where it is.
    @Test func `counts hits up to the threshold`() throws {
        #expect(try outcomes("s3lru:threshold=2", capacity: 2, "aabca") == "a a! b c>a a>b")
        #expect(try outcomes("s3lru:threshold=2", capacity: 2, "aaabca") == "a a! a! b c>b a!")
    }

    @Test func `refuses what the small queue cannot hold`() throws {
        #expect(try outcomes("s3lru:small=0.5", capacity: 8, "aba", sizes: [5, 4]) == "a b a")
    }
}
