public import CacheCore
internal import PolicySupport

/// Lets an object in when it is asked for a second time while its ghost is remembered; how many ghosts there are adapts.
///
/// Huang, Wei, Chen, Chen and Feng, "Improving flash-based disk cache with lazy adaptive replacement", MSST 2013 (algorithm
/// 1): for caches on flash, which each object that enters wears. The cache is an LRU, and so is the list of ghosts, in which
/// each first request leaves one. The list may hold a tenth of the capacity at first and from a tenth to nine tenths
/// later: each miss adds the capacity divided by that number, each hit takes the capacity divided by the rest away. Where it
/// may hold less than it does, one ghost leaves for each that comes. Even an empty cache refuses what is asked for the first
/// time. Every operation is O(1) (in bytes amortised over the ghosts
/// that are dropped); 4 bytes an object of the trace, 16 a resident object and 16 a ghost (24 each in bytes). At capacity 1
/// there is never a whole ghost and nothing enters, at 2 and 3 one or two ghosts. In bytes both steps are multiplied by the
/// size that is asked for, an object larger than the list leaves no ghost and pushes none out, and one larger than nine
/// tenths of the capacity never enters. An object keeps the size that it was admitted with.
public struct LARCPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private static var queue: UInt32 { 0 }
    private static var ghosts: UInt32 { 1 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    private var table: SegmentTable<Sizes>
    /// What the ghosts may weigh: Cr in the paper.
    private var ghostLimit: Double
    private let capacity: Double

    /// LARC has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "larc", family: "adaptive",
            summary: "An LRU that lets an object in at its second request; how long the first is remembered adapts.",
            citation: "Huang et al., MSST 2013",
            memory: MemoryCost(perObject: 4, perResident: 16, perGhost: 16, ghosts: 0.9), deviations: ["": .leavesRoom])
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = Double(configuration.capacity.amount)
        ghostLimit = 0.1 * Double(configuration.capacity.amount)
        // The newcomer is a ghost too many until the oldest is dropped.
        let most = configuration.objectLimit(of: Int(0.9 * Double(configuration.capacity.amount))) + 1
        table = SegmentTable(
            objects: configuration.objects.count, slots: configuration.residentLimit + most, resident: 1, ghosts: 1)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }

    /// Makes a resident object the newest, and the list of ghosts shorter.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        table.moveToHead(slot)
        let step = Double(table.weight(at: slot)) * capacity / (capacity - ghostLimit)
        ghostLimit = max(0.1 * capacity, ghostLimit - step)
        return true
    }

    /// Makes the list of ghosts longer; lets the object in if it has a ghost, and otherwise leaves one.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        ghostLimit = min(0.9 * capacity, ghostLimit + Double(weight) * capacity / ghostLimit)
        let isRemembered = table.slot(of: request.id) != Self.none
        table.remove(request.id)
        guard isRemembered, Double(weight) <= capacity else {
            leaveGhost(of: request.id, weight: weight, into: &sink)
            return false
        }
        while Double(table.residentWeight + weight) > capacity {
            table.evict(table.tail(of: Self.queue), into: &sink)
        }
        table.add(request.id, weight: weight, toHeadOf: Self.queue)
        return true
    }

    /// Puts a ghost in front of the others. If they are too many by that, as many leave as have come: one for one in objects.
    private mutating func leaveGhost<Sink: EvictionSink & ~Copyable>(
        of id: ObjectID, weight: Int, into sink: inout Sink
    ) {
        let most = max(Int(ghostLimit), table.weight(of: Self.ghosts))
        guard weight <= most else {
            sink.forgotten(id)
            return
        }
        table.add(id, weight: weight, toHeadOf: Self.ghosts)
        table.trim(Self.ghosts, to: most, into: &sink)
    }

    /// Takes the object or its ghost out of its list.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }
}
