internal import CacheCore

/// The residents of a policy that always evicts the object with the smallest key.
///
/// An id finds its slot through a flat index, and a heap orders the slots; there are no lists. Memory: 4 bytes an object
/// of the trace; 8 bytes and an entry of the heap a resident, 8 more when sizes are kept. A look is O(1), every change
/// O(log n).
struct PriorityTable<Key: Comparable & BitwiseCopyable, Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// The slot that no object has.
    private static var none: UInt32 { .max }

    private let index: FixedBuffer<UInt32>
    /// The object in each slot; in a slot without one, the next such slot.
    private let ids: FixedBuffer<UInt32>
    private let sizes: Sizes
    private var heap: IndexedHeap<Key>
    private var firstFree: UInt32
    private var firstUnused: UInt32 = 0
    private var weightInUse = 0

    /// An empty table for what a configuration allows; `filler` is any key. The heap is faster for knowing whether many
    /// keys are equal.
    init(_ configuration: PolicyConfiguration, filler: Key, hasManyEquals: Bool = false) {
        let limit = configuration.residentLimit
        index = FixedBuffer(repeating: Self.none, count: configuration.objects.count)
        ids = FixedBuffer(repeating: 0, count: limit)
        sizes = Sizes(slots: limit)
        heap = IndexedHeap(slots: limit, filler: filler, hasManyEquals: hasManyEquals)
        firstFree = Self.none
    }

    /// The number of residents.
    var count: Int { heap.count }

    /// The total weight of the residents.
    var weight: Int { Sizes.isUnit ? heap.count : weightInUse }

    /// The smallest key. Something must be resident.
    var smallestKey: Key { heap.smallestKey }

    /// The object with the smallest key, nil if nothing is resident.
    var first: ObjectID? { heap.count == 0 ? nil : ids[heap.minimum] }

    /// Whether an object is resident.
    func contains(_ id: ObjectID) -> Bool { index[id] != Self.none }

    /// Asks the processor to fetch an id's entry in the index.
    func prefetch(_ id: ObjectID) { index.prefetch(id) }
    /// Asks the processor to fetch where an id's key is kept.
    func prefetchEntry(_ id: ObjectID) { heap.prefetchPlace(index[id]) }
    /// Asks the processor to fetch what an id's key is compared with.
    func prefetchNeighbours(_ id: ObjectID) { heap.prefetchChildren(index[id]) }

    /// Changes the key of an object to what `body` makes of its key and weight, and returns true if it is resident.
    @inline(__always)
    func update(_ id: ObjectID, _ body: (Key, Int) -> Key) -> Bool {
        let slot = index[id]
        guard slot != Self.none else { return false }
        heap.update(slot, key: body(heap.key(of: slot), sizes.weight(at: slot)))
        return true
    }

    /// Lets in an object that is not resident; there is room for it.
    mutating func add(_ id: ObjectID, weight: Int, key: Key) {
        let slot: UInt32
        if firstFree != Self.none {
            slot = firstFree
            firstFree = ids[slot]
        } else {
            slot = firstUnused
            precondition(Int(slot) < ids.count, "more residents than the smallest size allows")
            firstUnused += 1
        }
        index[id] = slot
        ids[slot] = id
        sizes.setWeight(weight, at: slot)
        if !Sizes.isUnit { weightInUse += weight }
        heap.insert(slot, key: key)
    }

    /// Evicts the object with the smallest key, which leaves no ghost. Something must be resident.
    mutating func evictMinimum<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let slot = heap.removeMinimum()
        let id = ids[slot]
        release(slot)
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Takes an object out if it is resident.
    mutating func remove(_ id: ObjectID) {
        let slot = index[id]
        guard slot != Self.none else { return }
        heap.remove(slot)
        release(slot)
    }

    private mutating func release(_ slot: UInt32) {
        index[ids[slot]] = Self.none
        if !Sizes.isUnit { weightInUse -= sizes.weight(at: slot) }
        ids[slot] = firstFree
        firstFree = slot
    }
}
