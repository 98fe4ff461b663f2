public import CacheCore

/// Evicts, of two residents drawn at random, the one that was asked for longer ago.
///
/// The power of two choices (Mitzenmacher, IEEE Transactions on Parallel and Distributed Systems 12(10), 2001) applied
/// to eviction: `sampled-lru` with two samples, under the name by which it is known. libCacheSim's `randomTwo` follows
/// the same rule with draws of its own. A hit and a miss are O(1); 4 bytes an object of the trace and 8 a resident
/// object (16 in bytes). At capacity 1 the only resident leaves; at 2 it is an LRU three times in four. In bytes
/// victims are drawn until the newcomer fits; an object larger than the capacity is never admitted, and a size holds
/// until its object leaves. Times are request numbers in 32 bits.
public struct RandomTwoPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private var table: SampleTable<UInt32, Sizes>

    /// It has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "random-two", family: "random",
            summary: "Evicts, of two random residents, the one that was asked for longer ago.",
            citation: "Mitzenmacher, IEEE TPDS 12(10), 2001", isDeterministic: false,
            memory: MemoryCost(perObject: 4, perResident: 8))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        table = SampleTable(configuration, samples: 2, rules: .paper, filler: 0)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }

    /// Notes when the object was asked for.
    public mutating func touch(_ request: Request) -> Bool {
        table.touch(request.id) { $0 = UInt32(truncatingIfNeeded: request.index) }
    }

    /// Evicts the older of two samples.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let now = UInt32(truncatingIfNeeded: request.index)
        return table.insert(request, stamp: now, evicting: &sink) { ~(now &- $0) }
    }

    /// Draws now whom the next insertion evicts.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        let now = UInt32(truncatingIfNeeded: newcomer.index)
        return table.drawVictim { ~(now &- $0) }
    }

    /// Takes the object out of the residents.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
}
