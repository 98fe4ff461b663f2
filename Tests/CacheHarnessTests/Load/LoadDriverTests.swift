import CacheCore
import Synchronization
import Testing

@testable import CacheHarness

/// A clock that stands still until something takes time.
final class VirtualLoadClock: LoadClock {
    private let now = Mutex<UInt64>(1_000_000_000)

    func nowNanoseconds() -> UInt64 { now.withLock { $0 } }
    func wait(untilNanoseconds moment: UInt64) { now.withLock { $0 = max($0, moment) } }
    func advance(by nanoseconds: UInt64) { now.withLock { $0 += nanoseconds } }
}

/// A subject that keeps everything and whose calls take a known time: a fixed one each, and a stall at one read.
final class DelayedTarget: LoadTarget {
    private let clock: VirtualLoadClock
    private let readNanoseconds: UInt64
    private let writeNanoseconds: UInt64
    private let stall: (read: Int, nanoseconds: UInt64)?
    private let state = Mutex<(reads: Int, values: [ObjectID: [UInt8]])>((0, [:]))

    init(
        _ clock: VirtualLoadClock, read: UInt64, write: UInt64 = 0, stall: (read: Int, nanoseconds: UInt64)? = nil
    ) {
        self.clock = clock
        self.stall = stall
        readNanoseconds = read
        writeNanoseconds = write
    }

    func get(_ id: ObjectID) throws(AssayError) -> [UInt8]? {
        let (read, value) = state.withLock { state in
            state.reads += 1
            return (state.reads - 1, state.values[id])
        }
        clock.advance(by: readNanoseconds)
        if let stall, read == stall.read { clock.advance(by: stall.nanoseconds) }
        return value
    }

    func put(_ id: ObjectID, _ offer: PayloadLedger.Offer) throws(AssayError) -> (isStored: Bool, evictions: Int) {
        state.withLock { $0.values[id] = offer.value }
        clock.advance(by: writeNanoseconds)
        return (true, Int(id) % 2)
    }

    func remove(_ id: ObjectID) throws(AssayError) -> Bool {
        clock.advance(by: 7)
        return state.withLock { $0.values.removeValue(forKey: id) } != nil
    }
}

@Suite("LoadDriver: known delays are measured as they are")
struct LoadDriverTests {
    typealias Driver = LoadDriver<DelayedTarget, VirtualLoadClock>

    static func driver(
        _ trace: MemoryTrace, _ target: DelayedTarget, _ clock: VirtualLoadClock, _ load: BenchLoad = BenchLoad()
    ) -> Driver {
        Driver(
            load, target,
            LoadRequests(trace.columns, valueBytes: 64, removeShare: load.removeShare),
            PayloadLedger(keys: trace.keys), seed: 1, clock: clock)
    }

    /// Ten objects, each read a hundred times.
    static let trace = MemoryTrace(ids: (0..<1000).map { ObjectID($0 % 10) })

    @Test func `injected delays are found exactly, by operation and outcome`() throws {
        let clock = VirtualLoadClock()
        let driver = Self.driver(Self.trace, DelayedTarget(clock, read: 20_000, write: 50_000), clock)
        var sheet = LatencyByOperation()
        let counts = try driver.timedDrive(LoadCursor(0..<1000), &sheet)
        #expect(counts.requests == 1000 && counts.hits == 990)
        let latency = sheet.latency()
        #expect(latency.map(\.operation) == [.hit, .miss, .put, .evictingPut])
        #expect(latency.map(\.distribution.summary.samples) == [990, 10, 5, 5])
        for (found, injected) in zip(latency, [20_000.0, 20_000, 50_000, 50_000]) {
            let slowest = try #require(found.distribution.summary.maxNanoseconds)
            #expect(abs(Double(slowest) - injected) <= injected / 1000)
            let mean = try #require(found.distribution.meanNanoseconds)
            #expect(mean > 0.98 * injected && mean < 1.02 * injected)
            // 990 samples carry a median and a p90, and neither 10 nor 5 do.
            #expect((found.distribution.summary.p50Nanoseconds != nil) == (found.operation == .hit))
            #expect(found.distribution.summary.p99Nanoseconds == nil)
        }
    }

