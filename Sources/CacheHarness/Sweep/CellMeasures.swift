public import CacheCore
internal import Foundation

/// A part of a trace as a person asks for it: a number of requests (`500`), a share of them (`10%` or `0.1`) or a time (`1h`).
public enum TraceExtent: Sendable, Hashable {
    /// That many requests, whatever they do.
    case requests(Int)
    /// That share of the requests, from 0 to 100 %.
    case share(percent: Double)
    /// That much of the time that the trace states, in nanoseconds.
    case time(nanoseconds: Int64)

    /// Reads an extent; nil for anything else. Times are of `ns`, `us`, `ms`, `s`, `min`, `h` and `d`.
    public init?(parsing text: String) {
        if let count = Int(text) {
            guard count >= 0 else { return nil }
            self = .requests(count)
        } else if text.allSatisfy({ $0.isNumber || $0 == "." }) {
            guard let share = Double(text), (0...1).contains(share) else { return nil }
            self = .share(percent: share * 100)
        } else if text.hasSuffix("%") {
            let digits = text.dropLast().trimmingCharacters(in: .whitespaces)
            guard let percent = Double(digits), (0...100).contains(percent) else { return nil }
            self = .share(percent: percent)
        } else {
            guard let nanoseconds = Self.nanoseconds(text) else { return nil }
            self = .time(nanoseconds: nanoseconds)
        }
    }

    /// A time of at most 2^53 nanoseconds, which are 104 days, or up to 292 years in longer units.
    private static func nanoseconds(_ text: String) -> Int64? {
        let units: [(name: String, factor: Double)] = [
            ("ns", 1), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("min", 60e9), ("s", 1e9), ("m", 60e9), ("h", 3600e9),
            ("d", 86_400e9),
        ]
        let digits = text.prefix { $0.isNumber || $0 == "." }
        guard let unit = units.first(where: { $0.name == text.dropFirst(digits.count) }), let number = Double(digits),
            number > 0, number * unit.factor >= 1, number * unit.factor < 0x1p63
        else { return nil }
        return Int64(number * unit.factor)
    }
}

/// What is to be counted of each combination, as a person asks for it.
public struct MeasureRequest: Sendable, Hashable {
    /// What comes before the counted requests.
    public var warmUp: TraceExtent?
    /// The warm-up as it was written.
    public var warmUpText = ""
    /// How many windows the counted requests are split into, or how long each is.
    public var windows: TraceExtent?
    /// Whether tenants are told apart.
    public var byTenant = false

    /// The totals of the whole trace.
    public init() {}

    /// The most windows of a trace.
    public static let windowsMax = 10_000

    /// What is to be counted of combinations with a trace.
    ///
    /// - Throws: `AssayError` with code `usage` for a warm-up that leaves nothing to count, for windows that cannot be made, and
    ///   for what the trace does not state.
    public func resolved(on trace: SweepTrace, rules: ReplayRules = ReplayRules()) throws(AssayError) -> CellMeasures {
        var measures = CellMeasures()
        if let warmUp {
            let first = try first(after: warmUp, trace)
            measures.warmUp = first == 0 ? nil : CellWarmUp(requested: warmUpText, requests: first)
            try requireRest(from: first, trace, rules)
        }
        if let windows { (measures.windows, measures.windowSeconds) = try split(windows, measures.first, trace) }
        if byTenant {
            guard trace.columns.tenants != nil else {
                throw AssayError(
                    .usage,
                    "\(trace.description.name) states no tenants. Name their column with --format csv:key=1,tenant=2 or the "
                        + "like, or leave --by-tenant out.", at: .init("--by-tenant"))
            }
            measures.tenants = trace.tenants
        }
        let early = dependsOnTimes ? trace.columns.earlyRequests : 0
        if early > 0 {
            measures.notes = [
                "Requests of the trace that are earlier than one before them: \(early). They are counted where that one is."
            ]
        }
        return measures
    }

    private var dependsOnTimes: Bool {
        [warmUp, windows].contains { if case .time = $0 { true } else { false } }
    }

    /// The position of the first request that is counted.
    private func first(after extent: TraceExtent, _ trace: SweepTrace) throws(AssayError) -> Int {
        let count = trace.columns.ids.count
        switch extent {
        case .requests(let requests): return requests
        case .share(let percent): return Int((Double(count) * percent / 100).rounded())
        case .time(let nanoseconds):
            let times = try Self.times(of: trace, for: "--warm-up")
            let (start, isBeyond) = times[0].addingReportingOverflow(nanoseconds)
            return isBeyond ? count : times.firstIndex { $0 >= start } ?? count
        }
    }

    private func requireRest(from first: Int, _ trace: SweepTrace, _ rules: ReplayRules) throws(AssayError) {
        let columns = trace.columns
        let isEmpty =
            first >= columns.ids.count
            || (columns.operations != nil
                && !(first..<columns.ids.count).contains { rules.counts(columns.operation(at: $0)) })
        guard isEmpty else { return }
        throw AssayError(
            .usage,
            "A warm-up of \(warmUpText) leaves nothing of \(trace.description.name) to count, which has "
                + "\(columns.ids.count) requests. Give a shorter one.", at: .init("--warm-up"))
    }

