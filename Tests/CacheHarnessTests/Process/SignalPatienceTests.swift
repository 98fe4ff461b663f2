import Testing

@testable import CacheHarness

@Suite("SignalPatience: what a second signal means")
struct SignalPatienceTests {
    @Test func `a signal within a second of the first is the same wish, and a later one ends at once`() {
        var patience = SignalPatience()
        let start: UInt64 = 5_000_000_000
        #expect(patience.receive(atNanoseconds: start) == .stop)
        #expect(patience.receive(atNanoseconds: start) == .ignore)
        #expect(patience.receive(atNanoseconds: start + 999_999_999) == .ignore)
        #expect(patience.receive(atNanoseconds: start + 1_000_000_000) == .end)
    }
}
