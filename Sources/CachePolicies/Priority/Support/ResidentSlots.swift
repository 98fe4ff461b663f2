internal import CacheCore

/// A slot for each resident object, in no order: what a policy needs that orders them by a heap.
///
/// An id finds its slot through a flat index; there are no lists. Memory: 4 bytes an object of the trace; 4 bytes a resident, 8
/// more when sizes are kept. All operations are O(1).
struct ResidentSlots<Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// The slot that no object has.
    static var none: UInt32 { .max }

    let index: FixedBuffer<UInt32>
    /// The object in each slot; in a slot without one, the next such slot.
    let ids: FixedBuffer<UInt32>
    private let sizes: Sizes
    private var firstFree: UInt32
    private var firstUnused: UInt32 = 0
    private var weightInUse = 0
    /// The number of residents.
    private(set) var count = 0

    /// No residents yet, of as many as a configuration allows.
    init(_ configuration: PolicyConfiguration) {
        let limit = configuration.residentLimit
        index = FixedBuffer(repeating: Self.none, count: configuration.objects.count)
        ids = FixedBuffer(repeating: 0, count: limit)
        sizes = Sizes(slots: limit)
        firstFree = Self.none
    }

    /// The total weight of the residents.
    var weight: Int { Sizes.isUnit ? count : weightInUse }

    /// Whether an object is resident.
    func contains(_ id: ObjectID) -> Bool { index[id] != Self.none }
    /// The slot of an object, `none` if it is not resident.
    func slot(of id: ObjectID) -> UInt32 { index[id] }
    /// The object in a slot.
    func id(at slot: UInt32) -> ObjectID { ids[slot] }
    /// The weight that the object in a slot was admitted with.
    func weight(at slot: UInt32) -> Int { sizes.weight(at: slot) }
    /// Asks the processor to fetch an id's entry in the index.
    func prefetch(_ id: ObjectID) { index.prefetch(id) }

    /// Gives a slot to an object that has none; there is room for it.
    mutating func add(_ id: ObjectID, weight: Int) -> UInt32 {
        let slot: UInt32
        if firstFree != Self.none {
            slot = firstFree
            firstFree = ids[slot]
        } else {
            slot = firstUnused
            precondition(Int(slot) < ids.count, "more residents than the smallest size allows")
            firstUnused += 1
        }
        count += 1
        index[id] = slot
        ids[slot] = id
        sizes.setWeight(weight, at: slot)
        if !Sizes.isUnit { weightInUse += weight }
        return slot
    }

    /// Takes a slot away from its object and reports that this left for space and is forgotten.
    mutating func evict<Sink: EvictionSink & ~Copyable>(_ slot: UInt32, into sink: inout Sink) {
        let id = ids[slot]
        release(slot)
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Takes a slot away from its object.
    mutating func release(_ slot: UInt32) {
        count -= 1
        index[ids[slot]] = Self.none
        if !Sizes.isUnit { weightInUse -= sizes.weight(at: slot) }
        ids[slot] = firstFree
        firstFree = slot
    }
}
