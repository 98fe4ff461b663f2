public import CacheCore

/// Admits nothing: every request misses.
///
/// What there is without a cache, and the ceiling of a reader's speed: whatever a replay takes with it is the trace's. It is
/// libCacheSim's `nop`. Every operation is O(1) and no memory is taken; all capacities, in objects and in bytes, are alike.
public struct NOPPolicy: ~Copyable, EvictionPolicy {
    /// It has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "nop", aliases: ["none"], family: "recency", summary: "Admits nothing: every request misses.",
            citation: "libCacheSim's nop, 2020",
            memory: MemoryCost(perObject: 0, perResident: 0, perResidentInBytes: 0),
            deviations: ["": .leavesRoom])
    }

    /// An empty cache, which stays so.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {}

    /// 0.
    public var residentCount: Int { 0 }
    /// 0.
    public var residentWeight: Int { 0 }
    /// True: what is not resident never will be.
    public var isFrozen: Bool { true }

    /// A miss.
    public mutating func touch(_ request: Request) -> Bool { false }

    /// Refuses the object.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        sink.forgotten(request.id)
        return false
    }

    /// Does nothing.
    public mutating func remove(_ id: ObjectID) {}
    /// False.
    public func contains(_ id: ObjectID) -> Bool { false }
}
