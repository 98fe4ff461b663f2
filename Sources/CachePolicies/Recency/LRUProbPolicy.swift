public import CacheCore

/// LRU in which a hit moves its object to the front only with some probability.
///
/// Lazy promotion (Yang, Qiu, Zhang, Yue and Rashmi, "FIFO can be better than LRU", ACM HotOS 2023) by chance, between
/// FIFO, never, and LRU, always: popular objects are asked for often enough to be moved in time, and the other hits
/// write nothing. libCacheSim has it as `lru-prob`, with draws of its own and 1 ÷
/// `probability` rounded down to a whole number. Every operation is O(1) amortised; 4 bytes an object of the trace (12 in bytes) and
/// 25 a resident object. Any capacity from 1 on works alike; an object larger than that is never admitted, and
/// a size holds until its object leaves.
public struct LRUProbPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private var queue: RecencyQueue<Sizes>
    private var generator: SeededGenerator
    /// The draws, of 53 bits, below this promote.
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
            ], isDeterministic: false,
            memory: MemoryCost(
                perObject: 4, perResident: 25, fixed: 5760, perObjectInBytes: 12, perResidentInBytes: 25))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        generator = SeededGenerator(seed: configuration.seed)
        promoting = UInt64(configuration.parameters.number("probability") * 0x1p53)
        queue = RecencyQueue(
            objects: configuration.objects.count, residents: configuration.residentLimit,
            slotsPerResident: configuration.logSlotsPerResident)
    }

    public var residentCount: Int { queue.count }
    public var residentWeight: Int { queue.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Moves a resident object to the front, or not.
    public mutating func touch(_ request: Request) -> Bool {
        guard queue.contains(request.id) else { return false }
        if generator.next() >> 11 < promoting { queue.renew(request.id) }
        return true
    }

    /// Evicts the object at the back.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) { queue.evict(into: &sink) }

    /// Puts the object in front.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        queue.append(request.id, weight: weight)
    }

    /// Whether the cache is full of objects that weigh 1.
    public var canServeBlock: Bool { Sizes.isUnit && queue.count == capacity }
    /// Serves a full cache without a branch.
    @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        queue.serveBlock(block, renewingBelow: promoting, of: &generator)
    }

    /// The object at the back.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        queue.count == 0 ? nil : queue.oldest()
    }

    /// Takes the object out of the queue.
    public mutating func remove(_ id: ObjectID) { queue.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
    public func prefetch(_ id: ObjectID) { queue.prefetch(id) }
}
