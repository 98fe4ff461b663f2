internal import Foundation
internal import Synchronization

/// Watches how a load gets on, from a thread of its own: those that make the requests read no clock.
final class ThroughputWindows: Sendable {
    private let cursor: LoadCursor
    private let isOver = Atomic<Bool>(false)
    private let ended = DispatchSemaphore(value: 0)
    private let positions = Mutex<[Int]>([])

    /// How often it looks, in seconds.
    private static var lookSeconds: Double { 0.1 }
    /// The most windows that are kept; more are merged by twos.
    private static var mostWindows: Int { 240 }
    /// The fewest windows that steadiness can be judged by.
    private static var fewestWindows: Int { 16 }

    /// Begins to watch.
    init(_ cursor: LoadCursor) {
        self.cursor = cursor
        positions.withLock { $0.append(cursor.position) }
        Thread.detachNewThread { [self] in
            let start = MonotonicClock.nowNanoseconds()
            var look = 1.0
            while !isOver.load(ordering: .relaxed) {
                let due = start + UInt64(look * Self.lookSeconds * 1e9)
                SystemLoadClock().wait(untilNanoseconds: due)
                positions.withLock { $0.append(cursor.position) }
                look += 1
            }
            ended.signal()
        }
    }

    /// Ends the watch; returns the requests in each whole window, and the length of one in seconds.
    func finish() -> (requests: [Int], seconds: Double) {
        isOver.store(true, ordering: .relaxed)
        ended.wait()
        // The last look came after the end.
        let positions = positions.withLock { $0 }.dropLast()
        return Self.merged(zip(positions.dropFirst(), positions).map { $0 - $1 }, seconds: Self.lookSeconds)
    }

    static func merged(_ requests: [Int], seconds: Double) -> (requests: [Int], seconds: Double) {
        guard requests.count > mostWindows else { return (requests, seconds) }
        let pairs = (0..<requests.count / 2).map { (pair: Int) -> Int in requests[2 * pair] + requests[2 * pair + 1] }
        return merged(pairs, seconds: 2 * seconds)
    }

    /// Whether the last quarter of the windows was as fast as the one before, within 2 %; nil for too few to tell.
    static func isSteady(_ requests: [Int]) -> Bool? {
        guard requests.count >= fewestWindows else { return nil }
        let quarter = requests.count / 4
        func median(_ windows: ArraySlice<Int>) -> Double { Double(windows.sorted()[windows.count / 2]) }
        let last = median(requests.suffix(quarter))
        let former = median(requests.dropLast(quarter).suffix(quarter))
        return abs(last - former) <= 0.02 * former
    }
}