    @Test func `a sample of the calls finds the same delay`() throws {
        let clock = VirtualLoadClock()
        let driver = Self.driver(Self.trace, DelayedTarget(clock, read: 20_000), clock)
        var expected = LoadCounts()
        (expected.reads, expected.hits) = (
            16 * StratifiedSampler.wantedSamples, 16 * StratifiedSampler.wantedSamples - 10
        )
        var sheet = LatencyByOperation(expected: expected, isSampled: true, seed: 1)
        _ = try driver.timedDrive(LoadCursor(0..<1000), &sheet)
        let latency = sheet.latency()
        let hit = try #require(latency.first).distribution
        #expect(hit.summary.operations == 990 && (30...120).contains(hit.summary.samples))
        #expect(abs(try #require(hit.summary.p50Nanoseconds) - 20_000) <= 20)
        // A rare outcome is timed every time.
        #expect(latency[1].operation == .miss && latency[1].distribution.summary.samples == 10)
    }

    /// 50 ms during which 500 requests come due, at 10 000 a second and 20 µs each.
    private static let stall = (read: 5000, nanoseconds: UInt64(50_000_000))
    private static let longTrace = MemoryTrace(ids: (0..<20_000).map { ObjectID($0 % 10) })

    @Test func `in open loop a stall counts in full for everybody who waits behind it`() throws {
        let clock = VirtualLoadClock()
        let driver = Self.driver(
            Self.longTrace, DelayedTarget(clock, read: 20_000, stall: Self.stall), clock)
        let schedule = ArrivalSchedule(requestsPerSecond: 10_000, count: 20_000, arrivals: .uniform, seed: 1)
        var sheet = OpenLoopSheet()
        let start = clock.nowNanoseconds()
        _ = try driver.driveOpen(
            LoadCursor(0..<20_000, block: 1), first: 0, schedule, startNanoseconds: start, &sheet)
        let step = sheet.step(schedule, startNanoseconds: start)
        func isNear(_ value: Int, _ expected: Double) -> Bool { abs(Double(value) - expected) <= 0.002 * expected }
        #expect(isNear(try #require(step.response.summary.maxNanoseconds), 50_020_000))
        #expect(isNear(try #require(step.service.summary.maxNanoseconds), 50_020_000))
        // The next request comes due 100 µs after the one that stalls.
        #expect(isNear(try #require(step.lag.summary.maxNanoseconds), 49_920_000))
        // Each later one gains 80 µs: 625 wait before the last has caught up.
        let late = zip(step.response.values, step.response.counts).reduce(0) { $0 + ($1.0 > 21_000 ? $1.1 : 0) }
        #expect((624...627).contains(late))
        // Of 20 000, 1 % are 200: the 200th longest wait.
        #expect(isNear(try #require(step.response.summary.p99Nanoseconds), 34_020_000))
        #expect(!step.isSaturated)
        #expect(abs(step.answeredPerSecond - 10_000) < 50)
        // A closed loop sees the stall once and forgets who waited.
        #expect(isNear(try #require(step.service.summary.p999Nanoseconds), 20_000))
    }

    @Test func `requests at the trace's own times are due when it says, faster if asked`() throws {
        func schedule(_ times: [Int64], from place: Int = 0, speed: Double = 1, seconds: Double = 100, most: Int = 99)
            -> ArrivalSchedule
        {
            times.withUnsafeBufferPointer {
                ArrivalSchedule(times: $0, from: place, speed: speed, seconds: seconds, most: most)
            }
        }
        let second = Int64(1_000_000_000)
        let plain = schedule([5, 5 + second, 5 + 4 * second])
        #expect(plain.offsets == [0, 1_000_000_000, 4_000_000_000])
        #expect(plain.requestsPerSecond == 0.75 && plain.traceSpeed == 1)
        #expect(schedule([5, 5 + second, 5 + 4 * second], speed: 10).offsets == [0, 100_000_000, 400_000_000])
        #expect(schedule([0, second, 4 * second], from: 1).offsets == [0, 3_000_000_000])
        // Only what is due within the step, whose rate is then over its whole time.
        let cut = schedule([0, second, 2 * second, 9 * second], seconds: 4)
        #expect(cut.offsets.count == 3 && cut.requestsPerSecond == 0.75)
        // Early requests are due with those before them; negative times are as good as others.
        #expect(schedule([-50, -20, -60, -10]).offsets == [0, 30, 30, 40])
        #expect(schedule([.min, .max], speed: 1e9).offsets == [0, 9_223_372_036])
        #expect(schedule([.max, .min, .max]).offsets == [0, 0, 0])
        #expect(schedule([1, 2, 3], most: 2).offsets.count == 2)
    }

