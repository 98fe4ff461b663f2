import CacheCore
import Testing

@Suite("LARC")
struct LARCPolicyTests {
    /// At capacity 4 the list of ghosts may hold 0.4 at first and 3.6 after one miss. Every object enters at its second request,
    /// and what is asked for once pushes nothing out.
    @Test func `lets objects in at their second request`() throws {
        #expect(try outcomes("larc", capacity: 4, "aabbabcdefgab") == "a a b b a! b! c d e f g a! b!")
    }

    /// Three ghosts fit. d pushes that of a out, whose next request is a first one again; b and c are remembered.
    @Test func `forgets the oldest ghost`() throws {
        #expect(try outcomes("larc", capacity: 4, "abcdaaa") == "a b c d a a a!")
        #expect(try outcomes("larc", capacity: 4, "abcdbcb") == "a b c d b c b!")
    }

    @Test func `is an LRU of what has entered`() throws {
        #expect(try outcomes("larc", capacity: 2, "aabbaccb") == "a a b b a! c c>b b")
    }

    @Test func `lets nothing in where there is never a whole ghost`() throws {
        #expect(try outcomes("larc", capacity: 1, "aaaa") == "a a a a")
    }
}
