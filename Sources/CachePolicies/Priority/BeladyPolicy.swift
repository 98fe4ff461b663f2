public import CacheCore

/// Evicts the object whose next request is farthest in the future: the bound that no policy in objects can beat.
///
/// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966 (MIN);
/// optimality: Mattson et al., 1970. An object that is never asked for again is farthest of all. Knows the future, so
/// it replays whole traces only. In objects it does that by `BeladyReplay`: O(1) a request, 0.13 bytes a request. In
/// bytes, behind a filter and driven request by request a hit is O(log n), amortised O(1) in practice, a miss O(log n); 4
/// bytes an object of the trace and 16 a resident object (24 in bytes). Any capacity from 1 on works alike; an object larger than that is
/// never admitted. In bytes it ignores sizes when it chooses and is no bound. Ties among objects that are never asked
/// for again fall by the order of a binary heap, which is libCacheSim's too and matters in bytes only.
///
/// `bypass=true`: the newcomer is refused when its own next request is at least as far as that of every other, the
/// bound for caches that need not admit; Caffeine's `opt.Clairvoyant`.
public struct BeladyPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    /// The residents by how far before the largest position their next use is: the farthest use leaves first.
    private var table: PriorityTable<UInt32, Sizes>
    private let capacity: Int
    private let bypasses: Bool

    /// Whether it may refuse the newcomer.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "belady", aliases: ["min", "opt"], family: "bound",
            summary: "Evicts the object whose next request is farthest in the future.",
            citation: "Belady, IBM Systems Journal 5(2), 1966",
            parameters: [
                ParameterSpecification(
                    "bypass", .choice(default: "false", ["false", "true"]),
                    "Whether a newcomer is refused when its next request is the farthest.")
            ],
            stackOrders: ["bypass=false": .nearestNextUse, "bypass=true": .nearestNextUseWithBypass],
            memory: MemoryCost(perObject: 4, perResident: 16, perRequest: 0.13))
    }

    /// True: it reads each request's next index.
    public static var needsFuture: Bool { true }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        bypasses = configuration.parameters.text("bypass") == "true"
        // Most victims are among the many that are never asked for again.
        table = PriorityTable(configuration, filler: 0, hasManyEquals: true)
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }

    /// Takes note of the object's next use.
    public mutating func touch(_ request: Request) -> Bool {
        table.update(request.id) { _, _ in Self.earliness(of: request) }
    }

    /// Evicts the farthest uses until there is room.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        let earliness = Self.earliness(of: request)
        var fits = weight <= capacity
        while fits, table.weight + weight > capacity {
            if bypasses, earliness <= table.smallestKey {
                fits = false
            } else {
                table.evictMinimum(into: &sink)
            }
        }
        guard fits else {
            sink.forgotten(request.id)
            return false
        }
        table.add(request.id, weight: weight, key: earliness)
        return true
    }

    /// The object with the farthest use.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? { table.first }

    /// Takes the object out of the order.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    /// How far before the largest position the next request is, in 32 bits like the column that it comes from.
    private static func earliness(of request: Request) -> UInt32 { ~UInt32(clamping: request.nextIndex) }
}
