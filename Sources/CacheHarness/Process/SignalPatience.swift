/// Decides what a signal to stop means: the first one stops in an orderly way, and one that comes a second later or more ends at once.
package struct SignalPatience: Sendable {
    /// What to do about a signal.
    package enum Action: Sendable, Hashable {
        /// Keep what is finished, write it, and end.
        case stop
        /// Nothing: it is the same wish, sent twice.
        case ignore
        /// End at once.
        case end
    }

    /// How long after the first signal another one is the same wish, in nanoseconds: `timeout` signals its child and then the
    /// child's group.
    package static var sameWishNanoseconds: UInt64 { 1_000_000_000 }

    private var first: UInt64?

    /// Before the first signal.
    package init() {}

    /// What a signal means that came at a moment of a clock that never goes back, in nanoseconds.
    package mutating func receive(atNanoseconds now: UInt64) -> Action {
        guard let first else {
            first = now
            return .stop
        }
        return now >= first && now - first >= Self.sameWishNanoseconds ? .end : .ignore
    }
}
