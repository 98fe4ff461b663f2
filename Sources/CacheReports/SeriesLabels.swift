internal import CacheCore

/// What distinguishes one curve from another: everything in a cell but trace and capacity.
struct SeriesKey: Hashable, Sendable {
    var policy: String
    var parameters: String
    var admission: String
    /// The prefetcher; empty for none.
    var prefetch = ""
    var honoursExpiry: Bool
    /// The warm-up as it was asked for; empty for none.
    var warmUp = ""
    /// The seed that a cell states; 0 for what states none.
    var seed: UInt64 = 0

    init(_ cell: CellResult) {
        policy = cell.policy
        parameters = cell.parameters
        admission = cell.admission
        prefetch = cell.prefetch ?? ""
        honoursExpiry = cell.honoursExpiry == true
        warmUp = cell.warmUp?.requested ?? ""
        seed = cell.seed
    }

    init(_ candidate: AdviceCandidate) {
        policy = candidate.policy
        parameters = candidate.parameters
        admission = candidate.admission
        honoursExpiry = false
    }

    init(_ curve: CurveResult) {
        policy = curve.policy
        parameters = curve.parameters
        admission = "always"
        honoursExpiry = false
    }
}

/// Short names for curves: the policy, and of its parameters only those that vary within the run.
struct SeriesLabels: Sendable {
    /// Every curve of the run, in the order in which they first appear.
    let keys: [SeriesKey]
    private let labels: [SeriesKey: String]
    private let bounds: Set<String>

    init(_ results: RunResults) {
        self.init(results.cells.map(SeriesKey.init), described: results.policies ?? [])
    }

    init(_ results: BenchResults) {
        self.init(results.subjects.map { SeriesKey($0.cell) }, described: results.policies)
    }

    init(_ results: CurveResults) {
        self.init(results.curves.map(SeriesKey.init), described: results.policies)
    }

    init(_ results: AdviceResults) {
        self.init(
            results.advice.flatMap { $0.candidates.map(SeriesKey.init) }, described: results.policies)
    }

    init(_ all: [SeriesKey], described: [PolicyDescription]) {
        var seen: Set<SeriesKey> = []
        keys = all.filter { seen.insert($0).inserted }
        let varying = Dictionary(grouping: keys, by: \.policy).mapValues(Self.varyingNames)
        let isWarmUpShown = Set(keys.map(\.warmUp)).count > 1
        let areSeedsShown = Set(keys.map(\.seed)).count > 1
        labels = Dictionary(
            uniqueKeysWithValues: keys.map {
                ($0, Self.label($0, varying[$0.policy] ?? [], isWarmUpShown, areSeedsShown))
            })
        let named = Set(described.filter { $0.family == "bound" }.map(\.name))
        bounds = named.union(described.isEmpty ? ["belady", "belady-size", "opt", "infinite"] : [])
    }

    /// `s3fifo small-ratio=0.2 + tinylfu`.
    func label(_ key: SeriesKey) -> String { labels[key] ?? key.policy }

    /// `s3fifo small-ratio=0.2 + tinylfu`.
    func label(_ cell: CellResult) -> String { label(SeriesKey(cell)) }

    /// Whether the policy knows the future, and so is a bound rather than a choice.
    func isBound(_ key: SeriesKey) -> Bool { bounds.contains(key.policy) }

    /// The curve that differences refer to: the one with this label or of this policy; without a name `lru`, else `fifo`, else none.
    ///
    /// - Throws: `AssayError` with code `usage` if there is no such curve.
    func baseline(_ name: String?) throws(AssayError) -> SeriesKey? {
        guard let name else {
            return ["lru", "fifo"].lazy.compactMap { name in keys.first { label($0) == name } }.first
        }
        if let key = keys.first(where: { label($0) == name }) ?? keys.first(where: { $0.policy == name }) { return key }
        throw AssayError(
            .usage,
            "The baseline policy '\(name)' is not among these results. Choose one of \(keys.map(label).joined(separator: ", "))."
        )
    }

    private static func varyingNames(_ keys: [SeriesKey]) -> Set<String> {
        var values: [String: Set<String>] = [:]
        for key in keys {
            for (name, value) in pairs(key.parameters) { values[name, default: []].insert(value) }
        }
        return Set(values.filter { $0.value.count > 1 }.keys)
    }

    private static func label(_ key: SeriesKey, _ varying: Set<String>, _ isWarmUpShown: Bool, _ areSeedsShown: Bool)
        -> String
    {
        let shown = pairs(key.parameters).filter { varying.contains($0.0) }.map { "\($0.0)=\($0.1)" }
        let filter = key.admission == "always" || key.admission.isEmpty ? [] : ["+", key.admission]
        let prefetch = key.prefetch.isEmpty ? [] : ["+", key.prefetch]
        let expiry = key.honoursExpiry ? ["+", "expiry"] : []
        let warmUp = isWarmUpShown && !key.warmUp.isEmpty ? ["after", key.warmUp] : []
        let seed = areSeedsShown ? ["seed", "\(key.seed)"] : []
        return ([key.policy] + shown + filter + prefetch + expiry + warmUp + seed).joined(separator: " ")
    }

    private static func pairs(_ parameters: String) -> [(String, String)] {
        parameters.split(separator: ";").map { pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (sides[0], sides.count > 1 ? sides[1] : "")
        }
    }
}
