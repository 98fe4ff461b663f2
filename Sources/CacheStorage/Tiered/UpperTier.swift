import CacheCore

/// The upper store of two, with the order in which entries leave it and what the lower one does not have yet.
///
/// Entries leave in order of arrival, but one that was read since it last came up gets another round (CLOCK). Used by one
/// thread at a time.
struct UpperTier {
    let store: any StorageBackend
    let bytesMax: Int
    private var slots: [ByteKey: Int] = [:]
    private var items: [Item] = []
    private var freeSlots: [Int] = []
    private var hand = 0
    private(set) var bytes = 0

    private struct Item {
        var key: ByteKey?
        var bytes: Int
        var isRead = false
        var isDirty = false
    }

    init(_ store: any StorageBackend, bytesMax: Int) {
        self.store = store
        self.bytesMax = bytesMax
    }

    /// The keys of entries that the lower store does not have yet.
    var dirtyKeys: [[UInt8]] { items.compactMap { $0.isDirty ? $0.key?.bytes : nil } }

    /// Whether there is an entry under a key.
    func contains(_ key: [UInt8]) -> Bool { slots[ByteKey(key)] != nil }

    /// Whether there is an entry under a key that the lower store does not have yet.
    func isDirty(_ key: [UInt8]) -> Bool { slots[ByteKey(key)].map { items[$0].isDirty } ?? false }

    /// The entry under a key, which then stays for another round.
    mutating func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        guard let slot = slots[ByteKey(key)] else { return nil }
        items[slot].isRead = true
        return try store.get(key)
    }

    /// Whether an entry can be here at all.
    func fits(_ entry: StoredEntry, _ key: [UInt8]) -> Bool {
        key.count + entry.value.count <= bytesMax && entry.value.count <= store.claims.valueBytesMax
            && key.count <= store.claims.keyBytesMax && (store.claims.allowsEmptyKey || !key.isEmpty)
    }

    /// Adds an entry for which ``victim(for:)`` found room; it replaces what is here under its key.
    mutating func put(_ entry: StoredEntry, _ key: [UInt8], isDirty: Bool) throws(StoreError) {
        try remove(key)
        try store.put(entry, for: key)
        let slot = freeSlots.popLast() ?? items.count
        let item = Item(key: ByteKey(key), bytes: key.count + entry.value.count, isDirty: isDirty)
        if slot == items.count { items.append(item) } else { items[slot] = item }
        slots[ByteKey(key)] = slot
        bytes += item.bytes
    }

    /// The next entry that has to leave before `entry` has room, nil if there is room. Amortised O(1).
    mutating func victim(for entry: StoredEntry, _ key: [UInt8]) -> [UInt8]? {
        let replaced = slots[ByteKey(key)].map { items[$0].bytes } ?? 0
        guard bytes - replaced + key.count + entry.value.count > bytesMax else { return nil }
        while true {
            defer { hand = (hand + 1) % items.count }
            guard let candidate = items[hand].key, candidate.bytes != key else { continue }
            guard items[hand].isRead else { return candidate.bytes }
            items[hand].isRead = false
        }
    }

    /// Removes an entry.
    mutating func remove(_ key: [UInt8]) throws(StoreError) {
        guard let slot = slots.removeValue(forKey: ByteKey(key)) else { return }
        bytes -= items[slot].bytes
        items[slot] = Item(key: nil, bytes: 0)
        freeSlots.append(slot)
        _ = try store.remove(key)
    }

    /// Notes that the lower store has an entry by now.
    mutating func clean(_ key: [UInt8]) {
        if let slot = slots[ByteKey(key)] { items[slot].isDirty = false }
    }

    /// Removes every entry.
    mutating func removeAll() throws(StoreError) {
        (slots, items, freeSlots, hand, bytes) = ([:], [], [], 0, 0)
        try store.removeAll()
    }
}
