import Foundation

/// Waits in real time, for all of it: a signal ends the system's own waits early, and clients get many.
func sleepUninterrupted(_ duration: Duration) {
    let end = ContinuousClock.now + duration
    while true {
        let left = end - .now
        guard left > .zero else { return }
        usleep(UInt32(min(left / .microseconds(1), 500_000)) + 1)
    }
}
