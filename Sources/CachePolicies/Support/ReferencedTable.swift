public import CacheCore

/// A ``SegmentTable`` for policies in which a hit sets a reference bit and moves nothing.
///
/// A byte of each slot lies beside the table: whether the object is resident, whether it was asked for, and bits of the
/// policy's own. A hit reads the object's entry in the index and its byte, and writes at most that byte, so that hits
/// stay in the nearest cache. Segments are queues: objects enter at the head, hands stand at the tail. Memory as for
/// `SegmentTable` and a byte more a slot. All operations are O(1).
@usableFromInline
package struct ReferencedTable<Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// The slot that no object has.
    @inlinable package static var none: UInt32 { .max }
    /// The first bit that a policy may use for itself; the two below are kept here.
    @inlinable package static var firstOwnBit: UInt8 { 4 }
    @inlinable package static var residentBit: UInt8 { 1 }
    @inlinable package static var referencedBit: UInt8 { 2 }

    /// The queues of resident objects, and those of ghosts.
    @usableFromInline package var segments: SegmentTable<Sizes>
    @usableFromInline package let bits: FixedBuffer<UInt8>

    /// A table for ids `0..<objects` with room for `slots` of them; `resident` queues, then `ghosts` queues of ghosts.
    @inlinable package init(objects: Int, slots: Int, resident: Int, ghosts: Int) {
        segments = SegmentTable(objects: objects, slots: slots, resident: resident, ghosts: ghosts)
        bits = FixedBuffer(repeating: 0, count: min(objects, slots) + resident + ghosts)
    }

    /// Sets the reference bit of a resident object; false for any other.
    @inline(__always)
    @inlinable package func reference(_ id: ObjectID) -> Bool {
        let slot = segments.slot(of: id)
        guard slot != Self.none else { return false }
        let byte = bits[slot]
        guard byte & Self.residentBit != 0 else { return false }
        if byte & Self.referencedBit == 0 { bits[slot] = byte | Self.referencedBit }
        return true
    }

    @inlinable package func contains(_ id: ObjectID) -> Bool {
        let slot = segments.slot(of: id)
        return slot != Self.none && bits[slot] & Self.residentBit != 0
    }

    /// Whether a slot's reference bit is set.
    @inline(__always)
    @inlinable package func isReferenced(_ slot: UInt32) -> Bool { bits[slot] & Self.referencedBit != 0 }

    /// Clears a slot's reference bit.
    @inline(__always)
    @inlinable package func clearReference(_ slot: UInt32) { bits.update(slot) { $0 &= ~Self.referencedBit } }

    /// Whether one of the policy's own bits of a slot is set.
    @inline(__always)
    @inlinable package func has(_ bit: UInt8, _ slot: UInt32) -> Bool { bits[slot] & bit != 0 }

    /// Sets or clears one of the policy's own bits of a slot.
    @inline(__always)
    @inlinable package func set(_ bit: UInt8, _ isSet: Bool, _ slot: UInt32) {
        bits.update(slot) { $0 = isSet ? $0 | bit : $0 & ~bit }
    }

    /// Makes an object without a slot resident, unreferenced, at the head of a queue.
    @inline(__always) @discardableResult @inlinable package mutating func add(
        _ id: ObjectID, weight: Int, toHeadOf segment: UInt32, ownBits: UInt8 = 0
    ) -> UInt32 {
        let slot = segments.add(id, weight: weight, toHeadOf: segment)
        bits[slot] = Self.residentBit | ownBits
        return slot
    }

    /// Gives up a resident object and leaves a ghost, unreferenced and without own bits, at the head of a queue.
    @inline(__always)
    @inlinable package mutating func evict<Sink: EvictionSink & ~Copyable>(
        _ slot: UInt32, toGhosts segment: UInt32, into sink: inout Sink
    ) {
        sink.evicted(segments.id(at: slot))
        segments.move(slot, toHeadOf: segment)
        bits[slot] = 0
    }
}
