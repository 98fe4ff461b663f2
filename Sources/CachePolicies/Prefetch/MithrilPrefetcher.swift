public import CacheCore

/// Fetches the objects that were requested soon after the requested one each of the few times that both were.
///
/// MITHRIL: Yang et al., "MITHRIL: mining sporadic associations for cache prefetching", SoCC 2017, as its author wrote it for libCacheSim 0.3.5,
/// whose counts these are to the request. Times of requests are kept for each object until there are `support`; then it is mined: two objects
/// are associated if their times are within `lookahead` requests of one another, and were neighbours once or come first in order. An object that
/// was fetched and is about to leave unrequested enters anew `chances - 1` times. The tables are bounded by shares of the capacity, which in objects is
/// taken to be `block` bytes each: 2 % for times, `metadata` for all. O(1) a request, amortised, besides mining: each `mining` times,
/// O(rows · log rows) and the pairs that begin within `lookahead` of each other. 9 bytes an object of the trace, and the tables.
///
/// So there, and here: times have 15 bits; the last time of a pair and each fourth are not compared; and once the table of associations
/// is full, its first 2000 rows alone are reused. Left out are its embedded sequential prefetcher, for which there is ``OBLPrefetcher``, and AMP, which it
/// names without having it. That program takes object 0 for none, keeps 32 bits of an object's number, and crashes where the share for
/// metadata is below `2000 · list` bytes, which are given here, where an object is larger than the cache, and at `support=1` where the trace has
/// an object 192618.
public struct MithrilPrefetcher: ~Copyable, Prefetcher {
    private enum Trigger: String, CaseIterable { case miss, evict, both = "miss-evict", request }

    private let trigger: Trigger
    private let chances: UInt8
    private var miner: MithrilMiner
    private var associations: MithrilAssociations
    /// How often an object was fetched or kept since its last request; 0 for what was not fetched.
    private let fetches: FixedBuffer<UInt8>
    private var time = 0
    private var row = 0

    /// Everything that its authors tune.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "mithril", family: "prefetch",
            summary: "Fetches what was requested soon after the requested object each of the few times that both were.",
            citation: "Yang et al., SoCC 2017",
            parameters: [
                ParameterSpecification(
                    "lookahead", .integer(default: 20, 1...100),
                    "Requests within which associated objects follow one another."),
                ParameterSpecification(
                    "support", .integer(default: 2, 1...64), "Times of an object after which it is mined."),
                ParameterSpecification(
                    "support-max", .integer(default: 8, 1...64),
                    "Times of an object after which it is too frequent to be mined."),
                ParameterSpecification(
                    "confidence", .integer(default: 1, 1...100),
                    "By how many the numbers of times of two objects may differ, and how many times may be apart."),
                ParameterSpecification(
                    "list", .integer(default: 2, 1...100), "The objects that one is associated with at most."),
                ParameterSpecification(
                    "record", .choice(default: "miss", Trigger.allCases.map(\.rawValue)), "When a time is kept."),
                ParameterSpecification(
                    "chances", .integer(default: 2, 1...100),
                    "How often a fetched object must come up for eviction until it leaves."),
                ParameterSpecification(
                    "mining", .integer(default: 5120, 64...1_000_000), "Times in the mining table at which it is mined."
                ),
                PrefetchMetadata.share, PrefetchMetadata.block,
            ])
    }

    /// A prefetcher that has seen nothing.
    ///
    /// - Throws: `AssayError` with code `usage` for a support above `support-max`.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        let (least, most) = (parameters.integer("support"), parameters.integer("support-max"))
        guard least <= most else {
            throw AssayError(
                .usage, "mithril: support=\(least) is above support-max=\(most); give one of at most that.")
        }
        trigger = Trigger(rawValue: parameters.text("record")) ?? .miss
        chances = UInt8(parameters.integer("chances"))
        let objects = configuration.objects.count
        fetches = FixedBuffer(repeating: 0, count: objects)
        let rules = MithrilRules(configuration)
        miner = MithrilMiner(rules, objects: objects)
        associations = MithrilAssociations(rules, objects: objects)
    }

    /// Whether what was fetched gets another chance.
    public var keepsVictims: Bool { chances > 1 }

    /// Keeps the time of a request where it is to be kept.
    public mutating func record(_ request: Request, isHit: Bool) {
        fetches[request.id] = 0
        if trigger == .request || (trigger != .evict && !isHit) { keepTime(of: request.id) }
    }

    /// The associated objects, the oldest association first.
    public mutating func candidate(_ number: Int, after request: Request) -> PrefetchCandidate? {
        if number == 0 { row = associations.row(of: request.id) }
        guard let id = associations.target(number, inRow: row) else {
            time &+= 1
            return nil
        }
        return PrefetchCandidate(id)
    }

    /// Counts its first chance.
    public mutating func fetched(_ id: ObjectID) { fetches[id] = 1 }

    /// Whether it was fetched and has chances left.
    public mutating func keeps(_ victim: ObjectID) -> Bool {
        // Read once and written: `+=` here stops the compiler of Swift 6.3 under the thread sanitizer.
        let before = fetches[victim]
        guard before > 0, before < chances else { return false }
        fetches[victim] = before + 1
        return true
    }

    /// Keeps the time where it is to be kept.
    public mutating func evicted(_ id: ObjectID) {
        if trigger == .evict || trigger == .both { keepTime(of: id) }
        fetches[id] = 0
    }

    private mutating func keepTime(of id: ObjectID) {
        miner.record(id, at: time)
        if miner.isReady { miner.mine(into: &associations) }
    }
}
