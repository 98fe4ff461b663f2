internal import CIntrinsics
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
/// Keys that are small numbers, close to each other, say themselves where they are (``SmallKeys``). With the first that does not
/// belong there all go by their hashes (``KeyBuckets``).
///
/// Memory: 7 to 11 bytes an object for the buckets, or what ``SmallKeys`` says; 8 for its key, which lie dense in chunks, and
/// for keys that are not numbers their bytes, 4 of length and 1 of kind.
struct KeyTable: ~Copyable {
    /// The most keys that ``number(_:into:)`` takes at once.
    static let batchCount = 256
    private static let growthBlock = 64

    /// Nil as soon as there are buckets.
    private var small: SmallKeys? = SmallKeys()
    private var buckets = KeyBuckets(count: 0)
    private(set) var keys = ChunkedKeys()
    private let hashes = UnsafeMutablePointer<UInt64>.allocate(capacity: KeyTable.batchCount)
    /// For each object whether its key is bytes; empty while all are numbers.
    private(set) var kinds: [UInt8] = []
    /// The keys that are bytes, each after its length in 4 bytes.
    private(set) var blob: [UInt8] = []

    deinit { hashes.deallocate() }

    /// The number of distinct keys.
    var count: Int { keys.count }

    /// Numbers a batch of integer keys. What is looked at is fetched ahead, so that misses of the processor's caches overlap.
    ///
    /// - Throws: `AssayError` with code `badInput` if there are more objects than 32 bits can number.
    mutating func number(
        _ batch: UnsafeBufferPointer<UInt64>, into ids: UnsafeMutablePointer<UInt32>
    ) throws(AssayError) {
        let known = numberSmall(batch, into: ids)
        guard known < batch.count else { return }
        try numberByHash(UnsafeBufferPointer(rebasing: batch[known...]), into: ids + known)
    }

    /// Numbers the keys of a batch up to the first that does not belong among small ones; returns how many.
    private mutating func numberSmall(
        _ batch: UnsafeBufferPointer<UInt64>, into ids: UnsafeMutablePointer<UInt32>
    ) -> Int {
        guard var small = small.take() else { return 0 }
        for index in 0..<batch.count {
            let key = batch[index]
            let known = key < small.limit ? small[key] : 0
            ids[index] = known &- 1
            if known == 0 {
                ids[index] = UInt32(truncatingIfNeeded: count)
                guard small.insert(key, ids[index]) else { return index }
                keys.append(key)
            }
        }
        self.small = consume small
        return batch.count
    }

    private mutating func numberByHash(
        _ batch: UnsafeBufferPointer<UInt64>, into ids: UnsafeMutablePointer<UInt32>
    ) throws(AssayError) {
        try makeRoom(for: batch.count)
        // Candidates exist once there is an object.
        if count == 0, let first = batch.first { _ = insert(first, hash: mix64(first)) }
        for index in 0..<batch.count {
            let hash = mix64(batch[index])
            hashes[index] = hash
            buckets.prefetch(hash)
        }
        for index in 0..<batch.count {
            let candidate = buckets.candidate(hashes[index])
            ids[index] = candidate
            keys.prefetch(Int(candidate))
        }
        for index in 0..<batch.count where !isObject(ids[index], batch[index]) {
            ids[index] = number(batch[index], hash: hashes[index])
        }
    }

    /// Whether an object's key is this number.
    @inline(__always)
    private func isObject(_ id: UInt32, _ key: UInt64) -> Bool {
        keys[Int(id)] == key && (kinds.isEmpty || kinds[Int(id)] == 0)
    }

    @inline(never)
    private mutating func number(_ key: UInt64, hash: UInt64) -> UInt32 {
        buckets.first(hash) { isObject($0, key) } ?? insert(key, hash: hash)
    }

    private mutating func insert(_ key: UInt64, hash: UInt64) -> UInt32 {
        let id = UInt32(truncatingIfNeeded: count)
        buckets.insert(hash, id)
        keys.append(key)
        if !kinds.isEmpty { kinds.append(0) }
        return id
    }

    /// Numbers a key of any bytes.
    ///
    /// - Throws: as for integers.
    mutating func number(_ key: UnsafeRawBufferPointer) throws(AssayError) -> UInt32 {
        small = nil
        try makeRoom(for: 1)
        if kinds.isEmpty { kinds = [UInt8](repeating: 0, count: count) }
        let hash = Self.hash(key)
        let known = buckets.first(hash) { kinds[Int($0)] == 1 && isEqual(key, at: Int(keys[Int($0)])) }
        if let known { return known }
        buckets.insert(hash, UInt32(truncatingIfNeeded: count))
        keys.append(UInt64(blob.count))
        kinds.append(1)
        let length = UInt32(key.count)
        blob.append(contentsOf: (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * UInt32($0))) })
        blob.append(contentsOf: key)
        return UInt32(count - 1)
    }

    /// Gives back the memory of what finds keys; no key can be numbered afterwards.
    mutating func releaseIndex() {
        small = nil
        buckets = KeyBuckets(count: 0)
    }

    private mutating func makeRoom(for added: Int) throws(AssayError) {
        guard count + added > buckets.limit else { return }
        guard count + added < Int(UInt32.max) - 16 else {
            throw AssayError(.badInput, "The trace has more than 4 294 967 278 distinct objects; split it.")
        }
        // The old ones are not needed to fill the new ones.
        releaseIndex()
        buckets = KeyBuckets(count: KeyBuckets.count(for: count + added))
        var first = 0
        while first < count {
            let end = min(first + Self.growthBlock, count)
            for id in first..<end {
                hashes[id - first] = hash(of: id)
                buckets.prefetch(hashes[id - first])
            }
            for id in first..<end { buckets.insert(hashes[id - first], UInt32(truncatingIfNeeded: id)) }
            first = end
        }
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

    /// The hash of a key of any bytes.
    static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
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

    /// Asks the processor to fetch a key before it is needed.
    @inline(__always)
    func prefetch(_ id: Int) { assay_prefetch(chunks[id >> 16] + (id & 0xffff)) }

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
