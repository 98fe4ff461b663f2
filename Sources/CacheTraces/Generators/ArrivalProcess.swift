internal import CacheCore

/// When the requests of a workload are made, around their mean rate.
public enum ArrivalProcess: Codable, Hashable, Sendable {
    /// At equal intervals.
    case constant
    /// Independently of each other: intervals have an exponential distribution.
    case poisson
    /// As `poisson`, at two rates: each period, from 0.001 to 10^9 seconds, begins with a burst that takes `share` of it, above 0 and
    /// below 1, and has `factor` times the rate of the rest, from 1 to 10^6.
    case bursts(periodSeconds: Double, share: Double, factor: Double)
    /// As `poisson`, at a rate that follows a sine with this period, from 0.001 to 10^9 seconds, and goes up and down by `amplitude` of
    /// the mean, from 0 to 0.99.
    case diurnal(periodSeconds: Double, amplitude: Double)

    /// The name of the process in workload files.
    public var name: String {
        switch self {
        case .constant: "constant"
        case .poisson: "poisson"
        case .bursts: "bursts"
        case .diurnal: "diurnal"
        }
    }

    /// What is wrong with the numbers, nil if nothing is.
    var fault: String? {
        func periodFault(_ seconds: Double) -> String? {
            (0.001...1e9).contains(seconds) ? nil : "period-seconds must be from 0.001 to 1000000000"
        }
        switch self {
        case .constant, .poisson: return nil
        case .bursts(let period, let share, let factor):
            guard share > 0, share < 1 else { return "share must be above 0 and below 1" }
            return (1...1e6).contains(factor) ? periodFault(period) : "factor must be from 1 to 1000000"
        case .diurnal(let period, let amplitude):
            return (0...0.99).contains(amplitude) ? periodFault(period) : "amplitude must be from 0 to 0.99"
        }
    }

    /// The whole process in words, which every number that matters is part of.
    var canonicalText: String {
        switch self {
        case .constant: "constant"
        case .poisson: "poisson"
        case .bursts(let period, let share, let factor): "bursts(period \(period) s, share \(share), factor \(factor))"
        case .diurnal(let period, let amplitude): "diurnal(period \(period) s, amplitude \(amplitude))"
        }
    }
}

/// The times of requests, one after another, in nanoseconds from 0. They stop at 2^62.
struct ArrivalClock {
    private static let last = Int64(1) << 62

    private let process: ArrivalProcess
    private let rate: Double
    private let step: Int64
    private let period: Int64
    private var random: SeededGenerator
    private var time: Int64 = 0
    /// What is left of the time below a nanosecond.
    private var fraction = 0.0

    /// Times of requests at a mean rate in requests a second.
    init(_ process: ArrivalProcess, rate: Double, seed: UInt64) {
        self.process = process
        self.rate = rate
        step = Int64(min(1e9 / rate, 0x1p61).rounded())
        period =
            switch process {
            case .constant, .poisson: 1
            case .bursts(let seconds, _, _), .diurnal(let seconds, _): Int64((seconds * 1e9).rounded())
            }
        random = SeededGenerator(seed: mix64(seed ^ 0x6172_7269_7661_6c73))
    }

    /// The time of the next request.
    mutating func next() -> Int64 {
        defer { advance() }
        return time
    }

    private mutating func advance() {
        guard process != .constant else {
            time = min(time + step, Self.last)
            return
        }
        let gap = -PortableMath.log(1 - random.nextUnit()) / rateNow * 1e9 + fraction
        let whole = min(gap, 0x1p61).rounded(.down)
        fraction = gap - whole < 1 ? gap - whole : 0
        time = min(time + Int64(whole), Self.last)
    }

    /// The rate at the time that an interval begins.
    private var rateNow: Double {
        let phase = Double(time % period) / Double(period)
        switch process {
        case .constant, .poisson: return rate
        case .bursts(_, let share, let factor):
            let quiet = rate / (share * factor + 1 - share)
            return phase < share ? quiet * factor : quiet
        case .diurnal(_, let amplitude): return rate * (1 + amplitude * Self.sine(ofTurns: phase))
        }
    }

    /// The sine of so many whole turns to 13 digits, from additions, multiplications and divisions alone, as in ``PortableMath``.
    static func sine(ofTurns turns: Double) -> Double {
        // Less than half a turn away, then folded where the sine goes down again.
        var part = turns - turns.rounded()
        if part > 0.25 { part = 0.5 - part }
        if part < -0.25 { part = -0.5 - part }
        let angle = part * 6.283_185_307_179_586_5
        let square = angle * angle
        var sum = 1.0
        for factor in stride(from: 18.0, through: 2.0, by: -2.0) { sum = 1 - sum * square / (factor * (factor + 1)) }
        return angle * sum
    }
}
