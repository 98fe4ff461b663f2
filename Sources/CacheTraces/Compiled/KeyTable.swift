internal import CPrefetch
internal import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Numbers keys densely in the order in which they first appear.
///
/// Open addressing with linear probing over 8-byte slots (a tag of 32 hash bits beside the object's number), at most 80 %
/// full, growing by half; the keys themselves lie dense in chunks. Memory: 10 to 15 bytes an object for slots (25 while
/// growing), 8 for its key, and for keys that are not numbers their bytes, 4 of length and 1 of kind.
struct KeyTable: ~Copyable {
    /// The most keys that ``number(_:into:)`` takes at once.
    static let batchCount = 256
    private static let growthBlock = 64

    private var slots = FixedBuffer<UInt64>(repeating: 0, count: 2048)
    private var limit = 2048 / 5 * 4
    private(set) var keys = ChunkedKeys()
    private let hashes = UnsafeMutablePointer<UInt64>.allocate(capacity: KeyTable.batchCount)
    private let places = UnsafeMutablePointer<UInt32>.allocate(capacity: KeyTable.batchCount)
    /// For each object whether its key is bytes; empty while all are numbers.
    private(set) var kinds: [UInt8] = []
    /// The keys that are bytes, each after its length in 4 bytes.
    private(set) var blob: [UInt8] = []

    deinit {
        hashes.deallocate()
        places.deallocate()
    }

    /// The number of distinct keys.
    var count: Int { keys.count }

    /// Numbers a batch of integer keys. Slots are fetched ahead, so that misses of the processor's caches overlap.
    ///
    /// - Throws: `AssayError` with code `badInput` if there are more objects than 32 bits can number.
    mutating func number(
        _ batch: UnsafeBufferPointer<UInt64>, into ids: UnsafeMutablePointer<UInt32>
    ) throws(AssayError) {
        try makeRoom(for: batch.count)
        for index in 0..<batch.count {
            let hash = mix64(batch[index])
            hashes[index] = hash
            slots.prefetch(home(hash))
        }
        for index in 0..<batch.count {
            let place = firstPlace(hashes[index])
            places[index] = place
            keys.prefetch(Int(slots[place] & 0xffff_ffff) &- 1)
        }
        for index in 0..<batch.count { ids[index] = number(batch[index], hash: hashes[index], from: places[index]) }
    }

    /// The first place from a key's home on that may be its own: with the tag of its hash, or free.
    @inline(__always)
    private func firstPlace(_ hash: UInt64) -> UInt32 {
        var place = home(hash)
        while slots[place] != 0, slots[place] >> 32 != hash & 0xffff_ffff { place = next(place) }
        return place
    }

