internal import CacheCore

/// A ring of objects in the order in which they entered it, the oldest first to leave: the main queue of a
/// ``SmallMainGhostQueues``.
///
/// Memory: 4 bytes a slot, of which there are a quarter more than objects at most; 4 an id more from the first time on that an
/// object is taken out of the middle.
struct SecondChanceQueue: ~Copyable {
    /// The object at each slot, `gap` where it was removed.
    let ids: FixedBuffer<ObjectID>
    /// The slot of each object; empty until one is removed.
    var slotsByID = FixedBuffer<UInt32>(repeating: 0, count: 0)
    let slots: UInt32
    let objects: Int
    /// The slot of the oldest object, or of a gap before it.
    var tail: UInt32 = 0
    /// The slots from the oldest object to the newest.
    var length: UInt32 = 0
    /// The number of objects.
    var count = 0

    static var gap: ObjectID { .max }
    /// How many objects before its turn the next one is announced.
    static var ahead: UInt32 { 8 }

    /// A ring for ids `0..<objects`, of which at most `residents` are in it together.
    init(objects: Int, residents: Int) {
        let slots = residents + residents / 4 + 64
        precondition(slots < 1 << 31, "more objects than a ring tells apart")
        self.slots = UInt32(slots)
        self.objects = objects
        ids = FixedBuffer(repeating: 0, count: slots + Int(Self.ahead))
    }

    /// Makes an object the newest.
    @inline(__always)
    mutating func append(_ id: ObjectID) {
        if length == slots { pack() }
        let end = tail + length
        let slot = end < slots ? end : end - slots
        ids[slot] = id
        if slotsByID.count > 0 { slotsByID[id] = slot }
        length += 1
        count += 1
    }

    /// Takes the oldest object out that may leave; those before it go round again. One must leave after finitely many turns.
    ///
    /// Tells of each object some turns before whether it may leave that it is about to be asked about, and of others.
    @inline(__always)
    mutating func takeOldest(announce: (ObjectID) -> Void, where leaves: (ObjectID) -> Bool) -> ObjectID {
        let keepsSlots = slotsByID.count > 0
        var (tail, length) = (tail, length)
        var end = slot(length)
        while true {
            let upcoming = ids[tail + Self.ahead]
            announce(upcoming == Self.gap ? 0 : upcoming)
            let id = ids[tail]
            tail = tail + 1 == slots ? 0 : tail + 1
            guard id != Self.gap else {
                length -= 1
                continue
            }
            if leaves(id) {
                (self.tail, self.length) = (tail, length - 1)
                count -= 1
                return id
            }
            // The slot that it has left at the least is free.
            ids[end] = id
            if keepsSlots { slotsByID[id] = end }
            end = end + 1 == slots ? 0 : end + 1
        }
    }

    /// Takes an object out, wherever it is. O(1); the first time O(objects).
    mutating func remove(_ id: ObjectID) {
        if slotsByID.count == 0 { findSlots() }
        ids[slotsByID[id]] = Self.gap
        count -= 1
    }

    private mutating func findSlots() {
        slotsByID = FixedBuffer(repeating: 0, count: objects)
        for position in 0..<length {
            let slot = slot(position)
            if ids[slot] != Self.gap { slotsByID[ids[slot]] = slot }
        }
    }

    private func slot(_ position: UInt32) -> UInt32 {
        let slot = tail + position
        return slot < slots ? slot : slot - slots
    }

    /// Closes the gaps. O(slots).
    @inline(never)
    private mutating func pack() {
        var kept: UInt32 = 0
        for position in 0..<length {
            let id = ids[slot(position)]
            guard id != Self.gap else { continue }
            ids[slot(kept)] = id
            slotsByID[id] = slot(kept)
            kept += 1
        }
        length = kept
    }
}
