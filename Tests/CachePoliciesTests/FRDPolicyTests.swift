import CacheCore
import Testing

@Suite("FRD")
struct FRDPolicyTests {
    /// The stack holds a and b, the filter one object; d comes back after it has left the filter and takes a's place.
    @Test func `lets what passed through the filter into the stack when it returns`() throws {
        #expect(try outcomes("frd", capacity: 3, "abcdedebc") == "a b c d>c e>d d>a e! b! c>e")
        #expect(try outcomes("frd:history=0", capacity: 3, "abcded") == "a b c d>c e>d d>e")
    }

    /// Once a and b have been requested again, the history of d is older than both, and nothing keeps it.
    @Test func `forgets what is older than the oldest resident of the stack`() throws {
        #expect(try outcomes("frd", capacity: 3, "abcdeabd") == "a b c d>c e>d a! b! d>e")
    }

    /// c enters while there is room, and has no history.
    @Test func `remembers nothing of the objects that filled the cache`() throws {
        #expect(try outcomes("frd", capacity: 3, "abcdc") == "a b c d>c c>d")
    }

    @Test(arguments: ["frd:filter=1", "frd:filter=0.5"])
    func `is an LRU where the filter is all`(_ policy: String) throws {
        let letters = "abacbdcaabcdbebdca"
        let capacity = policy.hasSuffix("=1") ? 3 : 1
        #expect(try outcomes(policy, capacity: capacity, letters) == outcomes("lru", capacity: capacity, letters))
    }

    @Test(arguments: ["filter=1.1", "history=-1"])
    func `refuses`(_ parameters: String) { #expect(throws: AssayError.self) { try PolicyCall("frd:\(parameters)") } }
}
