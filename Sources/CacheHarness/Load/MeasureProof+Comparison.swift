public import CacheCore

extension MeasureProof {
    /// How often comparisons of two subjects told a difference.
    public struct Comparisons: Sendable, Hashable {
        /// The comparisons that were made of each kind.
        public var runs: Int
        /// Comparisons of a subject with itself that told a difference: none should, and some do by chance.
        public var falseAlarms: Int
        /// Comparisons of a subject with one that takes 5 % longer that told the difference: all should.
        public var found: Int
        /// Comparisons of the throughput of a subject of about 50 ns with one of 1.2 times as much that told the difference: all should.
        public var foundFast: Int
        /// How sure each comparison is, 0 to 1.
        public var confidence: Double

        /// Whether at least 95 of 100 comparisons told the truth, of either kind.
        public var holds: Bool {
            20 * falseAlarms <= runs && 20 * (runs - min(found, foundFast)) <= runs
        }
    }

    private static var comparedRounds: Int { 20 }
    private static var comparedCalls: Int { 25 }

    /// Compares a subject with itself, and with one that takes 5 % longer, `runs` times each.
    ///
    /// - Throws: `AssayError` if a subject fails, which none does.
    public static func comparisons(
        _ columns: RequestColumns, keys: [[UInt8]], runs: Int = 100
    ) throws(AssayError) -> Comparisons {
        let proof = Proof(requests: LoadRequests(columns, valueBytes: 64), keys: keys)
        var comparisons = Comparisons(runs: runs, falseAlarms: 0, found: 0, foundFast: 0, confidence: 1)
        for _ in 0..<runs {
            let same = try proof.compare(20_000, 20_000, rounds: comparedRounds, calls: comparedCalls)
            let other = try proof.compare(20_000, 21_000, rounds: comparedRounds, calls: comparedCalls)
            if same.isDifferent { comparisons.falseAlarms += 1 }
            let fast = try proof.compareFast(50, 60, rounds: comparedRounds)
            if other.low > 1 { comparisons.found += 1 }
            if fast.low > 1 { comparisons.foundFast += 1 }
            comparisons.confidence = min(
                comparisons.confidence, same.confidence, other.confidence, fast.confidence)
        }
        return comparisons
    }
}

extension MeasureProof.Proof {
    /// The medians of two subjects that take turns, compared.
    func compare(
        _ first: UInt64, _ second: UInt64, rounds: Int, calls: Int
    ) throws(AssayError) -> PairedComparison {
        var medians: [[Double]] = [[], []]
        for round in 0..<rounds {
            for side in 0..<2 {
                // Whoever comes first in one round comes last in the next.
                let index = round.isMultiple(of: 2) ? side : 1 - side
                medians[index].append(try delay(index == 0 ? first : second, calls: calls))
            }
        }
        return PairedComparison(medians[0], medians[1])
    }

    /// The throughput of two subjects too fast to be timed call by call, which take turns.
    func compareFast(_ first: Double, _ second: Double, rounds: Int) throws(AssayError) -> PairedComparison {
        let step = SpinTarget.nanosecondsAStep()
        let targets = [first, second].map { SpinTarget(steps: max(1, Int(($0 / step).rounded()))) }
        var times: [[Double]] = [[], []]
        for round in 0..<rounds {
            for side in 0..<2 {
                let index = round.isMultiple(of: 2) ? side : 1 - side
                let cursor = LoadCursor(0..<min(20_000, requests.traceCount))
                let driver = LoadDriver(
                    fastLoad, targets[index], requests, PayloadLedger(keys: keys), seed: 1, clock: SystemLoadClock())
                let start = MonotonicClock.nowNanoseconds()
                _ = try driver.drive(cursor)
                times[index].append(Double(MonotonicClock.nowNanoseconds() &- start))
            }
        }
        return PairedComparison(times[0], times[1])
    }

    private var fastLoad: BenchLoad {
        var load = BenchLoad()
        load.verifies = false
        return load
    }
}

/// A subject that has everything and takes so many multiplications, each of which waits for the one before.
private struct SpinTarget: LoadTarget {
    let steps: Int

    @inline(never)
    static func spin(_ steps: Int, _ start: UInt64) -> UInt64 {
        var state = start
        for _ in 0..<steps { state = (state ^ state >> 32) &* 0x9e37_79b9_7f4a_7c15 }
        return state
    }

    /// What a multiplication takes here, in nanoseconds.
    static func nanosecondsAStep() -> Double {
        let start = MonotonicClock.nowNanoseconds()
        let state = spin(1_000_000, 1)
        let time = Double(MonotonicClock.nowNanoseconds() &- start)
        return state == 0 ? .infinity : max(0.1, time / 1_000_000)
    }

    func get(_ id: ObjectID) throws(AssayError) -> [UInt8]? { Self.spin(steps, UInt64(id) | 1) == 0 ? nil : [] }
    func put(_ id: ObjectID, _ offer: PayloadLedger.Offer) throws(AssayError) -> (isStored: Bool, evictions: Int) {
        (true, 0)
    }
    func remove(_ id: ObjectID) throws(AssayError) -> Bool { true }
}
