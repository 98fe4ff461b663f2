internal import CacheCore

/// Slots whose departure a policy could not report when it happened, because a hit has no sink: the next insertion does.
///
/// The policy marks the slot's state when it adds the slot here, and clears the mark when the object is removed in the
/// meantime. 4 bytes a slot.
struct LateReports: ~Copyable {
    private let slots: FixedBuffer<UInt32>
    private(set) var count: UInt32 = 0

    /// Room for every slot of a table for that many objects, slots and lists.
    init(objects: Int, slots count: Int, lists: Int) {
        slots = FixedBuffer(repeating: 0, count: min(objects, count) + lists)
    }

    subscript(index: UInt32) -> UInt32 { slots[index] }

    /// Adds a slot that is not here yet.
    @inline(__always)
    mutating func add(_ slot: UInt32) {
        slots[count] = slot
        count += 1
    }

    /// Empties the list.
    mutating func clear() { count = 0 }
}
