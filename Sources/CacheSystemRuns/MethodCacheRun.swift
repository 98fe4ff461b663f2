public import CacheCore
internal import CacheEngine
public import CacheHarness
internal import CacheSystems

/// MethodCache under hot methods: a few functions of one cache are called with arguments of which some are asked for far more often.
///
/// The functions do real work, so that the same calls can be made without the cache, past a cache that is switched off, and through one
/// that has a monitor: in blocks between those of the throughput pass. The origin is the function itself.
public final class MethodCacheRun: RunnableSystem {
    /// `method-cache`.
    public static let name = "method-cache"
    /// Calls, arguments and their skew; what a call costs; what is kept and how long.
    public static let settings: [ParameterSpecification] =
        ParameterSpecification.requests(2_000_000, objects: 50_000, exponent: 1) + [
            ParameterSpecification("functions", .integer(default: 4, 1...64), "How many functions share the cache."),
            ParameterSpecification("capacity", .integer(default: 5000, 1...100_000_000), "How many results are kept."),
            ParameterSpecification(
                "result-bytes", .integer(default: 64, 16...1_000_000), "The size of a result, in bytes."),
            ParameterSpecification(
                "work", .integer(default: 1000, 0...10_000_000), "How many rounds a function computes."),
            ParameterSpecification(
                "lifetime-seconds", .number(default: 0, 0...1e9), "How long a result lives in virtual time; 0 for ever."
            ),
            ParameterSpecification(
                "requests-per-second", .integer(default: 100_000, 1...1_000_000_000), "Calls a second of virtual time."),
        ]
    /// It keeps its results in memory.
    public static let keepsFiles = false
    /// Experiments beside its workload.
    public static let probes = MethodCacheProbes.all

    private typealias Function = MemoizedFunction<UInt32, [UInt8], Never>

    private struct Cached {
        let cache: MethodCache
        let functions: [Function]
    }

    private let setup: SystemRunSetup
    private let objects: [UInt32]
    private let work: Work
    private let clock = VirtualClock()
    private let stepNanoseconds: Int64
    private let cost: OriginCounts
    private var main: Cached?
    private var switchedOff: Cached?
    private var monitored: Cached?

    /// Draws the arguments.
    public init(_ setup: SystemRunSetup) throws {
        self.setup = setup
        let values = setup.values
        let count = setup.scaled("objects")
        objects = setup.drawnObjects(setup.scaled("requests"), of: count, exponent: values.number("exponent"))
        work = Work(objects: count, rounds: values.integer("work"), bytes: values.integer("result-bytes"))
        stepNanoseconds = 1_000_000_000 / Int64(values.integer("requests-per-second"))
        cost = OriginCounts(requests: 1, bytes: work.bytes, nanoseconds: 0)
    }

    /// The functions' work.
    private final class Work: Sendable {
        let rounds: Int
        let bytes: Int
        /// What the work on each argument must come to.
        private let expected: [UInt32]
        private let done = EventCounter()
        private let told = EventCounter()

        init(objects: Int, rounds: Int, bytes: Int) {
            self.rounds = rounds
            self.bytes = bytes
            expected = (0..<objects).map { Self.digest(UInt32($0), rounds) }
        }

        var count: Int { done.count }

        private static func digest(_ object: UInt32, _ rounds: Int) -> UInt32 {
            var state = UInt64(object)
            for _ in 0..<rounds { state = mix64(state) }
            return UInt32(truncatingIfNeeded: state)
        }

        /// What a function gives for an argument.
        func result(_ object: UInt32) -> [UInt8] {
            Payload(id: object, version: Self.digest(object, rounds), count: bytes).bytes()
        }

        /// The same, counted.
        func countedResult(_ object: UInt32) -> [UInt8] {
            done.add()
            return result(object)
        }

        func listen(_ event: MethodEvent) { told.add() }

        func verify(_ result: [UInt8], of object: UInt32) throws {
            let payload = Payload(id: object, version: expected[Int(object)], count: bytes)
            try require(payload.matches(result), "a function of \(object) gave another's result")
        }
    }

    private func cached(
        monitor: (@Sendable (MethodEvent) -> Void)? = nil, _ body: @escaping @Sendable (UInt32) -> [UInt8]
    ) throws -> Cached {
        var options = MethodCacheOptions(capacity: .objects(setup.scaled("capacity")))
        let lifetime = setup.values.number("lifetime-seconds")
        if lifetime > 0 { options.expiry = .afterWrite(.nanoseconds(Int64(lifetime * 1e9))) }
        options.clock = clock
        options.seed = setup.seed
        options.monitor = monitor
        let cache = try MethodCache(options, policy: setup.policy)
        return Cached(
            cache: cache,
            functions: (0..<setup.values.integer("functions")).map { _ in cache.memoize(MethodRules(), body) })
    }

    /// Makes the cache and memoises the functions.
    public func open() throws { main = try cached { [work] in work.countedResult($0) } }

    /// How many calls there are.
    public var stepCount: Int { objects.count }
    /// What the functions computed.
    public var origin: OriginCounts {
        OriginCounts(requests: work.count, bytes: work.count * work.bytes, nanoseconds: 0)
    }

    /// Makes some calls.
    public func drive(_ steps: Range<Int>, _ sheet: SystemCallRecorder) throws {
        guard let main else { return }
        for step in steps {
            let object = objects[step]
            clock.advance(nanoseconds: stepNanoseconds)
            let before = work.count
            let start = sheet.begin()
            let result = main.functions[Int(object) % main.functions.count](object)
            let time = sheet.stop(start)
            try work.verify(result, of: object)
            sheet.end(work.count == before ? .hit : .miss, time, bytes: result.count, without: cost)
        }
    }

    /// Past the cache, through one that is switched off, and through one that tells somebody of each call.
    public var alternatives: [String] { ["a plain call", "a cache switched off", "a cache with a monitor"] }

    /// Makes some calls in one of these ways.
    public func drive(_ steps: Range<Int>, alternative: Int) throws {
        switch alternative {
        case 0: for step in steps { try work.verify(work.result(objects[step]), of: objects[step]) }
        case 1:
            if switchedOff == nil {
                switchedOff = try cached { [work] in work.result($0) }
                switchedOff?.cache.isOn = false
            }
            try drive(steps, through: switchedOff)
        default:
            if monitored == nil {
                monitored = try cached(monitor: { [work] in work.listen($0) }) { [work] in work.result($0) }
            }
            try drive(steps, through: monitored)
        }
    }

    private func drive(_ steps: Range<Int>, through cached: Cached?) throws {
        guard let cached else { return }
        for step in steps {
            let object = objects[step]
            try work.verify(cached.functions[Int(object) % cached.functions.count](object), of: object)
        }
    }

    /// The results that are kept.
    public func entries() throws -> Int { main?.cache.count ?? 0 }

    /// What left, and why.
    public func figures() throws -> [SystemFigure] {
        guard let statistics = main?.cache.statistics else { return [] }
        return [
            SystemFigure("results evicted", count: statistics.removals[.evicted, default: 0]),
            SystemFigure("results expired", count: statistics.removals[.expired, default: 0]),
        ]
    }

    /// Closes the cache.
    public func close() throws {
        for cached in [main, switchedOff, monitored] { cached?.cache.close() }
        (main, switchedOff, monitored) = (nil, nil, nil)
    }
}
