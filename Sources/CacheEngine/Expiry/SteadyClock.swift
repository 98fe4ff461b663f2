internal import CacheCore

/// Another clock whose wall time goes on from when it was made, whatever becomes of that clock's date.
///
/// A deadline that is kept as a date would otherwise move when somebody sets the machine's clock.
package struct SteadyClock: CacheClock {
    private let clock: any CacheClock
    /// Nanoseconds since 1970 at the monotonic time 0.
    private let origin: Int64

    /// A clock that shows what another does now.
    package init(_ clock: any CacheClock) {
        self.clock = clock
        origin = clock.wallNanoseconds() &- clock.monotonicNanoseconds()
    }

    package func monotonicNanoseconds() -> Int64 { clock.monotonicNanoseconds() }
    package func wallNanoseconds() -> Int64 { saturatingSum(origin, clock.monotonicNanoseconds()) }
}
