public import CacheCore
internal import PolicySupport

/// Three LRU lists: newcomers are hot, what falls off the hot or the warm list is cold, and a cold hit makes warm.
///
/// Unangst, "2Q buffer cache algorithm", 2014: OpenBSD's buffer cache, taken over by memcached's segmented LRU; 2Q
/// without ghosts, because what falls off the hot list stays resident for a while. The hot and the warm list hold at
/// most a third of the capacity each; the victim is the oldest cold object. Every operation is O(1) (in bytes amortised
/// over the objects that fall); 4 bytes an object of the trace, 16 a resident object (24 in bytes). Shares are rounded
/// down: below capacity 4 both are empty, which makes capacities 1 to 3 an LRU. In bytes an object that the hot or the
/// warm list could not hold goes to the front of the cold list instead and pushes nobody down; when nothing is cold the
/// oldest hot object leaves, then the oldest warm one. An object larger than the capacity is never admitted. An object
/// keeps the size that it was admitted with. Caffeine's `TuQueue` gives the same counts.
public struct TuQueuePolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var hot: UInt32 { 0 }
    private static var warm: UInt32 { 1 }
    private static var cold: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    private var table: SegmentTable<Sizes>
    private let hotLimit: Int
    private let warmLimit: Int
    /// The most weight that may be resident.
    public let capacity: Int

    /// The shares of the hot and the warm list.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "tuqueue", aliases: ["tu-queue"], family: "segmented",
            summary: "Newcomers are hot, what falls off the hot and the warm list is cold, a cold hit makes warm.",
            citation: "Unangst, 2Q buffer cache algorithm (OpenBSD), 2014",
            parameters: [
                ParameterSpecification(
                    "hot", .number(default: 0.33, 0...1), "The share of the hot list, which newcomers enter."),
                ParameterSpecification(
                    "warm", .number(default: 0.33, 0...1), "The share of the warm list, which cold hits enter."),
            ], memory: MemoryCost(perObject: 4, perResident: 16))
    }

    /// An empty cache.
    ///
    /// - Throws: `AssayError` with code `usage` for shares that add up to more than the capacity.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let shares = (configuration.parameters.number("hot"), configuration.parameters.number("warm"))
        guard shares.0 + shares.1 <= 1 else {
            throw AssayError(
                .usage,
                "tuqueue: hot=\(shares.0) and warm=\(shares.1) are more than the capacity; give at most 1 in all.")
        }
        capacity = configuration.capacity.amount
        hotLimit = configuration.share("hot")
        warmLimit = configuration.share("warm")
        table = SegmentTable(objects: configuration.objects.count, slots: configuration.residentLimit, resident: 3)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Refreshes a hot or warm object in its list; makes a cold one warm.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        if table.segment(at: slot) != Self.cold || table.weight(at: slot) > warmLimit {
            table.moveToHead(slot)
        } else {
            table.move(slot, toHeadOf: Self.warm)
            cool(Self.warm, to: warmLimit)
        }
        return true
    }

    /// Evicts the oldest cold object; where nothing is cold, the next that would be.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        var victim = table.tail(of: Self.cold)
        if victim == Self.none { victim = table.tail(of: Self.hot) }
        if victim == Self.none { victim = table.tail(of: Self.warm) }
        table.evict(victim, into: &sink)
    }

    /// Puts the object into the hot list and lets that overflow.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        guard weight <= hotLimit else {
            table.add(request.id, weight: weight, toHeadOf: Self.cold)
            return
        }
        table.add(request.id, weight: weight, toHeadOf: Self.hot)
        cool(Self.hot, to: hotLimit)
    }

    /// Takes the object out of its list.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    /// Lets what a list cannot hold fall to the front of the cold one.
    private mutating func cool(_ list: UInt32, to limit: Int) {
        while table.weight(of: list) > limit { table.move(table.tail(of: list), toHeadOf: Self.cold) }
    }
}
