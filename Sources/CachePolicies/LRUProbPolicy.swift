public import CacheCore

/// LRU in which a hit moves its object to the front only with some probability.
///
/// Lazy promotion (Yang, Qiu, Zhang, Yue and Rashmi, "FIFO can be better than LRU", ACM HotOS 2023) by chance, between
/// FIFO, never, and LRU, always: popular objects are asked for often enough to be moved in time, and the other hits
/// write nothing. libCacheSim has it as `lru-prob`, with draws of its own and 1 ÷
/// `probability` rounded down to a whole number. Every operation is O(1); 4 bytes an object of the trace and 16 a
/// resident object (24 in bytes). Any capacity from 1 on works alike; an object larger than that is never admitted, and
/// a size holds until its object leaves.
public struct LRUProbPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var recency: UInt32 { 0 }
    /// The numbers that a draw may give.
    private static var draws: Double { 0x1p53 }

    private var table: SlotTable<Sizes>
    private var generator: SeededGenerator
    /// The draws below this promote.
    private let promoting: UInt64
    /// The most weight that may be resident.
    public let capacity: Int

    /// The probability of a promotion.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lru-prob", family: "recency", summary: "LRU in which only some hits move their object to the front.",
            citation: "libCacheSim; Yang et al., ACM HotOS 2023",
            parameters: [
                ParameterSpecification(
                    "probability", .number(default: 0.5, 0...1), "The probability that a hit moves its object.")
            ], isDeterministic: false, memory: MemoryCost(perObject: 4, perResident: 16))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        generator = SeededGenerator(seed: configuration.seed)
        promoting = UInt64(configuration.parameters.number("probability") * Self.draws)
        table = SlotTable(objects: configuration.objects.count, slots: configuration.residentLimit)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Moves a resident object to the front, or not.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.slot(of: request.id)
        guard slot != SlotTable<Sizes>.none else { return false }
        if generator.next() >> 11 < promoting { table.move(slot, toHeadOf: Self.recency) }
        return true
    }

    /// Evicts the object at the back.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        table.evict(table.tail(of: Self.recency), into: &sink)
    }

    /// Puts the object in front.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.add(request.id, weight: weight, toHeadOf: Self.recency)
    }

    /// The object at the back.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        table.count == 0 ? nil : table.id(at: table.tail(of: Self.recency))
    }

    /// Takes the object out of the list.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Fetches the object's slot.
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    /// Fetches the neighbours of the object's slot.
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }
}
