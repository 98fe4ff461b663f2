import Testing

@Suite("CLOCK-Pro+")
struct ClockProPlusPolicyTests {
    /// The hit of a, which was hot, lowers the target to 1, where CLOCK-Pro leaves it at 2: e's promotion then demotes c
    /// alone and not d.
    @Test func `follows demoted objects`() throws {
        let letters = "abcdedafeghi"
        let start = "a b c d e>d d>e a! f>b e>a g>f h>c "
        #expect(try outcomes("clock-pro", capacity: 4, letters) == start + "i>d")
        #expect(try outcomes("clock-pro-plus", capacity: 4, letters) == start + "i>g")
    }
}
