public import CacheCore

/// Evicts the first object that was not asked for since the hand last passed, and leaves the others where they are.
///
/// Zhang, Yang, Yue, Vigfusson and Rashmi, "SIEVE is simpler than LRU", NSDI 2024. Newcomers enter in front; the
/// hand walks from the back to the front, clears the visited bits that it passes, evicts the first object without one,
/// and then stands at the next one. A miss is `VictimPolicy.insert`: `evictOne` until there is room, `admit`.
///
/// A hit is O(1), an eviction amortised O(1). Memory: 10 bytes an object of the trace, 18 where the capacity is in bytes. Replays in
/// objects run `SIEVEReplay`, which decides the same (4 bytes an object and 25 a resident object). Any capacity from 1 on works alike; an object larger than that is never admitted.
/// libCacheSim and Caffeine follow the paper.
public struct SIEVEPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    /// The residents in the order in which they entered, the newest in front.
    private var queue: ObjectLists<Sizes>
    /// The bits by object; the elements of a buffer change though it is a `let`.
    private let isVisited: FixedBuffer<Bool>
    /// The object at which the hand looks next; nil for the one at the back.
    private var hand: ObjectID?
    /// The most weight that may be resident.
    public let capacity: Int

    /// SIEVE has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "sieve", family: "recency",
            summary: "A hand evicts the first object that was not asked for since it last passed.",
            citation: "Zhang et al., NSDI 2024",
            memory: MemoryCost(perObject: 10, perResident: 0, perObjectInBytes: 18, perResidentInBytes: 0))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        queue = ObjectLists(objects: configuration.objects.count)
        isVisited = FixedBuffer(repeating: false, count: configuration.objects.count)
    }

    public var residentCount: Int { queue.count() }
    public var residentWeight: Int { queue.weight() }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Sets the visited bit.
    public mutating func touch(_ request: Request) -> Bool {
        guard queue.contains(request.id) else { return false }
        isVisited[request.id] = true
        return true
    }

    /// Evicts the object at which the hand stops; the hand then stands at the next one towards the front.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let victim = moveHand()
        hand = queue.ahead(of: victim)
        queue.evict(victim, into: &sink)
    }

    /// Puts the object in front, not visited.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        queue.addToFront(request.id, weight: weight)
        isVisited[request.id] = false
    }

    /// Moves the hand towards the front, and round to the back, until it is at an object that was not visited.
    private mutating func moveHand() -> ObjectID {
        var object = hand ?? queue.back()!
        while isVisited[object] {
            isVisited[object] = false
            object = queue.ahead(of: object) ?? queue.back()!
        }
        // For `nextVictim`: an eviction moves it on.
        hand = object
        return object
    }

    /// The object at which the hand stops; the hand moves and clears bits as the eviction would have it do.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? { queue.count() == 0 ? nil : moveHand() }

    /// Takes the object out of the queue.
    public mutating func remove(_ id: ObjectID) {
        if hand == id { hand = queue.ahead(of: id) }
        queue.remove(id)
    }

    public func contains(_ id: ObjectID) -> Bool { queue.contains(id) }
    public func prefetch(_ id: ObjectID) { queue.prefetch(id) }
}
