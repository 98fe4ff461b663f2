import Testing

@Suite("Kin of W-TinyLFU")
struct SketchVariantPolicyTests {
    /// Two lists of 2 behind a window of 1. f, asked for twice, takes c's place; lifting it lowers a, which was lifted
    /// first; g loses against d.
    @Test func `lifts by one list`() throws {
        #expect(
            try outcomes("s4-w-tinylfu:levels=2,window=0.2", capacity: 5, "abcdeaabbffgfffhb")
                == "a b c d e a! a! b! b! f>e f! g>c f! f! f! h>g b!")
    }

    /// A window of 2 of which 1 is protected: b, asked for twice, stays in it while c to f pass.
    @Test func `protects in the window`() throws {
        #expect(
            try outcomes("fully-segmented-w-tinylfu:window=0.5,window-protected=0.5", capacity: 4, "abbcdefbgg")
                == "a b b! c d e>d f>e b! g>f g!")
    }

    /// At capacity 2 a window and a main cache of 1 leave one choice each: the newcomer or who is there.
    @Test func `chooses among all`() throws {
        let found = try outcomes("random-w-tinylfu", capacity: 2, "abacadae")
        #expect(found.hasPrefix("a b a! c>"))
        #expect(found == (try outcomes("random-w-tinylfu", capacity: 2, "abacadae")))
    }

    /// All of a to d were asked for twice. e is refused, comes back within half a period, and is let in as their equal.
    @Test func `lets in what was refused lately`() throws {
        #expect(
            try outcomes("feedback-tinylfu:period=4", capacity: 4, "abcdabcdee")
                == "a b c d a! b! c! d! e>e e>a")
    }

    /// The same behind a window of 1: i was refused by j's request and challenges a again by k's, which grows the window
    /// and costs a its place.
    @Test func `grows the window for what was refused lately`() throws {
        #expect(
            try outcomes("feedback-w-tinylfu:window=0.125,period=8", capacity: 8, "abcdefghabcdefghijik")
                .hasSuffix("h! i>h j>i i>j k>a"))
    }

    /// Four hits grow the window from 1 to 3, where e, f, g and h push d, a, b and e out; four misses shrink it to 1, so
    /// that f and g are the tail of probation; i, j, e leave at once and f and g are hits; then the window has nothing
    /// and h is refused.
    @Test func `climbs`() throws {
        #expect(
            try outcomes(
                "hill-climber-w-tinylfu:period=1,pivot=0.5,window=0.25", capacity: 4, "abcdabcdefghijefgh")
                == "a b c d a! b! c! d! e>d f>a g>b h>e i>h j>i e>j f! g! h>h")
    }
}
