public import CacheCore

/// Evicts the object whose next request is farthest in the future: the bound that no policy in objects can beat.
///
/// Belady, "A study of replacement algorithms for a virtual-storage computer", IBM Systems Journal 5(2), 1966 (MIN);
/// optimality: Mattson et al., 1970. An object that is never asked for again is farthest of all. Knows the future, so
/// it replays whole traces only. A hit is O(log n), amortised O(1) in practice, a miss O(log n); 4 bytes an object of
/// the trace and 24 a resident object (32 in bytes). Any capacity from 1 on works alike; an object larger than that is
/// never admitted. In bytes it ignores sizes when it chooses and is no bound. Ties among objects that are never asked
/// for again fall by the order of a binary heap, which is libCacheSim's too and matters in bytes only.
///
/// `bypass=true`: the newcomer is refused when its own next request is at least as far as that of every other, the
/// bound for caches that need not admit; Caffeine's `opt.Clairvoyant`.
public struct BeladyPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private static var unordered: UInt32 { 0 }

    /// One resident object in the heap; a slot's state is its place here.
    private struct Use: BitwiseCopyable {
        var next: UInt32
        var slot: UInt32
    }

    private var table: SlotTable<Sizes>
    /// A binary heap with the farthest use at place 1.
    private let heap: FixedBuffer<Use>
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
            ])
    }

    /// True: it reads each request's next index.
    public static var needsFuture: Bool { true }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        bypasses = configuration.parameters.text("bypass") == "true"
        let limit = configuration.residentLimit
        heap = FixedBuffer(repeating: Use(next: 0, slot: 0), count: limit + 1)
        table = SlotTable(objects: configuration.objects.count, slots: limit)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }

    /// Takes note of the object's next use.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.slot(of: request.id)
        guard slot != SlotTable<Sizes>.none else { return false }
        let place = table.state(at: slot)
        let use = Use(next: Self.next(of: request), slot: slot)
        if heap[place].next < use.next { rise(use, from: place) } else { sink(use, from: place) }
        return true
    }

    /// Evicts the farthest uses until there is room.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        let next = Self.next(of: request)
        var fits = weight <= capacity
        while fits, table.weight + weight > capacity {
            let farthest = heap[1]
            if bypasses, next >= farthest.next {
                fits = false
            } else {
                leave(1)
                table.evict(farthest.slot, into: &sink)
            }
        }
        guard fits else {
            sink.forgotten(request.id)
            return false
        }
        let slot = table.add(request.id, weight: weight, toHeadOf: Self.unordered)
        rise(Use(next: next, slot: slot), from: UInt32(table.count))
        return true
    }

    /// Takes the object out of the heap.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != SlotTable<Sizes>.none else { return }
        leave(table.state(at: slot))
        table.release(slot)
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }

    /// The position of the next request in 32 bits, like the column that it comes from.
    private static func next(of request: Request) -> UInt32 { UInt32(clamping: request.nextIndex) }

    /// Fills a place with the last use of the heap, before the slot there is released.
    private func leave(_ place: UInt32) {
        let last = UInt32(table.count)
        guard place != last else { return }
        let use = heap[last]
        if heap[place].next < use.next {
            rise(use, from: place)
        } else {
            sink(use, from: place, last: last - 1)
        }
    }

    private func put(_ use: Use, at place: UInt32) {
        heap[place] = use
        table.setState(place, at: use.slot)
    }

    private func rise(_ use: Use, from start: UInt32) {
        var place = start
        while place > 1 {
            let parent = heap[place / 2]
            guard parent.next < use.next else { break }
            put(parent, at: place)
            place /= 2
        }
        put(use, at: place)
    }

    private func sink(_ use: Use, from start: UInt32) { sink(use, from: start, last: UInt32(table.count)) }

    private func sink(_ use: Use, from start: UInt32, last: UInt32) {
        var place = start
        while place * 2 <= last {
            var child = place * 2
            if child < last, heap[child].next < heap[child + 1].next { child += 1 }
            guard use.next < heap[child].next else { break }
            put(heap[child], at: place)
            place = child
        }
        put(use, at: place)
    }
}
