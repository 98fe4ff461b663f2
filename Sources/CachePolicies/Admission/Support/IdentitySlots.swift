/// Small numbers for objects that are told apart by a hash of their keys, while they are remembered.
///
/// For live caches, in which an id is now one object's and now another's. All operations are O(1).
struct IdentitySlots {
    private var slots: [UInt64: UInt32] = [:]
    private var identities: [UInt64] = []
    private var free: [UInt32] = []

    /// The slot of an object, a new one if it has none: one that is free, or else the next number.
    mutating func slot(of identity: UInt64) -> UInt32 {
        if let slot = slots[identity] { return slot }
        let slot = free.popLast() ?? UInt32(identities.count)
        if slot == identities.count { identities.append(identity) } else { identities[Int(slot)] = identity }
        slots[identity] = slot
        return slot
    }

    /// Forgets the object that has a slot.
    mutating func release(_ slot: UInt32) {
        slots[identities[Int(slot)]] = nil
        free.append(slot)
    }
}
