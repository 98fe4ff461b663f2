public import CacheCore

/// Evicts in order of entry, but lets an object that was asked for go round again: second chance, with a counter each.
///
/// Corbató, "A paging experiment with the Multics system", MIT Project MAC, 1968; also called FIFO-Reinsertion. A hit
/// raises the object's counter up to `2^bits - 1`; the hand lowers the counters that it passes and evicts the first 0.
/// A hit is O(1), an eviction amortised O(1); 4 bytes an object of the trace and 16 a resident object (24 in bytes).
/// Any capacity from 1 on works alike; an object larger than that is never admitted.
///
/// Dialect `caffeine`: the newcomer enters before the hand moves, so that it lies between the objects that the hand has
/// passed and those it has not, and is itself the victim when all others were asked for. libCacheSim's `clock` and
/// `fifo-reinsertion` are the paper's rules.
public struct ClockPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private enum Rules: String, Dialect { case paper, caffeine }
    private static var ring: UInt32 { 0 }

    private var table: SlotTable<Sizes>
    private let capacity: Int
    private let largestCount: UInt32
    private let firstCount: UInt32
    private let newcomerFirst: Bool

    /// Bits of a counter, its first value, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "clock", aliases: ["fifo-reinsertion", "second-chance"], family: "recency",
            summary: "Evicts in order of entry, but lets an object that was asked for go round again.",
            citation: "Corbató, MIT Project MAC, 1968",
            parameters: [
                ParameterSpecification("bits", .integer(default: 1, 1...16), "The width of an object's counter."),
                ParameterSpecification(
                    "init", .integer(default: 0, 0...65535),
                    "The counter of a newcomer, at most the largest that the bits hold."),
                Rules.parameter,
            ])
    }

    /// An empty cache.
    ///
    /// - Throws: `AssayError` with code `usage` for an `init` that `bits` cannot hold.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let bits = configuration.parameters.integer("bits")
        let first = configuration.parameters.integer("init")
        guard first < 1 << bits else {
            throw AssayError(.usage, "clock: init=\(first) needs more than bits=\(bits); give init below \(1 << bits).")
        }
        capacity = configuration.capacity.amount
        largestCount = UInt32(1 << bits - 1)
        firstCount = UInt32(first)
        newcomerFirst = Rules(configuration) == .caffeine
        table = SlotTable(objects: configuration.objects.count, slots: configuration.residentLimit + 1)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }

    /// Raises the object's counter.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.slot(of: request.id)
        guard slot != SlotTable<Sizes>.none else { return false }
        let count = table.state(at: slot)
        if count < largestCount { table.setState(count + 1, at: slot) }
        return true
    }

    /// Moves the hand until there is room.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        guard weight <= capacity else {
            sink.forgotten(request.id)
            return false
        }
        if newcomerFirst {
            table.add(request.id, weight: weight, state: firstCount, toHeadOf: Self.ring)
            while table.weight > capacity { evictOne(into: &sink) }
            return table.contains(request.id)
        }
        while table.weight + weight > capacity { evictOne(into: &sink) }
        table.add(request.id, weight: weight, state: firstCount, toHeadOf: Self.ring)
        return true
    }

    /// Takes the object out of the ring.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }

    private mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        var hand = table.tail(of: Self.ring)
        while table.state(at: hand) > 0 {
            table.setState(table.state(at: hand) - 1, at: hand)
            table.move(hand, toHeadOf: Self.ring)
            hand = table.tail(of: Self.ring)
        }
        table.evict(hand, into: &sink)
    }
}
