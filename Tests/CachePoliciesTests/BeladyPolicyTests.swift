import Testing

@Suite("Bélády's MIN")
struct BeladyPolicyTests {
    /// The textbook sequence: d takes the place of c, e that of d; seven misses.
    @Test func `evicts the farthest next use`() throws {
        let outcome = try outcomes("belady", capacity: 3, "abcdabeabcde")
        #expect(outcome.hasPrefix("a b c d>c a! b! e>d a! b! c>"))
        #expect(outcome.split(separator: " ").filter { !$0.hasSuffix("!") }.count == 7)
    }

    /// Without bypass b must enter; with it b is refused because a is needed sooner.
    @Test func `may refuse the newcomer`() throws {
        #expect(try outcomes("belady", capacity: 1, "aba") == "a b>a a>b")
        #expect(try outcomes("belady:bypass=true", capacity: 1, "aba") == "a b a!")
    }

    /// More cache never means more misses, unlike FIFO on this sequence.
    @Test func `has no anomaly`() throws {
        func misses(_ policy: String, _ capacity: Int) throws -> Int {
            try outcomes(policy, capacity: capacity, "abcdabeabcde").split(separator: " ")
                .filter { !$0.hasSuffix("!") }.count
        }
        #expect(try misses("fifo", 3) == 9)
        #expect(try misses("fifo", 4) == 10)
        #expect(try misses("belady", 4) == 6)
    }
}
