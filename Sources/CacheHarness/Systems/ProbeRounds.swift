package import CacheCore

/// Times of several ways to do something, which take turns in rounds, so that what else the machine does falls on all of them alike.
package struct ProbeRounds: Sendable {
    /// The time of each way in each round, in nanoseconds.
    private var nanoseconds: [[Double]]

    /// Makes each way once in each round; who begins is another one each time.
    ///
    /// - Parameters:
    ///   - warmsUp: whether there is a round before them that is not counted.
    ///   - body: does a way, by its place, and says how long it took: see ``nanoseconds(of:)``.
    package init(
        _ rounds: Int = 5, ways: Int = 1, warmsUp: Bool = true, _ body: (_ way: Int) throws -> Double
    ) rethrows {
        precondition(rounds > 0 && ways > 0, "there is something to do")
        nanoseconds = Array(repeating: [], count: ways)
        for round in (warmsUp ? 0 : 1)...rounds {
            for turn in 0..<ways {
                let way = (turn + round) % ways
                let time = try body(way)
                if round > 0 { nanoseconds[way].append(time) }
            }
        }
    }

    /// How long something takes, in nanoseconds, at least 1.
    package static func nanoseconds(of body: () throws -> Void) rethrows -> Double {
        let start = MonotonicClock.nowNanoseconds()
        try body()
        return max(1, Double(MonotonicClock.nowNanoseconds() &- start))
    }

    /// The median time of a way, in nanoseconds.
    package func median(_ way: Int = 0) -> Double { Self.median(nanoseconds[way]) }

    /// The median of what a way took longer than another in the same round, in nanoseconds; negative if it was faster.
    package func medianDifference(_ way: Int, over other: Int) -> Double {
        Self.median(zip(nanoseconds[way], nanoseconds[other]).map { $0 - $1 })
    }

    /// The median of how many times as long as another a way took in the same round.
    package func medianRatio(_ way: Int, over other: Int) -> Double {
        Self.median(zip(nanoseconds[way], nanoseconds[other]).map { $0 / $1 })
    }

    private static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
    }
}

/// Threads of a probe.
package enum ProbeThreads {
    /// How long so many threads take for a call, which begin together and share the positions of some calls, in nanoseconds.
    ///
    /// - Parameters:
    ///   - secondsMax: when no more positions are dealt out: what is slow is made less often.
    ///   - body: makes the calls of some positions.
    /// - Throws: the first error of any of them: an `AssayError` as it is, another one as the cause of one.
    package static func nanosecondsPerCall(
        _ threads: Int, calls: Int, secondsMax: Double = .infinity,
        _ body: @escaping @Sendable (Range<Int>) throws -> Void
    ) throws(AssayError) -> Double {
        let cursor = LoadCursor(0..<calls)
        let clock = SystemLoadClock()
        let start = clock.nowNanoseconds()
        let outcome = try LoadThreads.run(threads, cursor, clock: clock) { _ throws(AssayError) -> Int in
            var made = 0
            while let positions = cursor.nextBlock() {
                do { try body(positions) } catch let error as AssayError { throw error } catch {
                    throw AssayError(.internalError, "a thread of a probe failed", cause: "\(error)")
                }
                made += positions.count
                if Double(clock.nowNanoseconds() - start) > secondsMax * 1e9 { cursor.stop() }
            }
            return made
        }
        return outcome.seconds * 1e9 / Double(max(1, outcome.results.reduce(0, +)))
    }
}
