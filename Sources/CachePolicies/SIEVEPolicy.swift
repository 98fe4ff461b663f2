public import CacheCore

/// Evicts the first object that was not asked for since the hand last passed, and leaves the others where they are.
///
/// Zhang, Yang, Yue, Vigfusson and Rashmi, "SIEVE is simpler than LRU", NSDI 2024. Newcomers enter at the head; the
/// hand walks from the tail to the head, clears the visited bits that it passes, evicts the first object without one,
/// and stays there. A hit is O(1), an eviction amortised O(1); 4 bytes an object of the trace and 17 a resident object
/// (25 in bytes). Any capacity from 1 on works alike; an object larger than that is never admitted. libCacheSim and
/// Caffeine follow the paper.
public struct SIEVEPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var queue: UInt32 { 0 }
    private static var none: UInt32 { SlotTable<Sizes>.none }

    private var table: SlotTable<Sizes>
    /// The visited bits, a byte each beside the table: hits touch nothing else, and these stay in the nearest cache.
    private let visited: FixedBuffer<UInt8>
    /// Where the hand goes on, `none` for the tail.
    private var hand = SlotTable<Sizes>.none
    /// The most weight that may be resident.
    public let capacity: Int

    /// SIEVE has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "sieve", family: "recency",
            summary: "A hand evicts the first object that was not asked for since it last passed.",
            citation: "Zhang et al., NSDI 2024")
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        table = SlotTable(objects: configuration.objects.count, slots: configuration.residentLimit)
        visited = FixedBuffer(repeating: 0, count: configuration.residentLimit + 1)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Sets the visited bit.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return false }
        visited[slot] = 1
        return true
    }

    /// Moves the hand to the first object without a visited bit and evicts it.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        var victim = hand == Self.none ? table.tail(of: Self.queue) : hand
        while visited[victim] != 0 {
            visited[victim] = 0
            victim = table.previous(of: victim)
            if victim == Self.none { victim = table.tail(of: Self.queue) }
        }
        hand = table.previous(of: victim)
        table.evict(victim, into: &sink)
    }

    /// Puts the object at the head.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.add(request.id, weight: weight, toHeadOf: Self.queue)
    }

    /// Takes the object out of the queue; the hand steps over it.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        if slot == hand { hand = table.previous(of: slot) }
        // An evicted slot's bit is clear already; the next object in this one must not inherit it.
        visited[slot] = 0
        table.release(slot)
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
}