    /// Numbers a key of any bytes.
    ///
    /// - Throws: as for integers.
    mutating func number(_ key: UnsafeRawBufferPointer) throws(AssayError) -> UInt32 {
        try makeRoom(for: 1)
        if kinds.isEmpty { kinds = [UInt8](repeating: 0, count: count) }
        let hash = Self.hash(key)
        var place = home(hash)
        while true {
            let slot = slots[place]
            if slot == 0 { break }
            if slot >> 32 == hash & 0xffff_ffff {
                let id = Int(slot & 0xffff_ffff) - 1
                if kinds[id] == 1, isEqual(key, at: Int(keys[id])) { return UInt32(id) }
            }
            place = next(place)
        }
        slots[place] = Self.slot(hash, id: count)
        keys.append(UInt64(blob.count))
        kinds.append(1)
        let length = UInt32(key.count)
        blob.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * UInt32($0))) })
        blob.append(contentsOf: key)
        return UInt32(count - 1)
    }

    /// Gives the slots' memory back; no key can be numbered afterwards.
    mutating func releaseSlots() {
        slots = FixedBuffer(repeating: 0, count: 1)
        limit = 0
    }

    @inline(__always)
    private mutating func number(_ key: UInt64, hash: UInt64, from first: UInt32) -> UInt32 {
        // Places only fill up, so that what was passed over for others before is passed over rightly now.
        var place = first
        while true {
            let slot = slots[place]
            if slot == 0 { break }
            if slot >> 32 == hash & 0xffff_ffff {
                let id = Int(slot & 0xffff_ffff) &- 1
                if keys[id] == key, kinds.isEmpty || kinds[id] == 0 { return UInt32(truncatingIfNeeded: id) }
            }
            place = next(place)
        }
        let id = keys.count
        slots[place] = Self.slot(hash, id: id)
        keys.append(key)
        if !kinds.isEmpty { kinds.append(0) }
        return UInt32(truncatingIfNeeded: id)
    }

    /// Where a key is looked for first: the hash's high bits scaled to the table, whose size is any number.
    @inline(__always)
    private func home(_ hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: ((hash >> 32) &* UInt64(slots.count)) >> 32)
    }

    @inline(__always)
    private func next(_ place: UInt32) -> UInt32 { Int(place) &+ 1 == slots.count ? 0 : place &+ 1 }

    @inline(__always)
    private static func slot(_ hash: UInt64, id: Int) -> UInt64 { hash << 32 | UInt64(id &+ 1) }

    private mutating func makeRoom(for added: Int) throws(AssayError) {
        guard count + added > limit else { return }
        guard count + added < Int(UInt32.max) - 16 else {
            throw AssayError(.badInput, "The trace has more than 4 294 967 278 distinct objects; split it.")
        }
        let larger = min(slots.count + slots.count / 2, Int(UInt32.max))
        slots = FixedBuffer(repeating: 0, count: larger)
        limit = larger / 5 * 4
        var first = 0
        while first < count {
            let end = min(first + Self.growthBlock, count)
            for id in first..<end {
                hashes[id - first] = hash(of: id)
                slots.prefetch(home(hashes[id - first]))
            }
            for id in first..<end { place(id, hashes[id - first]) }
            first = end
        }
    }

    @inline(__always)
    private func place(_ id: Int, _ hash: UInt64) {
        var place = home(hash)
        while slots[place] != 0 { place = next(place) }
        slots[place] = Self.slot(hash, id: id)
    }

    private func hash(of id: Int) -> UInt64 {
        guard !kinds.isEmpty, kinds[id] == 1 else { return mix64(keys[id]) }
        let offset = Int(keys[id])
        return blob.withUnsafeBytes { bytes in
            let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            return Self.hash(UnsafeRawBufferPointer(rebasing: bytes[offset + 4..<offset + 4 + length]))
        }
    }

    private func isEqual(_ key: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        blob.withUnsafeBytes { bytes in
            let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            guard length == key.count else { return false }
            guard length > 0, let stored = bytes.baseAddress, let given = key.baseAddress else { return true }
            return memcmp(stored + offset + 4, given, length) == 0
        }
    }

    private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var hash = UInt64(key.count)
        var offset = 0
        while offset + 8 <= key.count {
            hash = mix64(hash ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset += 8
        }
        var rest: UInt64 = 0
        while offset < key.count {
            rest = rest << 8 | UInt64(key[offset])
            offset += 1
        }
        return mix64(hash ^ rest &+ 0x9E37_79B9_7F4A_7C15)
    }
}

/// A growing list of 8-byte keys that never moves them, so that growing takes no second copy.
struct ChunkedKeys: ~Copyable {
    private static let chunkCount = 1 << 16
    private let chunks = UnsafeMutablePointer<UnsafeMutablePointer<UInt64>>.allocate(capacity: 1 << 16)
    private(set) var count = 0

    deinit {
        for index in 0..<(count + Self.chunkCount - 1) / Self.chunkCount { chunks[index].deallocate() }
        chunks.deallocate()
    }

    /// A key by its object.
    @inline(__always)
    subscript(id: Int) -> UInt64 { chunks[id >> 16][id & 0xffff] }

    /// Asks the processor to fetch a key before it is needed; below 0 stands for none.
    @inline(__always)
    func prefetch(_ id: Int) {
        if id >= 0 { assay_prefetch(chunks[id >> 16] + (id & 0xffff)) }
    }

    /// Appends a key.
    @inline(__always)
    mutating func append(_ key: UInt64) {
        let (chunk, place) = (count >> 16, count & 0xffff)
        if place == 0 { (chunks + chunk).initialize(to: .allocate(capacity: Self.chunkCount)) }
        (chunks[chunk] + place).initialize(to: key)
        count &+= 1
    }

    /// Calls `body` with the keys, piece by piece.
    func forEachChunk(_ body: (UnsafeRawBufferPointer) throws(AssayError) -> Void) throws(AssayError) {
        var first = 0
        while first < count {
            let length = min(Self.chunkCount, count - first)
            try body(UnsafeRawBufferPointer(start: chunks[first >> 16], count: 8 * length))
            first += length
        }
    }
}