    @Test func `a step at the trace's own times waits for what is not due yet`() throws {
        let clock = VirtualLoadClock()
        let driver = Self.driver(Self.trace, DelayedTarget(clock, read: 20_000), clock)
        let times = (0..<1000).map { Int64($0) * 1_000_000 }
        let schedule = times.withUnsafeBufferPointer {
            ArrivalSchedule(times: $0, from: 0, speed: 2, seconds: 10, most: .max)
        }
        var sheet = OpenLoopSheet()
        let start = clock.nowNanoseconds()
        _ = try driver.driveOpen(
            LoadCursor(0..<1000, block: 1), first: 0, schedule, startNanoseconds: start, &sheet)
        let step = sheet.step(schedule, startNanoseconds: start)
        #expect(step.traceSpeed == 2 && !step.isSaturated)
        #expect(step.lag.summary.maxNanoseconds == 0)
        // The last is due after 499.5 ms.
        #expect(sheet.endNanoseconds - start == 499_500_000 + 20_000)
    }

    @Test func `a rate that cannot be followed is called saturated`() throws {
        let clock = VirtualLoadClock()
        let driver = Self.driver(Self.longTrace, DelayedTarget(clock, read: 20_000), clock)
        for (rate, isSaturated) in [(49_000.0, false), (60_000, true)] {
            let schedule = ArrivalSchedule(requestsPerSecond: rate, count: 20_000, arrivals: .uniform, seed: 1)
            var sheet = OpenLoopSheet()
            let start = clock.nowNanoseconds()
            _ = try driver.driveOpen(
                LoadCursor(0..<20_000, block: 1), first: 0, schedule, startNanoseconds: start, &sheet)
            #expect(sheet.step(schedule, startNanoseconds: start).isSaturated == isSaturated)
        }
    }

    @Test func `removals are the asked share and are timed`() throws {
        let clock = VirtualLoadClock()
        var load = BenchLoad()
        load.removeShare = 0.1
        let driver = Self.driver(Self.longTrace, DelayedTarget(clock, read: 20), clock, load)
        var sheet = LatencyByOperation()
        let counts = try driver.timedDrive(LoadCursor(0..<20_000), &sheet)
        let removals = try #require(sheet.latency().first { $0.operation == .remove }).distribution.summary
        #expect((1800...2200).contains(removals.operations) && removals.p50Nanoseconds == 7)
        #expect(counts.removals <= removals.operations && counts.removals > 0)
        #expect(try driver.drive(LoadCursor(0..<20_000)).requests == 20_000)
    }

    @Test func `a miss costs what the origin costs, and the median of a log-normal cost is what was asked`() throws {
        let clock = VirtualLoadClock()
        var load = BenchLoad()
        load.missCost = BenchLoad.MissCost(medianNanoseconds: 1_000_000, sigma: 0.5)
        let origin = LoadOrigin(load, Self.trace.columns, seed: 1, clock: clock)
        let costs = (0..<20_001).map { Double(origin.nanoseconds(of: $0, at: 0)) }.sorted()
        #expect(abs(costs[10_000] - 1_000_000) < 20_000)
        // One standard deviation above the median: e^0.5 times as much.
        #expect(abs(costs[16_827] - 1_648_721) < 50_000)
        let before = clock.nowNanoseconds()
        try origin.load(7, at: 0) {}
        #expect(clock.nowNanoseconds() - before == origin.nanoseconds(of: 7, at: 0))
    }

    /// The columns of a trace with operations and costs.
    private static func columns(
        _ trace: MemoryTrace, operations: UnsafeBufferPointer<UInt8>? = nil, costs: UnsafeBufferPointer<Double>? = nil
    ) -> RequestColumns {
        RequestColumns(
            ids: trace.columns.ids, sizes: nil, costs: costs, operations: operations, objects: trace.columns.objects,
            owner: trace.columns.owner)
    }

