import Testing

@Suite("Hyperbolic caching")
struct HyperbolicPolicyTests {
    /// The example of the authors' talk: after aabcc the priorities are 2/5, 1/3 and 2/2.
    @Test func `divides requests by age`() throws {
        #expect(try outcomes("hyperbolic", capacity: 3, "aabccd") == "a a! b c c! d>b")
    }

    /// When d comes, a has 2 requests in 10, b 7 in 9, c 1 in 2. LFU would evict c and LRU b.
    @Test(arguments: ["hyperbolic", "hyperbolic:samples=1000", "hyperbolic:dialect=caffeine"])
    func `is neither LFU nor LRU`(_ policy: String) throws {
        #expect(try outcomes(policy, capacity: 3, "abbbbbbbcad").hasSuffix("c a! d>a"))
        #expect(try outcomes("lfu", capacity: 3, "abbbbbbbcad").hasSuffix("c a! d>c"))
        #expect(try outcomes("lru", capacity: 3, "abbbbbbbcad").hasSuffix("c a! d>b"))
    }

    /// Four times the cost lifts a to 8 in 10; four times the size lowers c to a quarter in 2. Caffeine has neither.
    @Test func `weighs by cost and size`() throws {
        #expect(try outcomes("hyperbolic", capacity: 3, "abbbbbbbcad", costs: [4, 1, 1, 1]).hasSuffix("d>c"))
        #expect(try outcomes("hyperbolic", capacity: 6, "abbbbbbbcad", sizes: [1, 1, 4, 1]).hasSuffix("d>c"))
        #expect(
            try outcomes(
                "hyperbolic:dialect=caffeine", capacity: 6, "abbbbbbbcad", sizes: [1, 1, 4, 1], costs: [4, 1, 1, 1]
            )
            .hasSuffix("d>a"))
    }
}
