import CacheCore

/// A hash table of byte strings in a ``SlabArena``: no object an entry, copies in and out.
///
/// What does not fit the largest chunk has a block of its own, and a chunk points to it.
struct SlabTable: ~Copyable {
    private var index = FlatIndex()
    private var arena: SlabArena
    private var blockBytes = 0
    private let pageBytes: Int
    private let growthFactor: Double
    /// What pages, blocks and index may take together.
    private let bytesMax: Int

    /// An empty table; see ``SlabStorage`` for the parameters.
    init(pageBytes: Int = 64 << 10, growthFactor: Double = 1.25, bytesMax: Int = 64 << 30) {
        self.pageBytes = pageBytes
        self.growthFactor = growthFactor
        // 32-bit handles of 16 bytes each.
        self.bytesMax = min(bytesMax, 64 << 30)
        arena = SlabArena(pageBytes: pageBytes, growthFactor: growthFactor)
    }

    deinit { freeBlocks() }

    /// The number of entries.
    var count: Int { index.count }

    /// The bytes that the table takes from the system.
    var byteCount: Int { arena.byteCount + index.byteCount + blockBytes }

    /// A place in the hash table's order, equal for equal bytes in one process.
    static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var hasher = Hasher()
        hasher.combine(bytes: key)
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    /// Calls `body` with the value and the expiry under a key, nil if there is no entry. The bytes are valid in `body`.
    func withValue<Result>(
        _ key: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Int64?) -> Result
    ) -> Result? {
        find(key, Self.hash(key)).map { handle in
            let entry = entry(handle)
            return body(entry.value, entry.expiry)
        }
    }

    /// Stores an entry; false if there is no room, and then there is no entry under the key.
    mutating func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, expiry: Int64? = nil) -> Bool {
        let hash = Self.hash(key)
        let old = find(key, hash)
        let layout = SlabEntry.Layout(keyBytes: key.count, valueBytes: value.count, hasExpiry: expiry != nil)
        let isBlock = layout.inlineBytes > arena.chunkBytesMax
        let sizeClass = arena.sizeClass(for: isBlock ? layout.pointerBytes : layout.inlineBytes)
        if let old, !isBlock, arena.sizeClass(of: old) == sizeClass, entry(old).block == nil {
            SlabEntry.write(key, value, expiry, to: arena.address(old), asBlock: false)
            return true
        }
        let needed = (arena.hasRoom(sizeClass) ? 0 : pageBytes) + (isBlock ? layout.contentBytes : 0)
        guard byteCount + needed <= bytesMax else {
            if let old { drop(old, hash) }
            return false
        }
        let new = arena.allocate(sizeClass)
        if isBlock { blockBytes += layout.contentBytes }
        SlabEntry.write(key, value, expiry, to: arena.address(new), asBlock: isBlock)
        if let old {
            index.replace(hash, old, with: new)
            release(old)
        } else {
            index.insert(hash, new, among: arena) { Self.hash(SlabEntry(reading: $0.address($1)).key) }
        }
        return true
    }

    /// Removes an entry and returns whether there was one.
    mutating func remove(_ key: UnsafeRawBufferPointer) -> Bool {
        let hash = Self.hash(key)
        guard let handle = find(key, hash) else { return false }
        drop(handle, hash)
        return true
    }

    /// Gives all memory back.
    mutating func removeAll() {
        freeBlocks()
        blockBytes = 0
        index = FlatIndex()
        arena = SlabArena(pageBytes: pageBytes, growthFactor: growthFactor)
    }

    /// Calls `body` with every key and value, in no order. The bytes are valid in `body`.
    func forEach<Failure>(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try index.forEach { (handle) throws(Failure) in
            let entry = entry(handle)
            try body(entry.key, entry.value)
        }
    }

    private func entry(_ handle: UInt32) -> SlabEntry { SlabEntry(reading: arena.address(handle)) }

    private func find(_ key: UnsafeRawBufferPointer, _ hash: UInt64) -> UInt32? {
        index.find(hash) { entry($0).key.isEqual(to: key) }
    }

    private mutating func drop(_ handle: UInt32, _ hash: UInt64) {
        index.remove(hash, handle)
        release(handle)
    }

    /// Gives back the chunk and the block of an entry that the index knows no more.
    private mutating func release(_ handle: UInt32) {
        let entry = entry(handle)
        if let block = entry.block {
            blockBytes -= entry.key.count + entry.value.count
            block.deallocate()
        }
        arena.free(handle)
    }

    private func freeBlocks() {
        if blockBytes > 0 { index.forEach { entry($0).block?.deallocate() } }
    }
}
