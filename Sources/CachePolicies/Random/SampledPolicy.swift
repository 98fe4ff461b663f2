public import CacheCore

/// Evicts, of a few residents drawn at random, the one that ranks lowest by a rule.
///
/// Psounis and Prabhakar, "A randomized Web-cache replacement scheme", IEEE INFOCOM 2001; Redis evicts so by recency
/// (`maxmemory-samples`) and by frequency (`allkeys-lfu`, with counters that decay). The newcomer is spared. A hit is O(1), a
/// miss O(samples); 4 bytes an object of the trace and 8 a resident object (16 in bytes). At capacity 1 the only resident
/// leaves; at 2 and 3 eight draws mostly see all. In bytes victims are drawn until the newcomer fits; an object larger
/// than the capacity is never admitted, and a size holds until its object leaves. Times are request numbers in 32 bits: an
/// object that is not asked for in 2^32 requests looks young again; counts begin anew after as many.
///
/// With two samples `sampled-lru` is known as `random-two`: the power of two choices applied to eviction. libCacheSim's `randomTwo` follows
/// the same rule with draws of its own.
///
/// Dialect `caffeine`: Caffeine's `sampled.Lru` and the like, with the numbers of `java.util.Random` and the simulator's seed.
public struct SampledPolicy<Rule: SampleRule, Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private var table: SampleTable<UInt32, Sizes>

    /// The number of samples, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: Rule.name, family: "random", summary: "Evicts, of a few random residents, \(Rule.victim).",
            citation: "Psounis and Prabhakar, IEEE INFOCOM 2001",
            parameters: SampleRules.parameters(samples: 8), isDeterministic: false,
            memory: MemoryCost(perObject: 4, perResident: 8))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        table = SampleTable(configuration, filler: 0)
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }

    /// Renews the object's stamp.
    public mutating func touch(_ request: Request) -> Bool {
        guard Rule.renewsOnHit else { return table.contains(request.id) }
        return table.touch(request.id) { $0 = Rule.stamp(after: $0, at: Self.time(of: request)) }
    }

    /// Evicts the sample that ranks lowest.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let now = Self.time(of: request)
        return table.insert(request, stamp: Rule.stamp(after: 0, at: now), evicting: &sink) { Rule.rank($0, at: now) }
    }

    /// Draws now whom the next insertion evicts.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        let now = Self.time(of: newcomer)
        return table.drawVictim { Rule.rank($0, at: now) }
    }

    private static func time(of request: Request) -> UInt32 { UInt32(truncatingIfNeeded: request.index) }

    /// Takes the object out of the residents.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
}

/// What a sampled policy notes of its residents, and which of them leaves.
public protocol SampleRule: SendableMetatype {
    /// The policy's name.
    static var name: String { get }
    /// Who leaves, as the summary says it.
    static var victim: String { get }
    /// Whether a hit renews the stamp.
    static var renewsOnHit: Bool { get }
    /// The stamp of an object that is asked for; the former one is 0 for a newcomer.
    static func stamp(after former: UInt32, at now: UInt32) -> UInt32
    /// The rank of a stamp: the lowest leaves.
    static func rank(_ stamp: UInt32, at now: UInt32) -> UInt32
}

extension SampleRule {
    /// Most rules renew it.
    public static var renewsOnHit: Bool { true }
}

/// The time of the last request.
public protocol TimedRule: SampleRule {}
extension TimedRule {
    /// Now.
    public static func stamp(after former: UInt32, at now: UInt32) -> UInt32 { now }
}

/// The number of requests since the object entered.
public protocol CountedRule: SampleRule {}
extension CountedRule {
    /// One more.
    public static func stamp(after former: UInt32, at now: UInt32) -> UInt32 { former &+ 1 }
}

/// The least recently used of the samples leaves.
public enum SampledLRU: TimedRule {
    /// `sampled-lru`.
    public static let name = "sampled-lru"
    /// In words.
    public static let victim = "the one that was asked for longest ago"
    /// The older, the lower.
    public static func rank(_ stamp: UInt32, at now: UInt32) -> UInt32 { ~(now &- stamp) }
}

/// The most recently used of the samples leaves: MRU (Chou and DeWitt, VLDB 1985).
public enum SampledMRU: TimedRule {
    /// `sampled-mru`.
    public static let name = "sampled-mru"
    /// In words.
    public static let victim = "the one that was asked for last"
    /// The younger, the lower.
    public static func rank(_ stamp: UInt32, at now: UInt32) -> UInt32 { now &- stamp }
}

/// The one of the samples that entered first leaves.
public enum SampledFIFO: TimedRule {
    /// `sampled-fifo`.
    public static let name = "sampled-fifo"
    /// In words.
    public static let victim = "the one that entered longest ago"
    /// A hit changes nothing.
    public static let renewsOnHit = false
    /// The older, the lower.
    public static func rank(_ stamp: UInt32, at now: UInt32) -> UInt32 { ~(now &- stamp) }
}

/// The least frequently used of the samples leaves.
public enum SampledLFU: CountedRule {
    /// `sampled-lfu`.
    public static let name = "sampled-lfu"
    /// In words.
    public static let victim = "the one that was asked for least often"
    /// The count.
    public static func rank(_ stamp: UInt32, at now: UInt32) -> UInt32 { stamp }
}

/// The most frequently used of the samples leaves, for loops and scans whose objects are done with once they were used.
public enum SampledMFU: CountedRule {
    /// `sampled-mfu`.
    public static let name = "sampled-mfu"
    /// In words.
    public static let victim = "the one that was asked for most often"
    /// The count, reversed.
    public static func rank(_ stamp: UInt32, at now: UInt32) -> UInt32 { ~stamp }
}
