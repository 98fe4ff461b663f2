import CacheCore
import Testing

@Suite("SLRU")
struct SLRUPolicyTests {
    /// With halves of 2, the third hit pushes a back to probation, ahead of d.
    @Test func `demotes what overflows the protected segment`() throws {
        #expect(try outcomes("slru:shares=1:1", capacity: 4, "abcdabcefb") == "a b c d a! b! c! e>d f>a b!")
    }

    /// Newcomers fill the second segment too; e's promotion pushes d down, and b is the oldest below.
    @Test func `fills the lowest segment with room in libCacheSim's dialect`() throws {
        #expect(
            try outcomes("slru:shares=1:1,dialect=libcachesim", capacity: 4, "abcdecef") == "a b c d e>a c! e! f>b")
    }

    @Test func `is an LRU when it has fewer objects than segments`() throws {
        let letters = "abacbdcaabcd"
        #expect(
            try outcomes("slru:segments=4", capacity: 3, letters) == outcomes("lru", capacity: 3, letters))
    }

    @Test(arguments: ["shares=1:2:3", "shares=1:x", "shares=1:0", "segments=3,shares=1:1", "shares=1e308:1e308"])
    func `refuses shares that do not name each segment`(_ parameters: String) throws {
        let call = try PolicyCall("slru:\(parameters)")
        #expect(throws: AssayError.self) { try call.open(.objects(2), ObjectSpace(count: 2)) }
    }
}
