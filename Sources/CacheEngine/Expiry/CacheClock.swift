internal import CacheCore
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Tells a cache what time it is.
///
/// Two times, because they answer two questions: the monotonic one says how long ago something was, and is not moved by
/// anybody who sets the clock; the wall clock says when a date comes. Both are read by several threads at once.
public protocol CacheClock: Sendable {
    /// Nanoseconds since some fixed moment; never less than at an earlier call.
    func monotonicNanoseconds() -> Int64
    /// Nanoseconds since 1970 UTC.
    func wallNanoseconds() -> Int64
}

/// The machine's clocks.
///
/// The monotonic one goes on while the machine sleeps. A reading takes about 30 ns on Linux.
public struct SystemClock: CacheClock {
    /// The machine's clocks.
    public init() {}

    /// Nanoseconds since the machine was started.
    public func monotonicNanoseconds() -> Int64 {
        #if os(Linux)
            Self.reading(CLOCK_BOOTTIME)
        #else
            Self.reading(CLOCK_MONOTONIC)
        #endif
    }

    /// Nanoseconds since 1970 UTC.
    public func wallNanoseconds() -> Int64 { Self.reading(CLOCK_REALTIME) }

    private static func reading(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// A clock that moves when it is told to: for tests and simulations.
public final class VirtualClock: CacheClock {
    private let monotonic: Atomic<Int64>
    private let wall: Atomic<Int64>

    /// A clock at `monotonicNanoseconds`, whose wall clock shows `wallNanoseconds` since 1970.
    public init(monotonicNanoseconds: Int64 = 0, wallNanoseconds: Int64 = 0) {
        monotonic = Atomic(monotonicNanoseconds)
        wall = Atomic(wallNanoseconds)
    }

    /// The time that was set.
    public func monotonicNanoseconds() -> Int64 { monotonic.load(ordering: .acquiring) }
    /// The date that was set.
    public func wallNanoseconds() -> Int64 { wall.load(ordering: .acquiring) }

    /// Moves both clocks forward. A negative step traps: monotonic clocks do not go back.
    public func advance(nanoseconds step: Int64) {
        precondition(step >= 0, "a monotonic clock does not go back")
        _ = monotonic.wrappingAdd(step, ordering: .acquiringAndReleasing)
        _ = wall.wrappingAdd(step, ordering: .acquiringAndReleasing)
    }

    /// Moves both clocks forward.
    public func advance(by step: Duration) { advance(nanoseconds: nanoseconds(step)) }

    /// Sets the wall clock alone, as somebody who corrects the machine's date does.
    public func setWall(nanoseconds: Int64) { wall.store(nanoseconds, ordering: .releasing) }
}

/// A duration in whole nanoseconds, rounded down; the nearest 64-bit number where it is out of range.
@usableFromInline
func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (scaled, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflows else { return seconds < 0 ? .min : .max }
    return saturatingSum(scaled, attoseconds / 1_000_000_000)
}
