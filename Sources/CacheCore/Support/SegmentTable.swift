/// A ``SlotTable`` whose lists are the segments of a cache: each knows how full it is, and the last ones hold ghosts.
///
/// The low byte of a slot's word is its segment and is kept here; the 24 bits above are the policy's mark. An object is
/// in one segment at a time. Memory as for ``SlotTable``, plus 16 bytes a segment. All operations are O(1) but
/// ``trim(_:to:into:)``, which is O(1) for each ghost it drops.
@frozen
public struct SegmentTable<Sizes: SizeStore & ~Copyable>: ~Copyable {
    @frozen @usableFromInline
    struct Fill: BitwiseCopyable {
        @usableFromInline var count = 0
        @usableFromInline var weight = 0
        @inlinable init() {}
    }

    /// The slot that no object has.
    @inlinable public static var none: UInt32 { .max }
    /// The largest mark that a slot can carry.
    @inlinable public static var largestMark: UInt32 { 0xFF_FFFF }

    @usableFromInline var table: SlotTable<Sizes>
    @usableFromInline let fills: FixedBuffer<Fill>
    @usableFromInline let residentSegments: UInt32
    @usableFromInline var residents = Fill()
    /// The object that is being inserted, `.max` for none: if its ghost is dropped meanwhile, that is not reported.
    public var incoming: ObjectID = .max

    /// A table for ids `0..<objects` with room for `slots` of them, resident and ghost, together.
    ///
    /// Segments `0..<resident` hold resident objects, the `ghosts` segments after them hold ghosts.
    @inlinable
    public init(objects: Int, slots: Int, resident: Int, ghosts: Int = 0) {
        precondition(resident + ghosts <= 0xFF, "a segment's number is one byte")
        table = SlotTable(objects: objects, slots: slots, lists: resident + ghosts)
        fills = FixedBuffer(repeating: Fill(), count: resident + ghosts)
        residentSegments = UInt32(resident)
    }

    /// The number of resident objects.
    @inlinable @inline(__always)
    public var residentCount: Int { residents.count }

    /// The total weight of the resident objects.
    @inlinable @inline(__always)
    public var residentWeight: Int { Sizes.isUnit ? residents.count : residents.weight }

    /// The total weight of a segment.
    @inlinable @inline(__always)
    public func weight(of segment: UInt32) -> Int {
        Sizes.isUnit ? fills[segment].count : fills[segment].weight
    }

    /// Whether a segment holds nothing. An object of size 0 counts.
    @inlinable @inline(__always)
    public func isEmpty(_ segment: UInt32) -> Bool { table.tail(of: segment) == Self.none }

    /// The slot of an object, resident or ghost; `none` if it has no slot.
    @inlinable @inline(__always)
    public func slot(of id: ObjectID) -> UInt32 { table.slot(of: id) }

    /// The segment of a slot.
    @inlinable @inline(__always)
    public func segment(at slot: UInt32) -> UInt32 { table.state(at: slot) & 0xFF }

    /// Whether a slot's object is resident.
    @inlinable @inline(__always)
    public func isResident(_ slot: UInt32) -> Bool { segment(at: slot) < residentSegments }

    /// Whether an object is resident.
    @inlinable @inline(__always)
    public func contains(_ id: ObjectID) -> Bool {
        let slot = table.slot(of: id)
        return slot != Self.none && isResident(slot)
    }

    /// The slot of a resident object, `none` for a ghost and for anything else.
    @inlinable @inline(__always)
    public func residentSlot(of id: ObjectID) -> UInt32 {
        let slot = table.slot(of: id)
        return slot != Self.none && isResident(slot) ? slot : Self.none
    }

    /// The object in a slot.
    @inlinable @inline(__always)
    public func id(at slot: UInt32) -> ObjectID { table.id(at: slot) }

    /// The weight that the object in a slot was admitted with.
    @inlinable @inline(__always)
    public func weight(at slot: UInt32) -> Int { table.weight(at: slot) }

    /// The policy's mark of a slot.
    @inlinable @inline(__always)
    public func mark(at slot: UInt32) -> UInt32 { table.state(at: slot) >> 8 }

    /// Changes the policy's mark of a slot, at most ``largestMark``.
    @inlinable @inline(__always)
    public func setMark(_ mark: UInt32, at slot: UInt32) {
        table.setState(mark << 8 | segment(at: slot), at: slot)
    }

    /// The slot at the head of a segment, `none` if it is empty.
    @inlinable @inline(__always)
    public func head(of segment: UInt32) -> UInt32 { table.head(of: segment) }

    /// The slot at the tail of a segment, `none` if it is empty.
    @inlinable @inline(__always)
    public func tail(of segment: UInt32) -> UInt32 { table.tail(of: segment) }

    /// The neighbour of a slot towards the head of its segment, `none` at the head.
    @inlinable @inline(__always)
    public func previous(of slot: UInt32) -> UInt32 { table.previous(of: slot) }

    /// Gives an object without a slot one at the head of a segment, with mark 0.
    @inlinable @inline(__always) @discardableResult
    public mutating func add(_ id: ObjectID, weight: Int, toHeadOf segment: UInt32) -> UInt32 {
        let slot = table.add(id, weight: weight, state: segment, toHeadOf: segment)
        account(weight, of: segment, by: 1)
        return slot
    }

    /// Moves a slot to the head of the segment that it is in. Keeps its mark.
    @inlinable @inline(__always)
    public func moveToHead(_ slot: UInt32) { table.move(slot, toHeadOf: segment(at: slot)) }

