import ArgumentParser
package import CacheCore
import Foundation

/// The options that say which load a bench puts on its subjects.
package struct LoadSelection: ParsableArguments {
    @Option(help: ArgumentHelp("Threads that make requests.", valueName: "number"))
    var threads = 1

    @Option(
        help: ArgumentHelp(
            "Requests of each pass for throughput and latency (default: the trace once). A shorter trace is repeated. Memory and "
                + "lifecycle make the trace once.",
            valueName: "number"))
    var requests: Int?

    @Option(
        help: ArgumentHelp(
            "Requests before the measured ones: a number, or 'steady' for until the hit ratio stays.",
            valueName: "number|steady"),
        transform: Self.warmUp)
    var warmUp: BenchLoad.WarmUp = .requests(0)

    @Option(
        help: ArgumentHelp(
            "Who loads a missed object: look-aside, every thread that misses; read-through, one for all; trace, nobody, so "
                + "that the writes that the trace states alone store (default: trace where there are writes, otherwise "
                + "look-aside).",
            valueName: "loading"),
        transform: { try Self.choice($0, "--loading") })
    var loading: BenchLoad.Loading?

    @Option(
        help: ArgumentHelp(
            "What the simulated origin takes for a load: 1ms, lognormal:1ms,sigma=0.5 around a median, or trace:1us for "
                + "the costs that the trace states, in that unit.",
            valueName: "time"),
        transform: Self.missCost)
    var missCost = BenchLoad.MissCost()

    @Option(
        help: ArgumentHelp(
            "The share of the requests that remove their object rather than read it, as 1%.", valueName: "share"),
        transform: Selection.share)
    var removals = 0.0

    @Option(
        help: ArgumentHelp(
            "How compressible values are: a good compressor leaves one part in this many.", valueName: "ratio"))
    var compressible = 1.0

    @Flag(inversion: .prefixedNo, help: "Compare every hit with what was written.")
    var verify = true

    @Option(
        help: ArgumentHelp(
            "Open loop: requests are due at this rate a second whether or not others are answered, or at the trace's own "
                + "times (trace), or so many times as fast (trace:10x); several, separated by commas, one after another.",
            valueName: "rates"),
        transform: Self.rates)
    var rate: [Pace] = []

    /// When requests of one step of the open loop are due.
    enum Pace {
        /// So many a second.
        case rate(Double)
        /// When the trace says, so many times as fast.
        case trace(speed: Double)
    }

    @Option(
        help: ArgumentHelp("When requests of a rate are due: poisson or uniform.", valueName: "arrivals"),
        transform: { try Self.choice($0, "--arrivals") })
    var arrivals: BenchLoad.Arrivals = .poisson

    @Option(
        help: ArgumentHelp(
            "How long each rate of the open loop is kept up; for --find-knee up to ten times as long, until enough are answered.",
            valueName: "seconds"))
    var stepSeconds = 5.0

    @Option(
        help: ArgumentHelp(
            "Find the highest rate at which a percentile of the response time holds, as p99=1ms.",
            valueName: "percentile=time"),
        transform: Self.kneeTarget)
    var findKnee: BenchLoad.KneeTarget?

    package init() {}

    package func validate() throws {
        func require(_ holds: Bool, _ message: String) throws { if !holds { throw ValidationError(message) } }
        try require((1...1024).contains(threads), "--threads must be from 1 to 1024.")
        try require(requests.map { $0 > 0 } ?? true, "--requests must be at least 1.")
        try require(compressible >= 1 && compressible <= 64, "--compressible must be from 1 to 64.")
        try require(stepSeconds > 0 && stepSeconds <= 3600, "--step-seconds must be above 0 and at most 3600.")
        try require(
            loading != .trace || removals == 0,
            "--loading trace removes what the trace says; --removals is for the other ways of loading.")
        try require(
            arrivals == .poisson || !rates.isEmpty || findKnee != nil,
            "--arrivals is for rates: add --rate 2000 or --find-knee p99=1ms.")
        let most = rates.max() ?? 0
        try require(
            most * stepSeconds <= 1e8,
            "a step of \(Int(most * stepSeconds)) requests is too long; shorten --step-seconds.")
    }

    private var rates: [Double] {
        rate.compactMap { if case .rate(let rate) = $0 { rate } else { nil } }
    }

    private var traceSpeeds: [Double]? {
        let speeds: [Double] = rate.compactMap { if case .trace(let speed) = $0 { speed } else { nil } }
        return speeds.isEmpty ? nil : speeds
    }

    /// The load that the options describe.
    package var load: BenchLoad {
        var load = BenchLoad()
        load.threads = threads
        load.requests = requests
        load.warmUp = warmUp
        load.loading = loading ?? .lookAside
        load.onMiss = loading.map { $0 == .trace ? .nothing : .fill }
        load.missCost = missCost
        load.removeShare = removals
        load.compressionRatio = compressible
        load.verifies = verify
        load.rates = rates
        load.traceSpeeds = traceSpeeds
        load.arrivals = arrivals
        load.stepSeconds = stepSeconds
        load.kneeTarget = findKnee
        return load
    }
}

