import Testing

@Suite("MQ")
struct MQPolicyTests {
    /// a was hit once and lives in the second queue, so newcomers push out each other.
    @Test func `keeps what was asked for twice`() throws {
        #expect(try outcomes("mq", capacity: 2, "aabcda") == "a a! b c>b d>c a!")
    }

    /// With a lifetime of 2 the hit on a lasts until the third tick. The fourth lets a sink to the front of the lowest
    /// queue, newer than c but older than d.
    @Test func `lets what is not asked for sink`() throws {
        #expect(try outcomes("mq:lifetime=2", capacity: 2, "aabcdef") == "a a! b c>b d>c e>a f>d")
    }

    /// a left with a count of 1 and comes back with 2, so that e takes the place of d instead.
    @Test func `goes on counting where a ghost left off`() throws {
        #expect(try outcomes("mq", capacity: 2, "abcade") == "a b c>a a>b d>c e>d")
        #expect(try outcomes("mq:ghost=0", capacity: 2, "abcade") == "a b c>a a>b d>c e>a")
    }

    /// One ghost is remembered. By the paper's order a's is pushed out by b's before it is looked up, so that a enters
    /// as a newcomer and makes way for e; in the dialects it is found.
    @Test(arguments: [("paper", "a b c>a a>b d>c e>a"), ("caffeine", "a b c>a a>b d>c e>d")])
    func `makes room before it looks for the ghost, or after`(_ dialect: String, _ expected: String) throws {
        #expect(try outcomes("mq:ghost=0.5,dialect=\(dialect)", capacity: 2, "abcade") == expected)
        #expect(
            try outcomes("mq:ghost=0.5,dialect=libcachesim", capacity: 2, "abcade")
                == outcomes("mq:ghost=0.5,dialect=caffeine", capacity: 2, "abcade"))
    }

    @Test func `is an LRU with one queue`() throws {
        let letters = "abacbdcaabcd"
        #expect(
            try outcomes("mq:queues=1", capacity: 3, letters) == outcomes("lru", capacity: 3, letters))
    }

    @Test(arguments: ["queues=0", "queues=25", "lifetime=0", "ghost=9"])
    func `refuses what is out of range`(_ parameters: String) {
        #expect(throws: (any Error).self) { try PolicyCall("mq:\(parameters)") }
    }
}
