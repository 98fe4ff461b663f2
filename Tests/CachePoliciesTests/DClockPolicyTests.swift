import CacheCore
import Testing

@Suite("Double clock")
struct DClockPolicyTests {
    /// a's second hit sets its bit, so that c's promotion pushes b back to the inactive list, ahead of d.
    @Test func `gives active objects a second chance`() throws {
        #expect(try outcomes("dclock", capacity: 4, "abcdabacefa") == "a b c d a! b! a! c! e>d f>b a!")
    }

    /// Nothing has left since a did, so it becomes active and survives the scan. Caffeine counts a's own eviction.
    @Test func `makes a ghost active that returns soon`() throws {
        #expect(try outcomes("dclock", capacity: 2, "abcadefga") == "a b c>a a>b d>c e>d f>e g>f a!")
        let caffeine = "a b c>a a>b d>c e>a f>d g>e a>f"
        #expect(try outcomes("dclock:dialect=caffeine", capacity: 2, "abcadefga") == caffeine)
    }

    @Test func `is an LRU without active objects`() throws {
        let letters = "abacbdcaabcdbebdca"
        #expect(try outcomes("dclock:active=0", capacity: 3, letters) == outcomes("lru", capacity: 3, letters))
    }

    @Test(arguments: ["active=1.5", "active=-1", "dialect=linux"])
    func `refuses`(_ parameters: String) { #expect(throws: AssayError.self) { try PolicyCall("dclock:\(parameters)") } }
}
