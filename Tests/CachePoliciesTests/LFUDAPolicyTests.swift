import Testing

@Suite("LFUDA")
struct LFUDAPolicyTests {
    /// a has 4 requests. Each victim's key becomes the age: the newcomers' keys climb 1, 2, 3, 4, 5, until they pass a.
    @Test func `forgets old frequencies by aging`() throws {
        #expect(try outcomes("lfuda", capacity: 2, "aaaabcdefg") == "a a! a! a! b c>b d>c e>d f>a g>e")
        #expect(try outcomes("lfu", capacity: 2, "aaaabcdefg") == "a a! a! a! b c>b d>c e>d f>e g>f")
    }

    /// Before the first eviction hits add nothing, so that a leaves first; then b, at key 1, doubles with age 1.
    @Test func `adds the age to each hit in libCacheSim's dialect`() throws {
        #expect(try outcomes("lfuda:dialect=libcachesim", capacity: 2, "aaabc") == "a a! a! b c>a")
        #expect(try outcomes("lfuda", capacity: 2, "aaabc") == "a a! a! b c>b")
    }
}
