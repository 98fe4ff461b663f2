import CacheCore
import Testing

@Suite("CLOCK-Pro Simple")
struct ClockProSimplePolicyTests {
    /// At capacity 2 a and b begin hot, and c, the only cold object, leaves at once. Its ghost raises the target to 1
    /// and makes it hot in place of a, b: a leaves for c, and b is cold then too, past its test, and leaves for d.
    @Test func `evicts the newcomer while all others are hot`() throws {
        #expect(try outcomes("clock-pro-simple", capacity: 2, "abccdcb") == "a b c>c c>a d>b c! b>d")
    }

    /// At capacity 100 all but one object of the first 100 are hot, and in a loop that the ghosts do not span they stay.
    @Test func `keeps the hot part of a loop that does not fit`() throws {
        let trace = TestTrace(ids: (0..<750).map { $0 % 250 })
        let counts = try PolicyCall("clock-pro-simple").simulate(trace.columns, .objects(100))
        #expect(counts.hits == 2 * 99)
    }
}
