public import CacheCore

/// Evicts, of residents drawn at random, the one that was asked for least often for its time in the cache, its cost and
/// its size.
///
/// Blankstein, Sen and Freedman, "Hyperbolic caching: flexible caching for Web applications", USENIX ATC 2017: the
/// priority is requests × cost ÷ age, where requests and age count from the entry on; in bytes it is divided by the
/// size too, of at least 1. The cost is that of the miss that let the object in, 1 where the trace states none; the age
/// is in requests. A hit is O(1), a miss O(samples); 4 bytes an object of the trace and 24 a resident object (32 in
/// bytes). At capacity 1 the only resident leaves; at 2 and 3 sixty-four draws see all. In bytes victims are drawn until
/// the newcomer fits; an object larger than the capacity is never admitted, and a size holds until its object leaves.
/// Counts and times have 32 bits: after 2^32 requests an object looks new again.
///
/// Dialect `caffeine`: Caffeine's `sampled.Hyperbolic`, without cost and size, with the numbers of `java.util.Random`
/// and the simulator's seed. Caffeine takes 8 samples where libCacheSim takes 64, as here.
public struct HyperbolicPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private var table: SampleTable<HyperbolicStamp, Sizes>
    private let isWeighted: Bool

    /// The number of samples, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "hyperbolic", family: "random",
            summary: "Evicts, of some random residents, the one with the fewest requests for its age, cost and size.",
            citation: "Blankstein et al., USENIX ATC 2017",
            parameters: SampleRules.parameters(samples: 64), isDeterministic: false,
            memory: MemoryCost(perObject: 4, perResident: 24))
    }

    /// True: a costly object stays longer.
    public static var needsCost: Bool { true }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        isWeighted = SampleRules(configuration) == .paper
        table = SampleTable(configuration, filler: HyperbolicStamp(entered: 0, worth: 0))
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }

    /// Counts the request.
    public mutating func touch(_ request: Request) -> Bool { table.touch(request.id) { $0.count &+= 1 } }

    /// Evicts the sample with the lowest priority.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let now = UInt32(truncatingIfNeeded: request.index)
        let worth = isWeighted ? request.cost / Double(max(1, Sizes.weight(of: request))) : 1
        return table.insert(request, stamp: HyperbolicStamp(entered: now, worth: worth), evicting: &sink) {
            $0.priority(at: now)
        }
    }

    /// Draws now whom the next insertion evicts.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        let now = UInt32(truncatingIfNeeded: newcomer.index)
        return table.drawVictim { $0.priority(at: now) }
    }

    /// Takes the object out of the residents.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Fetches the object's stamp.
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
}

/// What hyperbolic caching knows of a resident.
struct HyperbolicStamp: BitwiseCopyable {
    var entered: UInt32
    var count: UInt32 = 1
    /// The cost of its miss, in bytes divided by its size.
    var worth: Double

    /// The bits of the priority, which are in the order of such numbers, and can be chosen among without a branch.
    func priority(at now: UInt32) -> UInt64 { (Double(count) * worth / Double(now &- entered)).bitPattern }
}
