public import CacheCore
internal import PolicySupport

/// Evicts in order of entry, but lets an object that was asked for go round again: second chance, with a counter each.
///
/// Corbató, "A paging experiment with the Multics system", MIT Project MAC, 1968; also called FIFO-Reinsertion. A hit
/// raises the object's counter up to `2^bits - 1`; the hand lowers the counters that it passes and evicts the first 0.
/// A hit is O(1), an eviction amortised O(1). Memory: 11 bytes an object of the trace, 19 where the capacity is in bytes. Replays in
/// objects with one bit run `ClockReplay`, which decides the same (4 bytes an object and 10 a resident object). Any capacity from 1 on works alike; an object larger than that is never admitted.
///
/// Dialect `caffeine`: the newcomer enters before the hand moves, so that it lies between the objects that the hand has
/// passed and those it has not, and is itself the victim when all others were asked for. libCacheSim's `clock` and
/// `fifo-reinsertion` are the paper's rules.
public struct ClockPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private enum Rules: String, Dialect { case paper, caffeine }

    /// The residents as the hand comes to them: it is at the back, and what it passes goes to the front.
    private var ring: ObjectLists<Sizes>
    private let counters: FixedBuffer<UInt16>
    private let capacity: Int
    private let largestCount: UInt16
    private let firstCount: UInt16
    private let newcomerFirst: Bool
    /// In Caffeine's order the missed object that was let in to see whom it pushes out, and has not been inserted.
    private var onTrial: ObjectID?

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
            ],
            memory: MemoryCost(
                perObject: 11, perResident: 0, perObjectInBytes: 19, perResidentInBytes: 0))
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
        largestCount = UInt16(1 << bits - 1)
        firstCount = UInt16(first)
        newcomerFirst = Rules(configuration) == .caffeine
        counters = FixedBuffer(repeating: 0, count: configuration.objects.count)
        ring = ObjectLists(objects: configuration.objects.count)
    }

    public var residentCount: Int { onTrial == nil ? ring.count() : ring.count() - 1 }
    public var residentWeight: Int { ring.weight() - (onTrial.map { ring.weight(of: $0) } ?? 0) }

    /// Raises the object's counter.
    public mutating func touch(_ request: Request) -> Bool {
        endTrial()
        guard ring.contains(request.id) else { return false }
        counters.update(request.id) { if $0 < largestCount { $0 += 1 } }
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
            letIn(request, weight)
            onTrial = nil
            while ring.weight() > capacity { evictOne(into: &sink) }
            return ring.contains(request.id)
        }
        while ring.weight() + weight > capacity { evictOne(into: &sink) }
        letIn(request, weight)
        return true
    }

    /// The first object whose counter is 0, to which the hand moves; in Caffeine's dialect perhaps the newcomer.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        if newcomerFirst {
            letIn(newcomer, Sizes.weight(of: newcomer))
            onTrial = newcomer.id
        }
        return ring.count() == 0 ? nil : moveHand()
    }

    /// Takes the object out of the ring.
    public mutating func remove(_ id: ObjectID) {
        if id == onTrial { onTrial = nil }
        ring.remove(id)
    }

    public func contains(_ id: ObjectID) -> Bool { ring.contains(id) && id != onTrial }
    public func prefetch(_ id: ObjectID) { ring.prefetch(id) }

    /// Puts the object in front, just behind the hand, unless it is there for trial.
    private mutating func letIn(_ newcomer: Request, _ weight: Int) {
        guard newcomer.id != onTrial else { return }
        endTrial()
        counters[newcomer.id] = firstCount
        ring.addToFront(newcomer.id, weight: weight)
    }

    /// Takes out what was let in for trial and refused.
    private mutating func endTrial() {
        guard let id = onTrial else { return }
        ring.remove(id)
        onTrial = nil
    }

    private mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        ring.evict(moveHand(), into: &sink)
    }

    /// Lowers counters until the hand is at an object whose counter is 0.
    private mutating func moveHand() -> ObjectID {
        while true {
            let object = ring.back()!
            guard counters[object] > 0 else { return object }
            counters[object] -= 1
            ring.moveToFront(object)
        }
    }
}