    /// The first position of each window, and when each begins.
    private func split(
        _ windows: TraceExtent, _ first: Int, _ trace: SweepTrace
    ) throws(AssayError) -> (starts: [Int], seconds: [Double]) {
        let count = trace.columns.ids.count
        switch windows {
        case .time(let nanoseconds): return try split(each: nanoseconds, first, trace)
        case .share: throw Self.fault("they are a number (100) or a time (1h)")
        case .requests(let windows):
            guard (1...min(Self.windowsMax, count - first)).contains(windows) else {
                throw Self.fault(
                    "there are from 1 to \(min(Self.windowsMax, count - first)) windows of "
                        + "the \(count - first) counted requests of \(trace.description.name)")
            }
            let starts = (0..<windows).map { first + (count - first) * $0 / windows }
            guard let times = trace.columns.times else { return (starts, []) }
            return (starts, starts.map { Self.seconds(from: times[0], to: times[$0]) })
        }
    }

    /// Windows of equal time. A request that is earlier than one before it belongs to the window of that one.
    private func split(
        each nanoseconds: Int64, _ first: Int, _ trace: SweepTrace
    ) throws(AssayError) -> (starts: [Int], seconds: [Double]) {
        let times = try Self.times(of: trace, for: "--windows")
        let origin = times[first]
        var (starts, ends) = ([first], [origin])
        var end = origin.addingReportingOverflow(nanoseconds)
        for position in first..<times.count {
            while !end.overflow, times[position] >= end.partialValue {
                guard starts.count < Self.windowsMax else {
                    throw Self.fault(
                        "\(trace.description.name) has more than \(Self.windowsMax) windows as long as that. Give a longer time"
                    )
                }
                starts.append(position)
                ends.append(end.partialValue)
                end = end.partialValue.addingReportingOverflow(nanoseconds)
            }
        }
        return (starts, ends.map { Self.seconds(from: times[0], to: $0) })
    }

    private static func times(of trace: SweepTrace, for option: String) throws(AssayError) -> UnsafeBufferPointer<Int64>
    {
        if let times = trace.columns.times { return times }
        throw AssayError(
            .usage,
            "\(trace.description.name) states no times, or one for all requests. Name their column with --format "
                + "csv:key=1,time=2 or the like, or give \(option) a number.", at: .init(option))
    }

    private static func seconds(from first: Int64, to time: Int64) -> Double { (Double(time) - Double(first)) / 1e9 }

    private static func fault(_ reason: String) -> AssayError {
        AssayError(.usage, "These windows cannot be made: \(reason).", at: .init("--windows"))
    }
}

/// What is counted of one combination: from which request on, and which parts besides the whole.
public struct CellMeasures: Sendable, Hashable {
    /// What comes before the counted requests; nil for nothing.
    public var warmUp: CellWarmUp?
    /// The first position of each window; empty for no windows.
    public var windows: [Int] = []
    /// When each window begins, in seconds after the first request; empty if the trace states no times.
    public var windowSeconds: [Double] = []
    /// The names of the tenants that are told apart, by number; empty for none.
    public var tenants: [String] = []

    /// What a reader of the counts must know, a sentence each.
    public var notes: [String] = []

    /// The totals of the whole trace.
    public init() {}

    /// The most tenants with an entry of their own.
    public static let tenantsMax = 1000

    /// The position of the first request that is counted.
    var first: Int { warmUp?.requests ?? 0 }
    /// Whether anything but totals is counted.
    package var hasParts: Bool { !windows.isEmpty || !tenants.isEmpty }

    /// The parts that a replay has to count, none of which is counted yet.
    var parts: ReplayParts { ReplayParts(warmUpRequests: first, ends: windows, tenants: tenants.count) }

    /// Fills in what a replay has counted in all and in its parts.
    func fill(_ cell: inout CellResult, _ counts: ReplayCounts, _ parts: ReplayParts) {
        cell.counts = parts.counted(counts)
        if !windows.isEmpty {
            let noted = windows.map { parts.counts(before: $0, counts) } + [counts]
            cell.windows = windows.indices.map { index in
                ReplayWindow(
                    first: windows[index], startSeconds: windowSeconds.isEmpty ? nil : windowSeconds[index],
                    counts: PartCounts(from: noted[index], to: noted[index + 1]))
            }
        }
        if !tenants.isEmpty { cell.tenants = ranked(parts.tenants) }
    }

    private func ranked(_ counts: [PartCounts]) -> [TenantCounts] {
        let order = counts.indices.sorted { (counts[$1].requests, $0) < (counts[$0].requests, $1) }
        var ranked = order.prefix(Self.tenantsMax).map { TenantCounts(tenant: tenants[$0], counts: counts[$0]) }
        let rest = order.dropFirst(Self.tenantsMax)
        if !rest.isEmpty {
            let sum = rest.reduce(into: PartCounts()) { $0 += counts[$1] }
            ranked.append(TenantCounts(tenant: "", others: rest.count, counts: sum))
        }
        return ranked
    }
}

extension RequestColumns {
    /// How many requests are earlier than one before them. O(requests) on traces that state times.
    package var earlyRequests: Int {
        var (latest, early) = (Int64.min, 0)
        for time in times ?? UnsafeBufferPointer(start: nil, count: 0) {
            if time < latest { early += 1 }
            latest = max(latest, time)
        }
        return early
    }
}
