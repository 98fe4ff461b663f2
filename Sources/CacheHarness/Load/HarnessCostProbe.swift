internal import CacheCore

/// Measures what measuring costs.
enum HarnessCostProbe {
    private static var probedRequests: Int { 200_000 }
    private static var probedValues: Int { 2_000 }
    private static var rounds: Int { 7 }

    private static var probedBytes: Int { 1 << 26 }

    /// The costs for a load of those requests, of which that share was hits; each the least of several rounds, which other work
    /// disturbs least.
    static func measure(
        _ load: BenchLoad, _ requests: LoadRequests, keys: [[UInt8]], hitShare: Double = 1, seed: UInt64
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
        try measureEmpty(load, requests.readsAlone, keys: keys, count, hitShare: hitShare, seed: seed, &costs)
        return costs
    }

    /// A subject of nothing under the load itself: all hits and all misses apart, since it keeps nothing that would decide.
    private static func measureEmpty(
        _ load: BenchLoad, _ requests: LoadRequests, keys: [[UInt8]], _ most: Int, hitShare: Double, seed: UInt64,
        _ costs: inout HarnessCosts
    ) throws(AssayError) {
        let ledger = PayloadLedger(keys: keys, texture: Payload.Texture(compressionRatio: load.compressionRatio))
        var values = [[UInt8]](repeating: [], count: keys.count)
        var (count, bytes) = (0, 0)
        while count < most, bytes < probedBytes {
            let (id, size) = (requests.columns.ids[count], requests.valueBytes(at: count))
            if values[Int(id)].count != size {
                values[Int(id)] = ledger.nextOffer(id, valueBytes: size).value
                bytes += size
            }
            count += 1
        }
        var plain = load
        (plain.removeShare, plain.missCost) = (0, BenchLoad.MissCost())
        func probe(_ hits: Bool) throws(AssayError) -> (request: Double, sheet: LatencyByOperation) {
            let driver = LoadDriver(
                plain, EmptyTarget(values: hits ? values : nil), requests, ledger, seed: seed, clock: SystemLoadClock())
            var least = Double.infinity
            for _ in 0..<rounds {
                let cursor = LoadCursor(0..<count)
                let outcome = try LoadThreads.run(load.threads, cursor, clock: SystemLoadClock()) {
                    (_) throws(AssayError) in try driver.drive(cursor)
                }
                least = min(least, outcome.seconds * 1e9 * Double(load.threads) / Double(count))
            }
            let cursor = LoadCursor(0..<count)
            let sheets = try LoadThreads.run(load.threads, cursor, clock: SystemLoadClock()) {
                (_) throws(AssayError) in
                var sheet = LatencyByOperation()
                _ = try driver.timedDrive(cursor, &sheet)
                return sheet
            }
            return (least, sheets.results.reduce(into: LatencyByOperation()) { $0.add($1) })
        }
        let (hits, misses) = (try probe(true), try probe(false))
        costs.emptyRequestNanoseconds = hitShare * hits.request + (1 - hitShare) * misses.request
        costs.emptyHitNanoseconds = hits.sheet.summary(of: .hit).p50Nanoseconds
        costs.emptyMissNanoseconds = misses.sheet.summary(of: .miss).p50Nanoseconds
        costs.emptyPutNanoseconds = misses.sheet.summary(of: .put).p50Nanoseconds
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
