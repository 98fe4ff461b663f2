#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The time that a load is made and measured by: the machine's, or a test's own.
protocol LoadClock: Sendable {
    /// Nanoseconds since an arbitrary origin; never goes back.
    func nowNanoseconds() -> UInt64
    /// Returns at that moment or later, at once if it has passed.
    func wait(untilNanoseconds moment: UInt64)
}

/// The machine's monotonic clock.
struct SystemLoadClock: LoadClock {
    /// How long before its end a wait stops sleeping: a thread is woken about this much too late.
    private static var spinNanoseconds: UInt64 { 100_000 }

    @inline(__always)
    func nowNanoseconds() -> UInt64 { MonotonicClock.nowNanoseconds() }

    func wait(untilNanoseconds moment: UInt64) {
        while true {
            let now = nowNanoseconds()
            guard now < moment else { return }
            guard moment - now > Self.spinNanoseconds else {
                sched_yield()
                continue
            }
            let pause = moment - now - Self.spinNanoseconds
            var time = timespec(tv_sec: Int(pause / 1_000_000_000), tv_nsec: Int(pause % 1_000_000_000))
            nanosleep(&time, nil)
        }
    }
}
