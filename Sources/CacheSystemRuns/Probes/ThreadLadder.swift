internal import CacheCore
internal import CacheHarness

/// Throughput against the number of threads: the same calls, made by more and more of them.
enum ThreadLadder {
    /// How many threads each step has.
    static let threads = [1, 2, 4, 8, 16]

    /// How long a step may take in a round, in seconds: threads that wait for each other may be slow by far more than their number.
    private static let secondsMax = 0.4

    /// `what, 1 thread` and so on: the calls a second of each step, from the median of rounds in which the steps take turns.
    ///
    /// - Parameter body: makes the calls of some positions, and verifies what they give.
    static func figures(
        _ what: String, calls: Int, rounds: Int = 3, _ body: @escaping @Sendable (Range<Int>) throws -> Void
    ) throws -> [SystemFigure] {
        let times = try ProbeRounds(rounds, ways: threads.count) {
            try ProbeThreads.nanosecondsPerCall(threads[$0], calls: calls, secondsMax: secondsMax, body)
        }
        return threads.enumerated().map { step, count in
            SystemFigure(
                "\(what), \(count) \(count == 1 ? "thread" : "threads")", 1e9 / times.median(step), .perSecond)
        }
    }
}
