import CacheCore
import Testing

@Suite("LeCaR")
struct LeCaRPolicyTests {
    /// `a` is the most frequent and the least recent: LRU evicts it, LFU the older of the others.
    @Test func `follows the expert that it trusts`() throws {
        #expect(try outcomes("lecar:weight=0.9999,least=0.0001", capacity: 3, "aabcdb") == "a a! b c d>a b!")
        #expect(try outcomes("lecar:weight=0.0001,least=0.0001", capacity: 3, "aabcda") == "a a! b c d>b a!")
    }

    /// Each return of what LRU evicted costs it `exp(-10)`: from 0.9999 one error leaves it the lesser weight.
    @Test func `turns away from the expert that errs`() throws {
        let policy = "lecar:weight=0.9999,least=0.0001,learning-rate=10,discount=1,history=1"
        // d evicts a by LRU, a returns with count 3 by an eviction of LFU's c, and again LFU evicts.
        #expect(try outcomes(policy, capacity: 3, "aabbcdae") == "a a! b b! c d>a a>c e>d")
    }

    /// The count that an object had survives in its history.
    @Test func `remembers counts`() throws {
        let policy = "lecar:weight=0.0001,least=0.0001,history=1"
        // b (2) is evicted for d, returns as 3 and outlives a (3, older) when e and f have entered and left.
        #expect(try outcomes(policy, capacity: 2, "aabcb") == "a a! b c>b b>c")
        #expect(try outcomes(policy, capacity: 2, "aabcbdbeb") == "a a! b c>b b>c d>a b! e>d b!")
    }

    @Test func `refuses a weight beyond the least`() throws {
        let error = #expect(throws: AssayError.self) {
            try PolicyCall("lecar:weight=0.95,least=0.1").open(.objects(3), ObjectSpace(count: 3))
        }
        #expect(error?.code == .usage)
        #expect(error?.message.contains("least (0.1)") == true)
        #expect(throws: AssayError.self) { try PolicyCall("lecar:learning-rate=0") }
    }
}