    /// Moves a slot to the head of a segment and sets its mark.
    @inlinable @inline(__always)
    public mutating func move(_ slot: UInt32, toHeadOf segment: UInt32, mark: UInt32 = 0) {
        let weight = table.weight(at: slot)
        account(weight, of: self.segment(at: slot), by: -1)
        table.move(slot, toHeadOf: segment)
        table.setState(mark << 8 | segment, at: slot)
        account(weight, of: segment, by: 1)
    }

    /// Moves a slot to the tail of a segment and clears its mark.
    @inlinable @inline(__always)
    public mutating func move(_ slot: UInt32, toTailOf segment: UInt32) {
        let weight = table.weight(at: slot)
        account(weight, of: self.segment(at: slot), by: -1)
        table.move(slot, toTailOf: segment)
        table.setState(segment, at: slot)
        account(weight, of: segment, by: 1)
    }

    /// Moves a slot to the head of another segment, and then gives a slot of that one to a new object at the head of the first:
    /// both are as full as before. All three objects must weigh 1; the second segment may be one of ghosts.
    @inlinable @inline(__always)
    public func pass(
        _ slot: UInt32, from first: UInt32, to second: UInt32, exchanging other: UInt32, for id: ObjectID
    ) {
        table.move(slot, toHeadOf: second)
        table.setState(second, at: slot)
        table.exchange(other, for: id, state: first, toHeadOf: first)
    }

    /// Gives a slot of a segment to a new object at the head of it, with mark 0. Both must be resident and weigh 1.
    @inlinable @inline(__always)
    public func exchange(_ slot: UInt32, of segment: UInt32, for id: ObjectID) {
        table.exchange(slot, for: id, state: segment, toHeadOf: segment)
    }

    /// Moves a slot of one segment to the head of another, and the tail of that to the head of the first: both are as full as
    /// before. Clears the marks. Both objects must weigh 1, and the second segment must not be empty.
    @inlinable @inline(__always)
    public func swap(_ slot: UInt32, from first: UInt32, withTailOf second: UInt32) {
        let other = table.tail(of: second)
        table.move(slot, toHeadOf: second)
        table.setState(second, at: slot)
        table.move(other, toHeadOf: first)
        table.setState(first, at: other)
    }

    /// Takes a slot away from its object.
    @inlinable @inline(__always)
    public mutating func release(_ slot: UInt32) {
        account(table.weight(at: slot), of: segment(at: slot), by: -1)
        table.release(slot)
    }

    /// Takes the slot of an object away, resident or ghost, if it has one.
    @inlinable @inline(__always)
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        if slot != Self.none { release(slot) }
    }

    /// Asks the processor to fetch an id's entry in the index.
    @inlinable @inline(__always)
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }

    /// Asks the processor to fetch the slot of an id, whose entry in the index has been fetched.
    @inlinable @inline(__always)
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }

    /// Asks the processor to fetch the neighbours of an id's slot, which has been fetched.
    @inlinable @inline(__always)
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    /// Asks the processor to fetch a slot; `none` for no slot.
    @inlinable @inline(__always)
    public func prefetchSlot(_ slot: UInt32) { table.prefetchSlot(slot) }

    @inlinable @inline(__always)
    mutating func account(_ weight: Int, of segment: UInt32, by sign: Int) {
        fills.update(segment) {
            $0.count &+= sign
            if !Sizes.isUnit { $0.weight &+= sign &* weight }
        }
        guard segment < residentSegments else { return }
        residents.count &+= sign
        if !Sizes.isUnit { residents.weight &+= sign &* weight }
    }
}

extension SegmentTable where Sizes: ~Copyable {
    /// Gives up a resident object without leaving a ghost.
    @inlinable @inline(__always)
    public mutating func evict<Sink: EvictionSink & ~Copyable>(_ slot: UInt32, into sink: inout Sink) {
        let id = table.id(at: slot)
        release(slot)
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Gives up a resident object and leaves a ghost at the head of a segment that is then trimmed to `limit`.
    ///
    /// An object heavier than the limit leaves no ghost, and no other ghost makes way for it. The ghost carries `mark`.
    @inlinable @inline(__always)
    public mutating func evict<Sink: EvictionSink & ~Copyable>(
        _ slot: UInt32, toGhosts segment: UInt32, limit: Int, mark: UInt32 = 0, into sink: inout Sink
    ) {
        let weight = table.weight(at: slot)
        guard weight <= limit else { return evict(slot, into: &sink) }
        sink.evicted(table.id(at: slot))
        table.prefetchFollower(of: slot)
        trim(segment, to: limit - weight, into: &sink)
        move(slot, toHeadOf: segment, mark: mark)
    }

    /// Drops ghosts from the tail of a segment until it weighs at most `limit`.
    @inlinable @inline(__always)
    public mutating func trim<Sink: EvictionSink & ~Copyable>(
        _ segment: UInt32, to limit: Int, into sink: inout Sink
    ) {
        while weight(of: segment) > limit { forgetTail(of: segment, into: &sink) }
    }

    /// Drops the ghost at the tail of a segment.
    @inlinable @inline(__always)
    public mutating func forgetTail<Sink: EvictionSink & ~Copyable>(of segment: UInt32, into sink: inout Sink) {
        let slot = table.tail(of: segment)
        let id = table.id(at: slot)
        release(slot)
        if id != incoming { sink.forgotten(id) }
    }
}
