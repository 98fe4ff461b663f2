public import CacheCore

/// A second place in a list for each slot of a `SlotTable`, for policies that keep an object in two orders at once.
///
/// Lists are circular. The slots below `lists`, which the table keeps for its own lists, are the sentinels here too.
/// 8 bytes a slot; all operations are O(1).
@usableFromInline
package struct SlotLinks: ~Copyable {
    @usableFromInline package struct Links: BitwiseCopyable {
        @usableFromInline package var previous: UInt32
        @usableFromInline package var next: UInt32

        @inlinable
        package init(previous: UInt32, next: UInt32) {
            self.previous = previous
            self.next = next
        }
    }

    @inlinable package static var none: UInt32 { .max }

    @usableFromInline package let links: FixedBuffer<Links>

    /// Links for the slots of a table for that many objects and slots, in at most as many lists as the table has.
    @inlinable package init(objects: Int, slots: Int, lists: Int) {
        links = FixedBuffer(repeating: Links(previous: 0, next: 0), count: min(objects, slots) + lists)
        for list in 0..<UInt32(lists) { links[list] = Links(previous: list, next: list) }
    }

    /// The slot at the tail of a list, `none` if it is empty.
    @inline(__always)
    @inlinable package func tail(of list: UInt32) -> UInt32 {
        let slot = links[list].previous
        return slot == list ? Self.none : slot
    }

    /// Puts a slot that is in no list at the head of one.
    @inline(__always)
    @inlinable package func add(_ slot: UInt32, toHeadOf list: UInt32) {
        let next = links[list].next
        links[slot] = Links(previous: list, next: next)
        links.update(next) { $0.previous = slot }
        links.update(list) { $0.next = slot }
    }

    /// Takes a slot out of its list.
    @inline(__always)
    @inlinable package func remove(_ slot: UInt32) {
        let entry = links[slot]
        links.update(entry.previous) { $0.next = entry.next }
        links.update(entry.next) { $0.previous = entry.previous }
    }

    /// Moves a slot to the head of a list, its own or another.
    @inline(__always)
    @inlinable package func move(_ slot: UInt32, toHeadOf list: UInt32) {
        remove(slot)
        add(slot, toHeadOf: list)
    }
}
