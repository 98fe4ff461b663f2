internal import CacheCore

extension LiveRun {
    /// Requests of each measured pass.
    var measuredRequests: Int { load.requests ?? requests.traceCount }

    /// The throughput pass: requests as fast as they are answered, and no clock. Returns what the cache counts and what the load does.
    func throughput(
        _ cache: SubjectCache, _ driver: Driver, _ bench: inout BenchTiming
    ) throws(AssayError) -> (counts: ReplayCounts, load: LoadCounts) {
        let warmUp = try warmUp(driver)
        let before = cache.reported
        let positions = warmUp.requests..<warmUp.requests + measuredRequests
        let cursor = LoadCursor(positions)
        let usage = ResourceUsage.now()
        let windows = ThroughputWindows(cursor)
        let counters = HardwareCounters()
        let outcome: LoadThreads.Outcome<LoadCounts>
        do throws(AssayError) {
            outcome = try LoadThreads.run(load.threads, cursor, clock: driver.clock) { (_) throws(AssayError) in
                try driver.drive(cursor)
            }
        } catch {
            _ = windows.finish()
            throw error
        }
        (bench.windows, bench.windowSeconds) = windows.finish()
        var resources = ResourceUsage.between(usage, ResourceUsage.now())
        (resources.instructions, resources.cycles) = (counters.instructions, counters.cycles)
        resources.cacheMisses = counters.cacheMisses
        bench.resources = resources
        bench.isSteady = ThroughputWindows.isSteady(bench.windows)
        bench.warmUpRequests = warmUp.requests
        bench.seconds = outcome.seconds
        let measured = outcome.results.reduce(into: LoadCounts()) { $0 += $1 }
        let removals = warmUp.removals + measured.removals
        return (try cache.counts(measured, removals: removals, before: before), measured)
    }

    /// The latency pass: the same requests, of which a sample is timed where calls are fast.
    ///
    /// - Parameter expected: What the throughput pass did, by which each operation gets as large a sample as it needs.
    func latency(
        _ cache: SubjectCache, _ driver: Driver, expected: LoadCounts, isSampled: Bool
    ) throws(AssayError) -> LatencyByOperation {
        let warmUp = try warmUp(driver)
        let cursor = LoadCursor(warmUp.requests..<warmUp.requests + measuredRequests)
        let seed = subject.configuration.seed
        let outcome = try LoadThreads.run(load.threads, cursor, clock: driver.clock) { (thread) throws(AssayError) in
            var sheet = LatencyByOperation(expected: expected, isSampled: isSampled, seed: seed &+ UInt64(thread))
            let counts = try driver.timedDrive(cursor, &sheet)
            return (sheet, counts)
        }
        var sheet = LatencyByOperation(expected: expected, isSampled: isSampled, seed: seed)
        for (part, _) in outcome.results { sheet.add(part) }
        _ = try cache.counts(
            LoadCounts(), removals: outcome.results.reduce(warmUp.removals) { $0 + $1.1.removals })
        return sheet
    }

    /// The open loop: requests when they are due, at each rate, at the trace's own times, and at the rates by which the knee is
    /// found. The cache stays as it is from step to step.
    func openLoop(_ driver: Driver, closedLoopRate: Double, _ bench: inout BenchTiming) throws(AssayError) {
        var first = try warmUp(driver).requests
        func step(_ schedule: ArrivalSchedule) throws(AssayError) -> RateStep {
            let made = try openStep(driver, first: first, schedule)
            first += made.lag.summary.operations
            return made
        }
        func step(_ rate: Double, fewest: Int = 1) throws(AssayError) -> RateStep {
            let most = Int((rate * load.stepSeconds * Self.longestStep).rounded())
            return try step(
                ArrivalSchedule(
                    requestsPerSecond: rate, count: max(1, Int(rate * load.stepSeconds), min(fewest, most)),
                    arrivals: load.arrivals, seed: subject.configuration.seed &+ UInt64(first)))
        }
        for rate in load.rates { bench.steps.append(try step(rate)) }
        for speed in load.traceSpeeds ?? [] { bench.steps.append(try step(traceSchedule(from: first, speed))) }
        guard let target = load.kneeTarget else { return }
        // Where a closed loop is at its limit an open one is beyond.
        let fewest = LatencySummary.fewestSamples(percentile: target.percentile)
        let search = KneeSearch(
            target: target, firstRate: closedLoopRate / 16,
            leastRate: Double(fewest) / (load.stepSeconds * Self.longestStep))
        let found = try search.run { (rate) throws(AssayError) in try step(rate, fewest: fewest) }
        bench.kneeRequestsPerSecond = found.requestsPerSecond
        bench.steps += found.steps
    }

    /// How many times as long as asked for a step may take so that it carries its percentile.
    private static var longestStep: Double { 10 }

    /// The most requests of a step.
    package static var stepRequestsMax: Int { 100_000_000 }

    /// The requests from a position on when the trace says, so many times as fast.
    private func traceSchedule(from first: Int, _ speed: Double) throws(AssayError) -> ArrivalSchedule {
        guard let times = requests.columns.times else {
            throw AssayError(.usage, "the trace states no times, so --rate trace has none to keep to")
        }
        let schedule = ArrivalSchedule(
            times: times, from: requests.place(first), speed: speed, seconds: load.stepSeconds,
            most: Self.stepRequestsMax + 1)
        guard schedule.offsets.count <= Self.stepRequestsMax else {
            throw AssayError(
                .usage,
                "a step at the trace's own times has more than \(Self.stepRequestsMax) requests; shorten --step-seconds"
            )
        }
        return schedule
    }

    private func openStep(_ driver: Driver, first: Int, _ schedule: ArrivalSchedule) throws(AssayError) -> RateStep {
        let cursor = LoadCursor(first..<first + schedule.offsets.count, block: 1)
        // Late enough for every thread to be there.
        let start = driver.clock.nowNanoseconds() &+ 10_000_000
        let outcome = try LoadThreads.run(load.threads, cursor, clock: driver.clock) { (_) throws(AssayError) in
            var sheet = OpenLoopSheet()
            _ = try driver.driveOpen(cursor, first: first, schedule, startNanoseconds: start, &sheet)
            return sheet
        }
        return outcome.results.reduce(into: OpenLoopSheet()) { $0.add($1) }.step(schedule, startNanoseconds: start)
    }

    /// Makes the requests that come before the measured ones; returns their number and the objects that they removed.
    private func warmUp(_ driver: Driver) throws(AssayError) -> (requests: Int, removals: Int) {
        func drive(_ positions: Range<Int>) throws(AssayError) -> LoadCounts {
            let cursor = LoadCursor(positions)
            return try LoadThreads.run(load.threads, cursor, clock: driver.clock) { (_) throws(AssayError) in
                try driver.drive(cursor)
            }.results.reduce(into: LoadCounts()) { $0 += $1 }
        }
        switch load.warmUp {
        case .requests(let count):
            guard count > 0 else { return (0, 0) }
            return (count, try drive(0..<count).removals)
        case .steady:
            let eighth = max(1, requests.traceCount / 8)
            var (done, removals) = (0, 0)
            var former: Double?
            while done < 2 * requests.traceCount {
                let counts = try drive(done..<done + eighth)
                done += eighth
                removals += counts.removals
                let ratio = Double(counts.hits) / Double(eighth)
                if let former, abs(ratio - former) < 0.005 { break }
                former = ratio
            }
            return (done, removals)
        }
    }
}