    @Test func `a miss costs what the trace says at that request`() throws {
        let clock = VirtualLoadClock()
        var load = BenchLoad()
        load.missCost = BenchLoad.MissCost(traceUnitNanoseconds: 1000)
        let costs: [Double] = [3, 5, 0.5, 7]
        let trace = MemoryTrace(ids: [0, 1, 2, 0])
        let elapsed = try costs.withUnsafeBufferPointer { costs in
            let columns = Self.columns(trace, costs: costs)
            let driver = Driver(
                load, DelayedTarget(clock, read: 0), LoadRequests(columns, valueBytes: 64),
                PayloadLedger(keys: trace.keys),
                seed: 1, clock: clock)
            let before = clock.nowNanoseconds()
            _ = try driver.drive(LoadCursor(0..<4))
            return clock.nowNanoseconds() - before
        }
        // The last request is a hit.
        #expect(elapsed == 8500)
    }

    @Test func `the trace's own operations are made and no others, in every loop`() throws {
        var generator = SeededGenerator(seed: 1)
        let ids = (0..<5000).map { _ in ObjectID(generator.next(below: 50)) }
        let operations = ids.map { _ in UInt8(generator.next(below: 3)) }
        var expected = LoadCounts()
        var resident: Set<ObjectID> = []
        for (id, operation) in zip(ids, operations) {
            expected.requests += 1
            switch TraceOperation(rawValue: operation) {
            case .write:
                expected.writes += 1
                resident.insert(id)
                expected.offers += 1
                expected.bytesWritten += 64
                // The target says of odd objects that they evict one.
                if !id.isMultiple(of: 2) { expected.evictingOffers += 1 }
            case .remove:
                expected.removalCalls += 1
                if resident.remove(id) != nil { expected.removals += 1 }
            default:
                expected.reads += 1
                expected.bytesRequested += 64
                if resident.contains(id) {
                    expected.hits += 1
                    expected.bytesHit += 64
                }
            }
        }
        let trace = MemoryTrace(ids: ids)
        try operations.withUnsafeBufferPointer { operations in
            func driver(_ clock: VirtualLoadClock) -> Driver {
                Driver(
                    BenchLoad(), DelayedTarget(clock, read: 10),
                    LoadRequests(Self.columns(trace, operations: operations), valueBytes: 64),
                    PayloadLedger(keys: trace.keys), seed: 1, clock: clock)
            }
            #expect(try driver(VirtualLoadClock()).drive(LoadCursor(0..<5000)) == expected)
            var sheet = LatencyByOperation()
            #expect(try driver(VirtualLoadClock()).timedDrive(LoadCursor(0..<5000), &sheet) == expected)
            #expect(sheet.latency().reduce(0) { $0 + $1.distribution.summary.operations } == 5000)
            let schedule = ArrivalSchedule(requestsPerSecond: 1e6, count: 5000, arrivals: .uniform, seed: 1)
            var open = OpenLoopSheet()
            let clock = VirtualLoadClock()
            let counts = try driver(clock).driveOpen(
                LoadCursor(0..<5000, block: 1), first: 0, schedule, startNanoseconds: clock.nowNanoseconds(), &open)
            #expect(counts == expected)
        }
    }

    @Test func `positions beyond the trace begin it again, and every position is dealt out once`() throws {
        let clock = VirtualLoadClock()
        let driver = Self.driver(Self.trace, DelayedTarget(clock, read: 1), clock)
        #expect(try driver.drive(LoadCursor(990..<2500)).hits == 1500)
        let cursor = LoadCursor(0..<10_000)
        let outcome = try LoadThreads.run(4, cursor, clock: clock) { (_) throws(AssayError) in
            var seen: [Int] = []
            while let block = cursor.nextBlock() { seen += block }
            return seen
        }
        #expect(outcome.results.flatMap(\.self).sorted() == Array(0..<10_000))
    }

    @Test func `the error of one thread ends all and is thrown`() {
        let cursor = LoadCursor(0..<Int.max / 2)
        let error = #expect(throws: AssayError.self) {
            try LoadThreads.run(3, cursor, clock: SystemLoadClock()) { (thread) throws(AssayError) in
                if thread == 1 { throw AssayError(.verdict, "wrong") }
                while cursor.nextBlock() != nil {}
                return 0
            }
        }
        #expect(error?.code == .verdict)
    }
}
