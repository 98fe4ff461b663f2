/// The bookkeeping that most policies share: a slot for each object that is resident or a ghost, and ordered lists of
/// slots.
///
/// An id finds its slot through a flat index; slots are small and dense, so that the lists of a cache far smaller than
/// the trace stay in the processor's cache. Lists are circular with a sentinel slot each, so that linking has no
/// branch. Memory: 4 bytes an id, 16 bytes a slot, and 8 more a slot when sizes are kept. All operations are O(1).
@frozen
public struct SlotTable<Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// One slot: its place in a list, its object, and a word of state that belongs to the policy.
    @frozen
    public struct Slot: BitwiseCopyable {
        /// The neighbour towards the head.
        public var previous: UInt32
        /// The neighbour towards the tail.
        public var next: UInt32
        /// The object.
        public var id: ObjectID
        /// Whatever the policy keeps for each object: a bit, a counter, a list's number.
        public var state: UInt32

        @usableFromInline init(previous: UInt32, next: UInt32) {
            self.previous = previous
            self.next = next
            id = 0
            state = 0
        }
    }

    /// The slot that no object has.
    @inlinable public static var none: UInt32 { .max }

    @usableFromInline let index: FixedBuffer<UInt32>
    @usableFromInline let slots: FixedBuffer<Slot>
    @usableFromInline let sizes: Sizes
    @usableFromInline let listCount: UInt32
    @usableFromInline var firstFree: UInt32
    @usableFromInline var firstUnused: UInt32
    @usableFromInline var slotsInUse = 0
    @usableFromInline var weightInUse = 0

    /// A table for ids `0..<objects` with room for `slots` of them together, in `lists` lists named `0..<lists`.
    @inlinable
    public init(objects: Int, slots count: Int, lists: Int = 1) {
        precondition(objects < Int(UInt32.max) - lists, "object ids are 32 bits wide")
        let total = min(objects, count) + lists
        index = FixedBuffer(repeating: UInt32.max, count: objects)
        slots = FixedBuffer(repeating: Slot(previous: 0, next: 0), count: total)
        sizes = Sizes(slots: total)
        listCount = UInt32(lists)
        firstFree = Self.none
        firstUnused = UInt32(lists)
        for list in 0..<UInt32(lists) { slots[list] = Slot(previous: list, next: list) }
    }

    /// The number of objects that have a slot.
    @inlinable @inline(__always)
    public var count: Int { slotsInUse }

    /// The total weight of the objects that have a slot.
    @inlinable @inline(__always)
    public var weight: Int { Sizes.isUnit ? slotsInUse : weightInUse }

    /// The slot of an object, `none` if it has no slot.
    @inlinable @inline(__always)
    public func slot(of id: ObjectID) -> UInt32 { index[id] }

    /// The object in a slot.
    @inlinable @inline(__always)
    public func id(at slot: UInt32) -> ObjectID { slots[slot].id }

    /// The policy's word of a slot.
    @inlinable @inline(__always)
    public func state(at slot: UInt32) -> UInt32 { slots[slot].state }

    /// Changes the policy's word of a slot.
    @inlinable @inline(__always)
    public func setState(_ state: UInt32, at slot: UInt32) { slots.update(slot) { $0.state = state } }

    /// The weight that the object in a slot was admitted with.
    @inlinable @inline(__always)
    public func weight(at slot: UInt32) -> Int { sizes.weight(at: slot) }

    /// Whether an object has a slot.
    @inlinable @inline(__always)
    public func contains(_ id: ObjectID) -> Bool { index[id] != Self.none }

    /// Gives an object a slot at the head of a list. The object must have none, and a slot must be left.
    @inlinable @inline(__always) @discardableResult
    public mutating func add(_ id: ObjectID, weight: Int, state: UInt32 = 0, toHeadOf list: UInt32) -> UInt32 {
        let slot: UInt32
        if firstFree != Self.none {
            slot = firstFree
            firstFree = slots[slot].next
        } else {
            slot = firstUnused
            precondition(Int(slot) < slots.count, "more objects than the slots that were asked for")
            firstUnused += 1
        }
        slotsInUse &+= 1
        if !Sizes.isUnit { weightInUse &+= weight }
        index[id] = slot
        sizes.setWeight(weight, at: slot)
        slots.update(slot) {
            $0.id = id
            $0.state = state
        }
        linkAfter(list, slot)
        return slot
    }

    /// Takes a slot out of its list and away from its object.
    @inlinable @inline(__always)
    public mutating func release(_ slot: UInt32) {
        unlink(slot)
        prefetchFollower(of: slot)
        slotsInUse &-= 1
        if !Sizes.isUnit { weightInUse &-= sizes.weight(at: slot) }
        index[slots[slot].id] = Self.none
        slots.update(slot) { $0.next = firstFree }
        firstFree = slot
    }

    /// Takes the slot of a resident object away and reports that the object left for space and is forgotten.
    @inlinable @inline(__always)
    public mutating func evict<Sink: EvictionSink & ~Copyable>(_ slot: UInt32, into sink: inout Sink) {
        let id = slots[slot].id
        release(slot)
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Gives a slot to another object, which must have none and weigh as much, at the head of a list.
    @inlinable @inline(__always)
    public func exchange(_ slot: UInt32, for id: ObjectID, state: UInt32 = 0, toHeadOf list: UInt32) {
        index[slots[slot].id] = Self.none
        index[id] = slot
        slots.update(slot) {
            $0.id = id
            $0.state = state
        }
        move(slot, toHeadOf: list)
    }

    /// Takes the slot of an object away, if it has one.
    @inlinable @inline(__always)
    public mutating func remove(_ id: ObjectID) {
        let slot = index[id]
        if slot != Self.none { release(slot) }
    }

    /// The slot at the head of a list, `none` if it is empty.
    @inlinable @inline(__always)
    public func head(of list: UInt32) -> UInt32 {
        let slot = slots[list].next
        return slot == list ? Self.none : slot
    }

    /// The slot at the tail of a list, `none` if it is empty.
    @inlinable @inline(__always)
    public func tail(of list: UInt32) -> UInt32 {
        let slot = slots[list].previous
        return slot == list ? Self.none : slot
    }

    /// The neighbour of a slot towards the head, `none` at the head.
    @inlinable @inline(__always)
    public func previous(of slot: UInt32) -> UInt32 {
        let previous = slots[slot].previous
        return previous < listCount ? Self.none : previous
    }

    /// The neighbour of a slot towards the tail, `none` at the tail.
    @inlinable @inline(__always)
    public func next(of slot: UInt32) -> UInt32 {
        let next = slots[slot].next
        return next < listCount ? Self.none : next
    }

    /// Moves a slot to the head of a list, its own or another.
    @inlinable @inline(__always)
    public func move(_ slot: UInt32, toHeadOf list: UInt32) {
        unlink(slot)
        linkAfter(list, slot)
    }

    /// Moves a slot to the tail of a list, its own or another.
    @inlinable @inline(__always)
    public func move(_ slot: UInt32, toTailOf list: UInt32) {
        unlink(slot)
        linkAfter(slots[list].previous, slot)
    }

    /// Asks the processor to fetch an id's entry in the index.
    @inlinable @inline(__always)
    public func prefetch(_ id: ObjectID) { index.prefetch(id) }

    /// Asks the processor to fetch the slot of an id, whose entry in the index has been fetched.
    @inlinable @inline(__always)
    public func prefetchEntry(_ id: ObjectID) {
        // Asked before the index is read, which costs more than what it would fetch where slots are near.
        guard slots.isFar else { return }
        slots.prefetchIfFar(index[id])
    }

    /// Asks the processor to fetch the neighbours of an id's slot, which has been fetched.
    @inlinable @inline(__always)
    public func prefetchNeighbours(_ id: ObjectID) {
        guard slots.isFar else { return }
        let slot = index[id]
        // An id without a slot goes for the first list.
        let entry = slots[slot == Self.none ? 0 : slot]
        slots.prefetchIfFar(entry.previous)
        slots.prefetchIfFar(entry.next)
    }

    /// Asks the processor to fetch a slot; `none` for no slot.
    @inlinable @inline(__always)
    public func prefetchSlot(_ slot: UInt32) { slots.prefetchIfFar(slot) }

    /// Asks the processor to fetch what it takes for the slot that came before another to leave: the next victim, where
    /// objects leave by the tail. Its own line has been fetched to unlink the other.
    @inlinable @inline(__always)
    func prefetchFollower(of slot: UInt32) {
        guard slots.isFar || index.isFar else { return }
        let follower = slots[slots[slot].previous]
        index.prefetchIfFar(follower.id)
        slots.prefetchIfFar(follower.previous)
    }

    @inlinable @inline(__always)
    func unlink(_ slot: UInt32) {
        let entry = slots[slot]
        slots.update(entry.previous) { $0.next = entry.next }
        slots.update(entry.next) { $0.previous = entry.previous }
    }

    @inlinable @inline(__always)
    func linkAfter(_ anchor: UInt32, _ slot: UInt32) {
        let next = slots[anchor].next
        slots.update(slot) {
            $0.previous = anchor
            $0.next = next
        }
        slots.update(next) { $0.previous = slot }
        slots.update(anchor) { $0.next = slot }
    }
}
