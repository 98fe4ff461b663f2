public import CacheCore

/// Evicts, of a few residents drawn at random, the one that was asked for least often since it entered.
///
/// Psounis and Prabhakar, "A randomized Web-cache replacement scheme", IEEE INFOCOM 2001; Redis evicts so
/// (`allkeys-lfu`, with counters that decay). A hit is O(1), a miss O(samples); 4 bytes an object of the trace and 8 a
/// resident object (16 in bytes). At capacity 1 the only resident leaves; at 2 and 3 eight draws mostly see all. In
/// bytes victims are drawn until the newcomer fits; an object larger than the capacity is never admitted, and a size
/// holds until its object leaves. Counts start at 1 and have 32 bits: after 2^32 requests an object counts from 0
/// again.
///
/// Dialect `caffeine`: Caffeine's `sampled.Lfu`, with the numbers of `java.util.Random` and the simulator's seed.
public struct SampledLFUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private var table: SampleTable<UInt32, Sizes>

    /// The number of samples, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "sampled-lfu", family: "random",
            summary: "Evicts, of a few random residents, the one that was asked for least often.",
            citation: "Psounis and Prabhakar, IEEE INFOCOM 2001",
            parameters: SampleRules.parameters(samples: 8), isDeterministic: false,
            memory: MemoryCost(perObject: 4, perResident: 8))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        table = SampleTable(configuration, filler: 0)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }

    /// Counts the request.
    public mutating func touch(_ request: Request) -> Bool {
        table.touch(request.id) { $0 &+= 1 }
    }

    /// Evicts the sample with the lowest count.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        table.insert(request, stamp: 1, evicting: &sink) { $0 }
    }

    /// Draws now whom the next insertion evicts.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        table.drawVictim { $0 }
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
