import CacheCore
import Testing

@Suite("LRU-K")
struct LRUKPolicyTests {
    /// c has one request, so it leaves before b, which was not asked for longer ago; then a's second last is older.
    @Test func `evicts by the second last request`() throws {
        #expect(try outcomes("lru-k:history=0", capacity: 3, "aabbcdaeb") == "a a! b b! c d>c a! e>d b!")
        #expect(
            try outcomes("lru-k:history=0,k=1", capacity: 3, "aabbcdaeb") == outcomes("lru", capacity: 3, "aabbcdaeb"))
        #expect(try outcomes("lru-k:history=0", capacity: 2, "abababcc") == "a b a! b! a! b! c>a c!")
    }

    /// The second c has two known requests and so has a, thanks to the requests before they left; d has one and leaves.
    @Test func `remembers objects that left`() throws {
        #expect(try outcomes("lru-k:history=1", capacity: 2, "abcadc") == "a b c>a a>b d>c c>d")
        #expect(try outcomes("lru-k:history=0", capacity: 2, "abcadc") == "a b c>a a>b d>c c>a")
    }

    /// The burst of a counts once, so that a's second last request is unknown, like b's.
    @Test func `counts correlated requests as one`() throws {
        #expect(try outcomes("lru-k:crp=3", capacity: 2, "aaabbbbbc") == "a a! a! b b! b! b! b! c>a")
        #expect(try outcomes("lru-k", capacity: 2, "aaabbbbbc") == "a a! a! b b! b! b! b! c>a")
        #expect(try outcomes("lru-k:crp=2", capacity: 2, "aaabc") == "a a! a! b c>a")
    }

    /// Hits below K change nothing: a leaves first, in the paper's rules b.
    @Test func `is a FIFO below K requests in libCacheSim's dialect`() throws {
        #expect(try outcomes("lru-k:k=3,dialect=libcachesim", capacity: 2, "abac") == "a b a! c>a")
        #expect(try outcomes("lru-k:k=3", capacity: 2, "abac") == "a b a! c>b")
    }

    @Test(arguments: ["dialect=libcachesim,crp=1", "dialect=libcachesim,history=1"])
    func `refuses what libCacheSim does not have`(_ parameters: String) throws {
        let call = try PolicyCall("lru-k:\(parameters)")
        #expect(throws: AssayError.self) { try call.open(.objects(2), ObjectSpace(count: 2)) }
    }
}
