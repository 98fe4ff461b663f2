import CacheCore
import Testing

@Suite("Tu-queue")
struct TuQueuePolicyTests {
    /// At capacity 6 the hot and the warm list hold one object each. b falls, is hit while cold, turns warm, and
    /// outlives the newcomers that pass from the hot list through the cold one.
    @Test func `lets a cold hit turn warm`() throws {
        #expect(
            try outcomes("tuqueue", capacity: 6, "abcdefbghijklb") == "a b c d e f b! g>a h>c i>d j>e k>f l>g b!")
    }

    /// A hit on a hot object keeps it hot; without a hit on the cold a scan pushes everything else out in order.
    @Test func `refreshes hot objects in place`() throws {
        #expect(try outcomes("tuqueue:hot=0.5,warm=0.25", capacity: 4, "abadceca") == "a b a! d c e>b c! a!")
    }

    @Test func `is an LRU without shares`() throws {
        let letters = "abacbdcaabcd"
        #expect(
            try outcomes("tuqueue", capacity: 3, letters) == outcomes("lru", capacity: 3, letters))
    }

    @Test func `refuses shares of more than the capacity`() throws {
        let call = try PolicyCall("tuqueue:hot=0.7,warm=0.4")
        #expect(throws: AssayError.self) { try call.open(.objects(2), ObjectSpace(count: 2)) }
    }
}
