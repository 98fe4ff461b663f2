internal import CacheCore

/// The residents of a policy that always evicts the object with the smallest key.
///
/// Memory: as of ``ResidentSlots``, and 4 bytes and an entry of the heap a resident. A look is O(1), every change O(log n).
struct PriorityTable<Key: Comparable & BitwiseCopyable, Sizes: SizeStore & ~Copyable>: ~Copyable {
    private var slots: ResidentSlots<Sizes>
    private var heap: IndexedHeap<Key>

    /// An empty table for what a configuration allows; `filler` is any key. The heap is faster for knowing whether many
    /// keys are equal.
    init(_ configuration: PolicyConfiguration, filler: Key, hasManyEquals: Bool = false) {
        slots = ResidentSlots(configuration)
        heap = IndexedHeap(slots: configuration.residentLimit, filler: filler, hasManyEquals: hasManyEquals)
    }

    /// The number of residents.
    var count: Int { slots.count }

    /// The total weight of the residents.
    var weight: Int { slots.weight }

    /// The smallest key. Something must be resident.
    var smallestKey: Key { heap.smallestKey }

    /// The object with the smallest key, nil if nothing is resident.
    var first: ObjectID? { heap.count == 0 ? nil : slots.id(at: heap.minimum) }

    /// Whether an object is resident.
    func contains(_ id: ObjectID) -> Bool { slots.contains(id) }

    /// Asks the processor to fetch an id's entry in the index.
    func prefetch(_ id: ObjectID) { slots.prefetch(id) }
    /// Asks the processor to fetch where an id's key is kept.
    func prefetchEntry(_ id: ObjectID) { heap.prefetchPlace(slots.slot(of: id)) }
    /// Asks the processor to fetch what an id's key is compared with.
    func prefetchNeighbours(_ id: ObjectID) { heap.prefetchChildren(slots.slot(of: id)) }

    /// Changes the key of an object to what `body` makes of its key and weight, and returns true if it is resident.
    @inline(__always)
    func update(_ id: ObjectID, _ body: (Key, Int) -> Key) -> Bool {
        let slot = slots.slot(of: id)
        guard slot != ResidentSlots<Sizes>.none else { return false }
        heap.update(slot, key: body(heap.key(of: slot), slots.weight(at: slot)))
        return true
    }

    /// Lets in an object that is not resident; there is room for it.
    mutating func add(_ id: ObjectID, weight: Int, key: Key) {
        heap.insert(slots.add(id, weight: weight), key: key)
    }

    /// Evicts the object with the smallest key, which leaves no ghost. Something must be resident.
    mutating func evictMinimum<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        slots.evict(heap.removeMinimum(), into: &sink)
    }

    /// Serves requests that leave all keys equal, as they must be, and each of which that misses evicts one object for another
    /// that weighs as much. There must be two residents at least. Returns a bit for each, the lowest for the last, set where it
    /// missed.
    ///
    /// Among equals the first in the heap leaves, the last takes its place, and the newcomer comes last: so two slots change
    /// places at every miss, and all others stay where they are. Hits and misses take the same instructions, because to
    /// the processor a hit is the toss of a coin.
    @inline(__always)
    mutating func exchangeEquals(_ block: ObjectBlock) -> UInt64 {
        let (index, ids) = (slots.index.base, slots.ids.base)
        var (first, last) = (heap.minimum, heap.end)
        var (leaver, newest) = (ids[Int(first)], ids[Int(last)])
        var misses: UInt64 = 0
        for request in 0..<block.count {
            slots.prefetch(block.upcoming(request))
            let id = block[request]
            let slot = index[Int(id)]
            let missed: UInt32 = slot == ResidentSlots<Sizes>.none ? .max : 0
            // A hit writes down again what is known.
            index[Int(leaver)] = first | missed
            index[Int(id)] = first & missed | slot & ~missed
            leaver = newest & missed | leaver & ~missed
            newest = id & missed | newest & ~missed
            let change = (first ^ last) & missed
            first ^= change
            last ^= change
            misses = misses &<< 1 | UInt64(missed & 1)
        }
        (ids[Int(first)], ids[Int(last)]) = (leaver, newest)
        if first != heap.minimum { heap.swapEnds() }
        return misses
    }

    /// Takes an object out if it is resident.
    mutating func remove(_ id: ObjectID) {
        let slot = slots.slot(of: id)
        guard slot != ResidentSlots<Sizes>.none else { return }
        heap.remove(slot)
        slots.release(slot)
    }
}
