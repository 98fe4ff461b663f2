public import CacheCore
internal import PolicySupport

/// Evicts, of residents drawn at random, the one that was asked for least often for its time in the cache, its cost and
/// its size.
///
/// Blankstein, Sen and Freedman, "Hyperbolic caching: flexible caching for Web applications", USENIX ATC 2017: the
/// priority is requests × cost ÷ age, where requests and age count from the entry on; in bytes it is divided by the
/// size too, of at least 1. The cost is that of the miss that let the object in, 1 where the trace states none; the age
/// is in requests. A hit is O(1), a miss O(samples); 4 bytes an object of the trace and 20 a resident object (28 in
/// bytes), 8 less in replays in objects of traces without costs. At capacity 1 the only resident leaves; at 2 and 3 sixty-four draws see all. In bytes victims are drawn until
/// the newcomer fits; an object larger than the capacity is never admitted, and a size holds until its object leaves.
/// Counts and times have 32 bits: after 2^32 requests an object looks new again.
///
/// Dialect `caffeine`: Caffeine's `sampled.Hyperbolic`, without cost and size, with the numbers of `java.util.Random`
/// and the simulator's seed. Caffeine takes 8 samples where libCacheSim takes 64, as here.
public struct HyperbolicPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private var table: SampleTable<HyperbolicStamp, Sizes>
    private let isWeighted: Bool
    /// The number of the next request.
    private var clock = 0
    private var bound: LowBound

    /// The number of samples, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "hyperbolic", family: "random",
            summary: "Evicts, of some random residents, the one with the fewest requests for its age, cost and size.",
            citation: "Blankstein et al., USENIX ATC 2017",
            parameters: SampleRules.parameters(samples: 64), isDeterministic: false,
            memory: MemoryCost(perObject: 4, perResident: 20))
    }

    /// True: a costly object stays longer.
    public static var needsCost: Bool { true }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let isWeighted = SampleRules(configuration) == .paper && (configuration.statesCosts || !Sizes.isUnit)
        self.isWeighted = isWeighted
        table = SampleTable(configuration, filler: HyperbolicStamp(entered: 0), hasWorths: isWeighted)
        bound = LowBound(residents: configuration.residentLimit)
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }

    /// Counts the request.
    public mutating func touch(_ request: Request) -> Bool {
        clock = request.index + 1
        return table.touch(request.id) { $0.count &+= 1 }
    }

    /// Whether the cache is full of objects that weigh and cost 1.
    public var canServeBlock: Bool { !isWeighted && table.canServeBlock && clock < LowBound.lastTime }

    /// Serves a full cache, and divides for few samples.
    @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        let start = UInt32(truncatingIfNeeded: clock)
        let stamps = table.stamps.base
        var bound = bound
        clock &+= block.count
        let misses = table.serveBlockChosen(block) { stamp in
            stamp.count &+= 1
        } choose: { table, request in
            let now = start &+ UInt32(truncatingIfNeeded: request)
            let limit = bound
            let (victim, ranked) = table.lowest(
                isLow: { limit.isMet(by: $0, at: now) }, certain: limit.certainBits(at: now)
            ) { stamps[Int($0)].priority(worth: 1, at: now) }
            bound.adapt(ranked: ranked)
            return victim
        } stamp: {
            HyperbolicStamp(entered: start &+ UInt32(truncatingIfNeeded: $0))
        }
        self.bound = bound
        return misses
    }

    /// Evicts the sample with the lowest priority.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let now = UInt32(truncatingIfNeeded: request.index)
        let worth = isWeighted ? request.cost / Double(max(1, Sizes.weight(of: request))) : 1
        let priorities = priorities(at: now)
        return table.insert(
            request, stamp: HyperbolicStamp(entered: now), worth: worth, evicting: &sink, rankAt: { priorities[$0] })
    }

    /// Draws now whom the next insertion evicts.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        let now = UInt32(truncatingIfNeeded: newcomer.index)
        let priorities = priorities(at: now)
        return table.drawVictimByPlace { priorities[$0] }
    }

    private func priorities(at now: UInt32) -> HyperbolicPriorities {
        HyperbolicPriorities(stamps: table.stamps.base, worths: isWeighted ? table.worths.base : nil, now: now)
    }

    /// Takes the object out of the residents.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
}

/// What hyperbolic caching knows of a resident.
struct HyperbolicStamp: BitwiseCopyable {
    var entered: UInt32
    var count: UInt32 = 1

    /// The bits of the priority, which are in the order of such numbers, and can be chosen among without a branch.
    @inline(__always)
    func priority(worth: Double, at now: UInt32) -> UInt64 {
        (Double(count) * worth / Double(now &- entered)).bitPattern
    }
}

/// The priorities of residents by their places at a time.
private struct HyperbolicPriorities: BitwiseCopyable {
    let stamps: UnsafePointer<HyperbolicStamp>
    /// The cost of each one's miss, in bytes divided by its size; nil if they are worth 1.
    let worths: UnsafePointer<Double>?
    let now: UInt32

    subscript(place: UInt32) -> UInt64 {
        stamps[Int(place)].priority(worth: worths?[Int(place)] ?? 1, at: now)
    }
}

/// A priority that about seven of the samples do not exceed, so that the victim is among these and the others need no
/// division.
///
/// A stamp is low if age × bound is not less than its two words as one number, count × 2^32 + entered: the second adds less than
/// `now` to less than 2^32 × count. So what is not low exceeds the bound less its share of `now` in 2^32.
struct LowBound: BitwiseCopyable {
    /// Until when times have 32 bits.
    static var lastTime: Int { 1 << 32 - ObjectBlock.limit }
    private static var expected: Int { 7 }

    /// The bound × 2^32, up to 2^32.
    private var scaled: UInt64

    /// A first bound for a cache of so many residents.
    init(residents: Int) { scaled = UInt64(1 << 32 / max(1, residents)) }

    /// 1 if a stamp is low, else 0.
    @inline(__always)
    func isMet(by stamp: HyperbolicStamp, at now: UInt32) -> Int {
        let words = UInt64(stamp.count) &<< 32 | UInt64(stamp.entered)
        return words > UInt64(now &- stamp.entered) &* scaled ? 0 : 1
    }

    /// The bits of a priority that whatever is not low exceeds.
    @inline(__always)
    func certainBits(at now: UInt32) -> UInt64 {
        (Double(scaled) * 0x1p-32 * (1 - Double(now) * 0x1p-32)).bitPattern
    }

    /// Rises if fewer were low than expected, falls if more were.
    @inline(__always)
    mutating func adapt(ranked: Int) {
        let change = (Int(scaled) &* (Self.expected &- ranked)) &>> 6
        let doubled = scaled &* 2 &+ 1
        scaled = min(ranked == 0 ? doubled : UInt64(Int(scaled) &+ change), 1 << 32)
    }
}
