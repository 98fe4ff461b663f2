internal import CacheCore

/// What one thread of an open loop collects.
struct OpenLoopSheet: Sendable {
    var response = LatencyCollector()
    var service = LatencyCollector()
    var lag = LatencyCollector()
    /// Delays at the beginning and at the end, which tell whether they grow.
    var first = LagSum()
    var last = LagSum()
    /// When the last answer came.
    var endNanoseconds: UInt64 = 0

    /// The sum of some delays.
    struct LagSum: Sendable {
        var nanoseconds = 0.0
        var count = 0

        /// The mean, 0 without any.
        var mean: Double { count == 0 ? 0 : nanoseconds / Double(count) }

        mutating func add(_ lag: UInt64) {
            nanoseconds += Double(lag)
            count += 1
        }
    }

    /// Adds what another thread has collected.
    mutating func add(_ other: OpenLoopSheet) {
        response.add(other.response)
        service.add(other.service)
        lag.add(other.lag)
        first = LagSum(nanoseconds: first.nanoseconds + other.first.nanoseconds, count: first.count + other.first.count)
        last = LagSum(nanoseconds: last.nanoseconds + other.last.nanoseconds, count: last.count + other.last.count)
        endNanoseconds = max(endNanoseconds, other.endNanoseconds)
    }

    /// A step from what its threads have collected.
    func step(_ schedule: ArrivalSchedule, startNanoseconds: UInt64) -> RateStep {
        let seconds = max(Double(endNanoseconds &- startNanoseconds) / 1e9, 1e-9)
        let answered = Double(lag.operations) / seconds
        // Whoever is late at the end, and later than at the beginning, and has not caught up by answering faster.
        let isLate = last.mean > 2 * first.mean + Self.tolerableNanoseconds
        var step = RateStep(
            requestsPerSecond: schedule.requestsPerSecond, answeredPerSecond: answered,
            isSaturated: isLate && answered < 0.99 * schedule.requestsPerSecond, response: response.distribution(),
            service: service.distribution(), lag: lag.distribution())
        step.traceSpeed = schedule.traceSpeed
        return step
    }

    /// A delay that a machine with other work makes.
    private static var tolerableNanoseconds: Double { 1_000_000 }
}

/// When the requests of an open loop are due.
struct ArrivalSchedule: Sendable {
    /// The rate, in requests a second.
    let requestsPerSecond: Double
    /// From the start of the loop to each request, in nanoseconds.
    let offsets: [UInt64]
    /// How many times as fast as the trace says; nil for a constant rate.
    var traceSpeed: Double?

    /// `count` requests at a rate, at equal distances or at exponentially distributed ones drawn from the seed.
    init(requestsPerSecond: Double, count: Int, arrivals: BenchLoad.Arrivals, seed: UInt64) {
        self.requestsPerSecond = requestsPerSecond
        let distance = 1e9 / requestsPerSecond
        var generator = SeededGenerator(seed: seed)
        var moment = 0.0
        offsets = (0..<count).map { index in
            switch arrivals {
            case .uniform: return UInt64(Double(index) * distance)
            case .poisson:
                defer { moment -= PortableMath.log(1 - generator.nextUnit()) * distance }
                return UInt64(moment)
            }
        }
    }

    /// The requests of a trace from a place on when the trace says, so many times as fast, for so long or until the trace ends; at
    /// most `most`. A request that is earlier than one before it is due together with that one.
    init(times: UnsafeBufferPointer<Int64>, from place: Int, speed: Double, seconds: Double, most: Int) {
        let first = times[place]
        var latest: Int64 = 0
        var offsets: [UInt64] = []
        for time in times[place...].prefix(most) {
            if time > first {
                let (distance, isBeyond) = time.subtractingReportingOverflow(first)
                latest = max(latest, isBeyond ? .max : distance)
            }
            let offset = Double(latest) / speed
            guard offset <= seconds * 1e9 else { break }
            offsets.append(UInt64(offset))
        }
        let isWhole = place + offsets.count == times.count
        let duration = isWhole ? max(Double(offsets.last ?? 0) / 1e9, 1e-6) : seconds
        requestsPerSecond = Double(offsets.count) / duration
        self.offsets = offsets
        traceSpeed = speed
    }
}

extension LoadDriver {
    /// Makes the requests from `first` on when they are due, or as soon after as threads are free, and times them from when
    /// they were due: what waits behind a stall counts as late as it is. A loop of one block a request.
    ///
    /// The value of a hit is verified after its answer; making the value of a miss is part of its load.
    func driveOpen(
        _ cursor: LoadCursor, first: Int, _ schedule: ArrivalSchedule, startNanoseconds: UInt64,
        _ sheet: inout OpenLoopSheet
    ) throws(AssayError) -> LoadCounts {
        var counts = LoadCounts()
        let sixteenth = schedule.offsets.count / 16
        while let position = cursor.nextBlock()?.lowerBound {
            let place = requests.place(position)
            let (id, size) = (requests.columns.ids[place], requests.valueBytes(at: place))
            let due = startNanoseconds &+ schedule.offsets[position - first]
            clock.wait(untilNanoseconds: due)
            let begin = clock.nowNanoseconds()
            var value: [UInt8]?
            switch requests.operation(position, at: place) {
            case .remove:
                counts.removalCalls &+= 1
                if try target.remove(id) { counts.removals &+= 1 }
            case .write:
                counts.writes &+= 1
                try put(id, size, &counts)
            case .read:
                counts.reads &+= 1
                counts.bytesRequested &+= size
                value = try target.get(id)
                if value == nil, requests.loadsMisses {
                    try origin.load(id, at: place) { () throws(AssayError) in try put(id, size, &counts) }
                }
            }
            let end = clock.nowNanoseconds()
            sheet.response.record(end &- due)
            sheet.service.record(end &- begin)
            sheet.lag.record(begin &- due)
            if position - first <= sixteenth { sheet.first.add(begin &- due) }
            if position - first >= schedule.offsets.count - 1 - sixteenth { sheet.last.add(begin &- due) }
            sheet.endNanoseconds = end
            counts.requests &+= 1
            guard let value else { continue }
            if verifies { try verify(value, id, position) }
            counts.hits &+= 1
            counts.bytesHit &+= size
            if requests.reweighs, value.count != size { try put(id, size, &counts) }
        }
        return counts
    }
}
