public import CacheCore
internal import Foundation

/// The miss ratios of many traces, from which ``TraceComparison`` calculates what each policy saves over a baseline policy.
///
/// Combinations are added as they come, so that a sweep need not be in memory: each takes 24 bytes.
public struct AcrossTraces: Sendable {
    /// The capacity by which combinations of different traces are put side by side.
    struct Place: Hashable, Comparable, Sendable {
        var unit: Capacity.Unit
        /// Whether `amount` is a percentage of the trace's objects or footprint.
        var isShare: Bool
        var amount: Double

        init(_ cell: CellResult) {
            unit = cell.capacityUnit
            let share = cell.capacityRequested.split(separator: "%").first.flatMap { Double($0) }
                .flatMap { (0...1e9).contains($0) ? $0 : nil }
            isShare = cell.capacityRequested.contains("%") && share != nil
            amount = isShare ? share ?? 0 : Double(cell.capacity)
        }

        static func < (a: Place, b: Place) -> Bool {
            if a.unit != b.unit { return a.unit == .objects }
            if a.isShare != b.isShare { return a.isShare }
            return a.amount < b.amount
        }

        /// The capacity that it is on a trace.
        func capacity(on trace: Trace) -> Int {
            // The greatest capacity rounds to a number beyond it.
            guard isShare else { return Int(exactly: amount) ?? .max }
            return CapacityRequest.share(percent: amount, unit, text: "")
                .resolved(footprintObjects: trace.objects, footprintBytes: trace.bytes).amount
        }

        /// `1% of the objects`, `64 MiB`.
        var title: String {
            let number = amount == amount.rounded() ? HumanFormat.fixed(amount, 0) : "\(amount)"
            if isShare { return "\(number)% of the \(unit == .objects ? "objects" : "bytes")" }
            return unit == .bytes ? HumanFormat.bytes(amount) : "\(HumanFormat.count(amount)) objects"
        }

        /// The capacity as one asks for it: `1%`, `1%B`, `1000`.
        var text: String {
            let number = amount == amount.rounded() ? HumanFormat.fixed(amount, 0) : "\(amount)"
            return number + (isShare ? unit == .objects ? "%" : "%B" : "")
        }
    }

    /// What is known of a trace.
    struct Trace: Sendable {
        var name: String
        /// The folders that its file is in; `workloads` for what is generated, `.` for a file without a folder.
        var folders: [Substring]
        var objects: Int
        var bytes: Int

        init(_ description: TraceDescription) {
            name = description.name
            (objects, bytes) = (description.objects, description.footprintBytes)
            let folders = description.argument.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .filter { $0 != "." }
            let isGenerated = !description.digest.hasPrefix("xxh128:")
            self.folders = folders.isEmpty ? [isGenerated ? "workloads" : "."] : folders
        }
    }

    /// One combination at a place; a figure is no number where there is none.
    struct Point: Sendable {
        var trace: Int32
        var series: Int32
        var missRatio: Double
        var byteMissRatio: Double
    }

    private(set) var traces: [Trace] = []
    private(set) var places: [Place] = []
    /// Policies with everything that tells curves apart but the seed: the mean over seeds stands for a trace.
    private(set) var series: [SeriesKey] = []
    /// The combinations, by the numbers of their places.
    private(set) var points: [[Point]] = []
    /// How many live combinations were left out: their hits may depend on the clock.
    private(set) var live = 0
    private var traceNumbers: [String: Int32] = [:]
    private var placeNumbers: [Place: Int32] = [:]
    private var seriesNumbers: [SeriesKey: Int32] = [:]

    /// No trace yet.
    public init() {}

    /// All combinations of a run.
    public init(_ results: RunResults) { add(results.cells, of: results.traces) }

    /// Adds combinations; those of traces that are not described are left out.
    public mutating func add(_ cells: [CellResult], of descriptions: [TraceDescription]) {
        for trace in descriptions where traceNumbers[trace.name] == nil {
            traceNumbers[trace.name] = Int32(traces.count)
            traces.append(Trace(trace))
        }
        let sized = Set(descriptions.filter(\.hasSizes).map(\.name))
        for cell in cells {
            guard let trace = traceNumbers[cell.trace] else { continue }
            guard cell.backend == CellResult.simulationBackend else {
                live += 1
                continue
            }
            var key = SeriesKey(cell)
            key.seed = 0
            let counts = cell.failure == nil ? cell.counts.flatMap { $0.requests > 0 ? $0 : nil } : nil
            let isSized = cell.capacityUnit == .bytes && sized.contains(cell.trace)
            let place = Int(Self.number(Place(cell), &placeNumbers, &places))
            if place == points.count { points.append([]) }
            points[place].append(
                Point(
                    trace: trace, series: Self.number(key, &seriesNumbers, &series),
                    missRatio: counts.map { Double($0.misses) / Double($0.requests) } ?? .nan,
                    byteMissRatio: isSized ? counts.flatMap(Self.byteMissRatio) ?? .nan : .nan))
        }
    }

    private static func byteMissRatio(_ counts: ReplayCounts) -> Double? {
        counts.bytesRequested > 0
            ? Double(counts.bytesRequested &- counts.bytesHit) / Double(counts.bytesRequested) : nil
    }

    private static func number<Key: Hashable>(_ key: Key, _ numbers: inout [Key: Int32], _ list: inout [Key]) -> Int32 {
        if let number = numbers[key] { return number }
        let number = Int32(list.count)
        numbers[key] = number
        list.append(key)
        return number
    }

    /// The same with each trace at every place that is a capacity at which it was replayed: where several shares of a small trace are
    /// one capacity, one of them alone has its combinations.
    var withEqualCapacities: AcrossTraces {
        var copy = self
        let there = points.map { Set($0.map(\.trace)) }
        for (number, trace) in traces.enumerated() {
            let (own, others) = (Int32(number), places.indices.filter { there[$0].contains(Int32(number)) })
            for place in places.indices where !there[place].contains(own) {
                let capacity = places[place].capacity(on: trace)
                let twin = others.first {
                    places[$0].unit == places[place].unit && places[$0].capacity(on: trace) == capacity
                }
                if let twin { copy.points[place] += points[twin].filter { $0.trace == own } }
            }
        }
        return copy
    }

    /// How many traces have a simulation.
    var tracesSimulated: Int { Set(points.lazy.joined().map(\.trace)).count }

    /// The corpus of each trace: the shortest end of its file's folders that no other folder has, and the whole where there is none.
    var corpora: [String] {
        let folders = Set(traces.map(\.folders))
        var names: [[Substring]: String] = [:]
        var count = 1
        while names.count < folders.count {
            let ends = Dictionary(grouping: folders.filter { $0.count >= count }) { $0.suffix(count) }
            for folder in folders where names[folder] == nil {
                let end = folder.suffix(count)
                if folder.count <= count || ends[end]?.count == 1 { names[folder] = end.joined(separator: "/") }
            }
            count += 1
        }
        return traces.map { names[$0.folders] ?? "" }
    }
}
