import CacheCore
import Testing

@Suite("CLOCK-Pro")
struct ClockProPolicyTests {
    /// At capacity 3 the target for cold objects is 1 to 2. a and b begin hot, c cold, and c's ghost makes it hot: the
    /// target rises to 2, a and b are demoted, d's ghost is passed (the target falls to 1). e is hit in its test period
    /// and becomes hot in c's stead; a's period ends thereby.
    @Test func `promotes what comes back in its test period`() throws {
        #expect(
            try outcomes("clock-pro", capacity: 3, "abcdceaefge")
                == "a b c d>c c>d e>a a>b e! f>a g>c e!")
    }

    /// At capacity 4 two objects are cold. When c's ghost is hit, a and b have been hit: the hot hand clears their bits
    /// and comes to c itself, which ends its test period. Caffeine refuses the promotion, which begins a new one, so
    /// that the next hit makes c hot in a's stead.
    @Test func `refuses a promotion for which nothing older is demoted in Caffeine's dialect`() throws {
        let letters = "abcdabecbcfgh"
        let start = "a b c d a! b! e>c c>d b! c! f>e g>f "
        #expect(try outcomes("clock-pro:cold-min=0.5", capacity: 4, letters) == start + "h>c")
        #expect(try outcomes("clock-pro:dialect=caffeine", capacity: 4, letters) == start + "h>a")
    }

    /// c's second hit repeats the request before, leaves no bit, and c goes.
    @Test func `ignores a repeated request in Caffeine's dialect`() throws {
        let letters = "abcdabeccfgh"
        #expect(
            try outcomes("clock-pro:cold-min=0.5", capacity: 4, letters)
                == "a b c d a! b! e>c c>d c! f>e g>f h>c")
        #expect(
            try outcomes("clock-pro:dialect=caffeine", capacity: 4, letters)
                == "a b c d a! b! e>c c>d c! f>e g>c h>f")
    }

    @Test func `is frozen once full in libCacheSim's dialect`() throws {
        #expect(try outcomes("clock-pro:dialect=libcachesim", capacity: 2, "abcacbc") == "a b c a! c b! c")
    }

    @Test(arguments: ["clock-pro", "clock-pro-plus"])
    func `refuses a least share above the largest`(_ policy: String) throws {
        let call = try PolicyCall("\(policy):cold-min=0.6,cold-max=0.4")
        #expect(throws: AssayError.self) { try call.open(.objects(9), ObjectSpace(count: 9)) }
    }
}
