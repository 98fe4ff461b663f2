public import CacheCore
internal import Synchronization

/// Measures subjects whose delays, stalls and differences are known, with the machine's own clock: whether a live run's
/// figures are true here and now.
public enum MeasureProof {
    /// One known quantity and what was measured.
    public struct Finding: Codable, Sendable, Hashable {
        /// What was injected.
        public var name: String
        /// How much of it: nanoseconds, or the ratio 1.
        public var injected: Double
        /// What was measured.
        public var measured: Double
        /// How far the ratio of the two may be from 1.
        public var tolerance: Double
        /// Whether `injected` is a limit, below which the measured figure is to stay.
        public var isLimit = false

        /// Measured over injected.
        public var ratio: Double { measured / injected }
        /// Whether the measured figure is true.
        public var holds: Bool { isLimit ? measured < injected : abs(ratio - 1) <= tolerance }
    }

    /// Measures every known quantity; `calls` of each delay. Takes a few seconds.
    ///
    /// - Throws: `AssayError` if a subject fails, which none does.
    public static func run(_ columns: RequestColumns, keys: [[UInt8]], calls: Int = 2000) throws(AssayError)
        -> [Finding]
    {
        let proof = Proof(requests: LoadRequests(columns, valueBytes: 64), keys: keys)
        var findings: [Finding] = []
        for delay in [20_000.0, 100_000, 1_000_000] {
            // Slower delays need fewer calls.
            let measured = try proof.delay(UInt64(delay), calls: max(100, Int(Double(calls) * 20_000 / delay)))
            findings.append(
                Finding(
                    name: "median latency of a delay of \(Int(delay / 1000)) µs", injected: delay, measured: measured,
                    tolerance: 0.02))
        }
        let stall = 50_000_000.0
        let longest = try proof.stall(UInt64(stall))
        findings.append(
            Finding(
                name: "longest response behind a stall of 50 ms, open loop", injected: stall, measured: longest,
                tolerance: 0.02))
        let (first, second) = try proof.twins(rounds: 20, calls: calls)
        findings.append(
            Finding(
                name: "the same subject twice, interleaved: median over median", injected: first, measured: second,
                tolerance: 0.02))
        let costs = try HarnessCostProbe.measure(BenchLoad(), proof.requests, keys: keys, seed: 1)
        findings.append(
            Finding(
                name: "nanoseconds a request that the throughput pass adds to a loop that only reads the trace",
                injected: 5,
                measured: costs.harnessNanoseconds, tolerance: 0, isLimit: true))
        return findings
    }

    /// A subject that holds its thread for a known time at each read, and longer at one.
    private final class SlowTarget: LoadTarget {
        private let nanoseconds: UInt64
        private let stall: (read: Int, nanoseconds: UInt64)?
        private let reads = Atomic<Int>(0)
        private let values = Mutex<[ObjectID: [UInt8]]>([:])

        init(_ nanoseconds: UInt64, stall: (read: Int, nanoseconds: UInt64)? = nil) {
            self.nanoseconds = nanoseconds
            self.stall = stall
        }

        func get(_ id: ObjectID) throws(AssayError) -> [UInt8]? {
            let start = MonotonicClock.nowNanoseconds()
            let value = values.withLock { $0[id] }
            let read = reads.wrappingAdd(1, ordering: .relaxed).oldValue
            let end = start &+ nanoseconds &+ (stall?.read == read ? stall?.nanoseconds ?? 0 : 0)
            while MonotonicClock.nowNanoseconds() < end {}
            return value
        }

        func put(_ id: ObjectID, _ offer: PayloadLedger.Offer) throws(AssayError) -> (isStored: Bool, evictions: Int) {
            values.withLock { $0[id] = offer.value }
            return (true, 0)
        }

        func remove(_ id: ObjectID) throws(AssayError) -> Bool { values.withLock { $0.removeValue(forKey: id) } != nil }
    }

    /// Subjects and what is measured of them.
    struct Proof {
        let requests: LoadRequests
        let keys: [[UInt8]]

        private func driver(_ target: SlowTarget) -> LoadDriver<SlowTarget, SystemLoadClock> {
            LoadDriver(BenchLoad(), target, requests, PayloadLedger(keys: keys), seed: 1, clock: SystemLoadClock())
        }

        /// The median latency of reads that take that long.
        func delay(_ nanoseconds: UInt64, calls: Int) throws(AssayError) -> Double {
            var sheet = LatencyByOperation()
            _ = try driver(SlowTarget(nanoseconds)).timedDrive(LoadCursor(0..<calls), &sheet)
            return Double(sheet.summary(of: .hit, .miss).p50Nanoseconds ?? 0)
        }

        /// The longest response in an open loop with one stall.
        func stall(_ nanoseconds: UInt64) throws(AssayError) -> Double {
            let count = 4000
            let schedule = ArrivalSchedule(requestsPerSecond: 4000, count: count, arrivals: .uniform, seed: 1)
            var sheet = OpenLoopSheet()
            let clock = SystemLoadClock()
            let start = clock.nowNanoseconds() &+ 1_000_000
            let target = SlowTarget(1000, stall: (count / 2, nanoseconds))
            _ = try driver(target).driveOpen(
                LoadCursor(0..<count, block: 1), first: 0, schedule, startNanoseconds: start, &sheet)
            return Double(sheet.response.distribution().summary.maxNanoseconds ?? 0)
        }

        /// The medians of two equal subjects that take turns.
        func twins(rounds: Int, calls: Int) throws(AssayError) -> (Double, Double) {
            var sheets = [LatencyByOperation(), LatencyByOperation()]
            let drivers = [driver(SlowTarget(20_000)), driver(SlowTarget(20_000))]
            for round in 0..<rounds {
                for side in 0..<2 {
                    // Whoever comes first in one round comes last in the next.
                    let index = round.isMultiple(of: 2) ? side : 1 - side
                    _ = try drivers[index].timedDrive(LoadCursor(0..<max(1, calls / rounds)), &sheets[index])
                }
            }
            let medians = sheets.map { Double($0.summary(of: .hit, .miss).p50Nanoseconds ?? 0) }
            return (medians[0], medians[1])
        }
    }
}
