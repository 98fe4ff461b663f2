internal import CacheCore

/// Measures what measuring costs.
enum HarnessCostProbe {
    private static var probedRequests: Int { 200_000 }
    private static var probedValues: Int { 2_000 }
    private static var rounds: Int { 7 }

    /// The costs for a load of those requests; each the least of several rounds, which other work disturbs least.
    static func measure(
        _ load: BenchLoad, _ requests: LoadRequests, keys: [[UInt8]], seed: UInt64
    ) throws(AssayError) -> HarnessCosts {
        var costs = HarnessCosts()
        costs.timerFloorNanoseconds = MonotonicClock.floorNanoseconds()
        let count = min(requests.traceCount, probedRequests)
        guard count > 0 else { return costs }
        let ledger = PayloadLedger(keys: keys, texture: Payload.Texture(compressionRatio: load.compressionRatio))
        var bare = load
        bare.verifies = false
        bare.removeShare = 0
        let driver = LoadDriver(
            bare, NullTarget(), requests.readsAlone, ledger, seed: seed, clock: SystemLoadClock())
        var sum = 0
        var (loop, driven) = (Double.infinity, Double.infinity)
        for _ in 0..<rounds {
            loop = min(loop, nanoseconds { sum &+= read(requests, count) })
            let cursor = LoadCursor(0..<count)
            let start = MonotonicClock.nowNanoseconds()
            sum &+= try driver.drive(cursor).hits
            driven = min(driven, Double(MonotonicClock.nowNanoseconds() &- start))
        }
        precondition(sum != 0, "the loops did their work")
        costs.bareLoopNanoseconds = loop / Double(count)
        costs.harnessNanoseconds = max(0, driven - loop) / Double(count)
        measureValues(requests, ledger, min(count, probedValues), &costs)
        return costs
    }

    /// The loop that only reads the trace.
    @inline(never)
    private static func read(_ requests: LoadRequests, _ count: Int) -> Int {
        var sum = 1
        for place in 0..<count {
            sum &+= Int(requests.columns.ids[place]) &+ requests.valueBytes(at: place)
        }
        return sum
    }

    private static func measureValues(
        _ requests: LoadRequests, _ ledger: PayloadLedger, _ count: Int, _ costs: inout HarnessCosts
    ) {
        var (making, verifying) = (0.0, 0.0)
        var isRight = true
        for place in 0..<count {
            let (id, size) = (requests.columns.ids[place], requests.valueBytes(at: place))
            let start = MonotonicClock.nowNanoseconds()
            let offer = ledger.nextOffer(id, valueBytes: size)
            let made = MonotonicClock.nowNanoseconds()
            isRight = ledger.isValid(offer.value, for: id, isShared: false) && isRight
            let verified = MonotonicClock.nowNanoseconds()
            making += Double(made &- start) - costs.timerFloorNanoseconds
            verifying += Double(verified &- made) - costs.timerFloorNanoseconds
        }
        precondition(isRight, "a value is what was made")
        costs.payloadNanoseconds = max(0, making / Double(count))
        costs.verificationNanoseconds = max(0, verifying / Double(count))
    }

    private static func nanoseconds(_ body: () -> Void) -> Double {
        let start = MonotonicClock.nowNanoseconds()
        body()
        return Double(MonotonicClock.nowNanoseconds() &- start)
    }
}