// How the options are read.
extension LoadSelection {
    /// One of a few words.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String, _ option: String
    ) throws -> Choice {
        if let choice = Choice(rawValue: text) { return choice }
        let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(text)' is nothing for \(option); choose from \(known).")
    }

    /// `250us`, `1ms`, `2s` in nanoseconds.
    static func nanoseconds(_ text: String) throws -> Double {
        let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)]
        for (unit, factor) in units where text.hasSuffix(unit) {
            if let value = Double(text.dropLast(unit.count)), value.isFinite, value >= 0, value * factor <= 6e11 {
                return value * factor
            }
        }
        throw ValidationError("'\(text)' is not a time; write 250us, 1ms or 2s, up to 600s.")
    }

    static func warmUp(_ text: String) throws -> BenchLoad.WarmUp {
        if text == "steady" { return .steady }
        if let count = Int(text), count >= 0 { return .requests(count) }
        throw ValidationError("'\(text)' is no warm-up; write a number of requests, or steady.")
    }

    static func missCost(_ text: String) throws -> BenchLoad.MissCost {
        if text.hasPrefix("trace:") {
            return BenchLoad.MissCost(traceUnitNanoseconds: try nanoseconds(String(text.dropFirst("trace:".count))))
        }
        guard text.hasPrefix("lognormal:") else {
            return BenchLoad.MissCost(medianNanoseconds: try nanoseconds(text))
        }
        let parts = text.dropFirst("lognormal:".count).split(separator: ",").map(String.init)
        guard let median = parts.first, parts.count <= 2 else {
            throw ValidationError("'\(text)' is no cost; write lognormal:1ms,sigma=0.5.")
        }
        let sigma = parts.count == 1 ? 1 : parts[1].hasPrefix("sigma=") ? Double(parts[1].dropFirst(6)) : nil
        guard let sigma, sigma >= 0, sigma <= 10 else {
            throw ValidationError("'\(text)' is no cost; write lognormal:1ms,sigma=0.5, with a sigma up to 10.")
        }
        return BenchLoad.MissCost(medianNanoseconds: try nanoseconds(median), sigma: sigma)
    }

    static func rates(_ text: String) throws -> [Pace] {
        let items = text.split(separator: ",")
        guard !items.isEmpty else {
            throw ValidationError("'\(text)' names no rate; write requests a second, as 5000.")
        }
        return try items.map { item in
            if item == "trace" { return .trace(speed: 1) }
            if item.hasPrefix("trace:") {
                let factor = item.dropFirst("trace:".count)
                guard let speed = Double(factor.hasSuffix("x") ? factor.dropLast() : factor), speed >= 1e-6,
                    speed <= 1e9
                else {
                    throw ValidationError("'\(item)' is not a pace; write trace, or trace:10x for ten times as fast.")
                }
                return .trace(speed: speed)
            }
            guard let rate = Double(item), rate > 0, rate <= 1e8 else {
                throw ValidationError(
                    "'\(item)' is not a rate; write requests a second, as 5000, up to 100000000, or trace, or trace:10x."
                )
            }
            return .rate(rate)
        }
    }

    static func kneeTarget(_ text: String) throws -> BenchLoad.KneeTarget {
        let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard sides.count == 2, sides[0].hasPrefix("p"), let percentile = Double(sides[0].dropFirst()),
            percentile > 0, percentile <= 100
        else { throw ValidationError("'\(text)' is no promise; write p99=1ms.") }
        return BenchLoad.KneeTarget(percentile: percentile, nanoseconds: Int(try nanoseconds(sides[1])))
    }
}
