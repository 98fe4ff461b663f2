import CacheCore

/// An open-addressing index from hashes to 32-bit handles: 5 bytes a slot, no object an entry.
///
/// Each slot has a tag of 8 bits of the hash, so that a probe looks at an entry itself only when it is probably the right
/// one. The index knows no keys: callers compare entries and, when it grows, hash them again. Probes are linear; a
/// removal leaves a mark where a probe may have passed. At most 4/5 of the slots are in use and growth is by a half, so
/// the index takes 6.3 to 9.4 bytes an entry. Amortised O(1).
struct FlatIndex: ~Copyable {
    private static let empty: UInt8 = 0
    private static let removed: UInt8 = 1
    private static let slotsMin = 16

    private var tags: FixedBuffer<UInt8>
    private var handles: FixedBuffer<UInt32>
    /// The number of entries.
    private(set) var count = 0
    /// Slots that are not empty: entries and marks of removal.
    private var used = 0

    init() {
        tags = FixedBuffer(repeating: Self.empty, count: Self.slotsMin)
        handles = FixedBuffer(repeating: 0, count: Self.slotsMin)
    }

    /// The bytes that the index takes.
    var byteCount: Int { tags.count * 5 }

    /// The handle of the entry with this hash for which `isRight` holds, nil if there is none.
    func find(_ hash: UInt64, where isRight: (UInt32) -> Bool) -> UInt32? {
        slot(hash, where: isRight).map { handles[$0] }
    }

    /// Points to another place of an entry that is there.
    mutating func replace(_ hash: UInt64, _ old: UInt32, with new: UInt32) {
        guard let slot = slot(hash, where: { $0 == old }) else { preconditionFailure("the entry is not in the index") }
        handles[slot] = new
    }

    /// Adds an entry that is not there; `hashOf` is asked for every entry when the index has to grow.
    mutating func insert<Entries: ~Copyable>(
        _ hash: UInt64, _ handle: UInt32, among entries: borrowing Entries,
        hashOf: (borrowing Entries, UInt32) -> UInt64
    ) {
        if (used + 1) * 5 > tags.count * 4 { rebuild(entries, hashOf) }
        place(hash, handle)
        count += 1
    }

    /// Takes out an entry that is there.
    mutating func remove(_ hash: UInt64, _ handle: UInt32) {
        guard let found = slot(hash, where: { $0 == handle }) else {
            preconditionFailure("the entry is not in the index")
        }
        count -= 1
        tags[found] = Self.removed
        // Marks that no probe can pass are not needed.
        guard tags[next(found)] == Self.empty else { return }
        var slot = found
        while tags[slot] == Self.removed {
            tags[slot] = Self.empty
            used -= 1
            slot = slot == 0 ? UInt32(tags.count - 1) : slot - 1
        }
    }

    /// Calls `body` with every handle, in no order.
    func forEach<Failure>(_ body: (UInt32) throws(Failure) -> Void) throws(Failure) {
        for slot in 0..<UInt32(tags.count) where tags[slot] > Self.removed { try body(handles[slot]) }
    }

    private func slot(_ hash: UInt64, where isRight: (UInt32) -> Bool) -> UInt32? {
        let tag = Self.tag(hash)
        var slot = home(hash)
        while true {
            let found = tags[slot]
            if found == tag, isRight(handles[slot]) { return slot }
            if found == Self.empty { return nil }
            slot = next(slot)
        }
    }

    private mutating func place(_ hash: UInt64, _ handle: UInt32) {
        var slot = home(hash)
        while tags[slot] > Self.removed { slot = next(slot) }
        if tags[slot] == Self.empty { used += 1 }
        tags[slot] = Self.tag(hash)
        handles[slot] = handle
    }

    /// Moves every entry to an index without marks, larger if the entries alone fill most of this one.
    private mutating func rebuild<Entries: ~Copyable>(
        _ entries: borrowing Entries, _ hashOf: (borrowing Entries, UInt32) -> UInt64
    ) {
        let isCrowded = count * 5 > tags.count * 3
        let capacity = isCrowded ? tags.count + tags.count / 2 : tags.count
        var oldTags = FixedBuffer(repeating: Self.empty, count: capacity)
        var oldHandles = FixedBuffer<UInt32>(repeating: 0, count: capacity)
        swap(&tags, &oldTags)
        swap(&handles, &oldHandles)
        used = 0
        for slot in 0..<UInt32(oldTags.count) where oldTags[slot] > Self.removed {
            place(hashOf(entries, oldHandles[slot]), oldHandles[slot])
        }
    }

    private func home(_ hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: hash.multipliedFullWidth(by: UInt64(tags.count)).high)
    }

    private func next(_ slot: UInt32) -> UInt32 { Int(slot) + 1 == tags.count ? 0 : slot + 1 }

    /// 2 to 255, from bits that the place does not depend on much.
    private static func tag(_ hash: UInt64) -> UInt8 { UInt8(2 + (hash & 0xFFFF_FFFF) % 254) }
}
