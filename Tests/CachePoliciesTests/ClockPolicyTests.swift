import CacheCore
import Testing

@Suite("CLOCK")
struct ClockPolicyTests {
    /// The hand gives a a second chance, so that b and then c leave; a again outlives d.
    @Test func `gives a second chance`() throws {
        #expect(try outcomes("clock", capacity: 3, "abcadeaf") == "a b c a! d>b e>c a! f>d")
    }

    /// A two-bit counter saves a from two passes, a single bit from one.
    @Test func `counts to the width of the counter`() throws {
        #expect(try outcomes("clock", capacity: 2, "aaabcde") == "a a! a! b c>b d>a e>c")
        #expect(try outcomes("clock:bits=2", capacity: 2, "aaabcde") == "a a! a! b c>b d>c e>a")
    }

    /// When all others were asked for, Caffeine's newcomer is the victim; the paper's hand comes round to the oldest.
    @Test func `takes the newcomer only in the caffeine dialect`() throws {
        #expect(try outcomes("clock", capacity: 2, "ababc") == "a b a! b! c>a")
        #expect(try outcomes("clock:dialect=caffeine", capacity: 2, "ababc") == "a b a! b! c>c")
    }

    @Test func `refuses a first count that the bits cannot hold`() throws {
        let call = try PolicyCall("clock:bits=1,init=2")
        #expect(throws: AssayError.self) { try call.open(.objects(2), ObjectSpace(count: 2)) }
    }
}
