import Testing

@Suite("2Q")
struct TwoQPolicyTests {
    /// At capacity 4 A1in has a share of 1 and A1out room for 2. a comes back while it is remembered and enters Am; b
    /// and c come back too late and enter A1in again.
    @Test func `promotes what is remembered`() throws {
        #expect(try outcomes("2q", capacity: 4, "abcdefagbca") == "a b c d e>a f>b a>c g>d b>e c>f a!")
    }

    /// A hit in A1in does not save an object.
    @Test func `ignores hits among newcomers`() throws {
        #expect(try outcomes("2q", capacity: 4, "abcdaae") == "a b c d a! a! e>a")
    }

    @Test func `refuses everything below capacity 4 in libCacheSim's dialect`() throws {
        #expect(try outcomes("2q:dialect=libcachesim", capacity: 3, "aaa") == "a a a")
        // With all of the capacity for newcomers there is none for what comes back.
        #expect(try outcomes("2q:in=1,out=2,dialect=libcachesim", capacity: 2, "abcacb") == "a b c>a a>b c! b")
    }
}
