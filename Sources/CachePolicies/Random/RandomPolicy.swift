public import CacheCore
internal import PolicySupport

/// Evicts a resident object drawn uniformly at random.
///
/// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966. Every
/// operation is O(1); 4 bytes an object of the trace and 4 a resident object (12 in bytes). Any capacity from 1 on
/// works alike; in bytes victims are drawn until the newcomer fits, an object larger than the capacity is never
/// admitted, and a size holds until its object leaves. The draws come from the configuration's seed alone, so equal
/// seeds give equal runs.
///
/// Dialect `caffeine`: Caffeine's `sampled.Random`, which lets the newcomer in first and draws among it and the
/// residents, so that it may leave at once; with the numbers of `java.util.Random` and the simulator's seed.
public struct RandomPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private var table: SampleTable<NoStamp, Sizes>

    /// The dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "random", family: "random", summary: "Evicts a resident object drawn uniformly at random.",
            citation: "Belady, IBM Systems Journal 5(2), 1966", parameters: [SampleRules.parameter],
            isDeterministic: false, memory: MemoryCost(perObject: 4, perResident: 4))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        table = SampleTable(configuration, samples: 1, rules: SampleRules(configuration), filler: NoStamp())
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }

    /// A hit changes nothing.
    public mutating func touch(_ request: Request) -> Bool { table.contains(request.id) }

    /// Evicts a random resident.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        table.insert(request, stamp: NoStamp(), evictingAny: &sink)
    }

    /// Whether the cache is full of objects that weigh 1.
    public var canServeBlock: Bool { table.canServeBlock }
    /// Serves a full cache without a branch.
    @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 { table.serveBlockAny(block, stamp: NoStamp()) }

    /// Draws now whom the next insertion evicts.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        table.drawAnyVictim(for: newcomer.id)
    }

    /// Takes the object out of the residents.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
}

/// Nothing is known of a resident.
struct NoStamp: BitwiseCopyable {}
