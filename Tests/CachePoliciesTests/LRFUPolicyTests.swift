import CacheCore
import Testing

@Suite("LRFU")
struct LRFUPolicyTests {
    /// The paper's theorem: at 1 the value of the last request outweighs all that came before.
    @Test(arguments: 1...6)
    func `is an LRU at 1 and an LFU at 0`(_ capacity: Int) throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let columns = RandomTraces.trace(seed: seed, requests: 400, objects: 12).columns
            func counts(_ text: String) throws -> Int {
                try PolicyCall(text).simulate(columns, .objects(capacity)).hits
            }
            #expect(try counts("lrfu:lambda=1") == counts("lru"))
            #expect(try counts("lrfu:lambda=0") == counts("lfu"))
        }
    }

    /// When d comes, the requests for a are 4 and 3 back and that for b is 2: a is worth 2^(-0.4) + 2^(-0.3) = 1.57 and b 0.87,
    /// or 0.30 and 0.33.
    @Test func `weighs two old requests against a new one`() throws {
        let letters = "aabcdbe"
        #expect(try outcomes("lrfu:lambda=0.1", capacity: 3, letters) == "a a! b c d>b b>c e>d")
        #expect(try outcomes("lrfu:lambda=0.8", capacity: 3, letters) == "a a! b c d>a b! e>c")
    }
}
