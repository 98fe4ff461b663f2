public import CacheCore

/// What has left when a policy could not report it, because a hit has no sink: the next insertion does.
///
/// Slots, or objects. A policy marks a slot's state when it adds the slot here, and clears the mark when the object is removed
/// in the meantime. 4 bytes for each that there is room for.
@usableFromInline
package struct DeferredEvictions: ~Copyable {
    @usableFromInline package let entries: FixedBuffer<UInt32>
    @usableFromInline package internal(set) var count: UInt32 = 0

    /// Room for so many.
    @inlinable package init(room: Int) { entries = FixedBuffer(repeating: 0, count: room) }

    /// Room for every slot of a table for that many objects, slots and lists.
    @inlinable package init(objects: Int, slots count: Int, lists: Int) { self.init(room: min(objects, count) + lists) }

    @inlinable package subscript(index: UInt32) -> UInt32 { entries[index] }

    /// Adds what is not here yet.
    @inline(__always)
    @inlinable package mutating func add(_ entry: UInt32) {
        entries[count] = entry
        count += 1
    }

    /// Takes out what is equal to an entry, and keeps the others in order. O(entries).
    @inlinable package mutating func remove(_ entry: UInt32) {
        var kept: UInt32 = 0
        for index in 0..<count where entries[index] != entry {
            entries[kept] = entries[index]
            kept += 1
        }
        count = kept
    }

    /// Empties the list.
    @inlinable package mutating func clear() { count = 0 }
}
