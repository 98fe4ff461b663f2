import CacheCore
import Synchronization

/// A piece of a mapped file: free, or an entry's.
///
/// Native byte order, 56 bytes: extent in units with a check of it (8 bytes), checksum of what follows up to the value and
/// of the place (8; zero for a free chunk), sequence number (8), key length (4) and value length (4), flags (8), expiry (8),
/// checksum of the value (8); then key and value. Storing the checksum is what makes an entry: until then the chunk is free,
/// so whatever moment a process is killed at, an entry is whole or not there.
struct MappedChunk {
    /// The unit of extents and places.
    static let unitBytes = 32
    static let headerBytes = 56
    /// The smallest chunk.
    static let unitsMin = 2
    private static let expiryFlag: UInt64 = 1

    let base: UnsafeMutableRawPointer
    /// The place in the file, in units.
    let unit: UInt32

    /// The units that an entry takes.
    static func units(keyBytes: Int, valueBytes: Int) -> Int {
        (headerBytes + keyBytes + valueBytes + unitBytes - 1) / unitBytes
    }

    private var start: UnsafeMutableRawPointer { base + Int(unit) * Self.unitBytes }

    /// The extent in units; nil if its check says that it is none.
    var units: Int? {
        let word = start.load(as: UInt64.self)
        let units = UInt32(truncatingIfNeeded: word)
        guard units >= Self.unitsMin, UInt32(truncatingIfNeeded: word >> 32) == check(units) else { return nil }
        return Int(units)
    }

    /// Marks the chunk free with an extent, in this order: an entry must not get longer.
    func makeFree(units: Int) {
        free()
        resize(units: units)
    }

    /// Sets the extent with one store.
    func resize(units: Int) {
        let units = UInt32(units)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        start.storeBytes(of: UInt64(check(units)) << 32 | UInt64(units), as: UInt64.self)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Ends the entry with one store.
    func free() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        start.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Writes everything of an entry but the checksum that makes it one.
    func prepare(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, expiry: Int64?, sequence: UInt64
    ) {
        start.storeBytes(of: sequence, toByteOffset: 16, as: UInt64.self)
        start.storeBytes(of: UInt32(key.count), toByteOffset: 24, as: UInt32.self)
        start.storeBytes(of: UInt32(value.count), toByteOffset: 28, as: UInt32.self)
        start.storeBytes(of: expiry == nil ? 0 : Self.expiryFlag, toByteOffset: 32, as: UInt64.self)
        start.storeBytes(of: expiry ?? 0, toByteOffset: 40, as: Int64.self)
        start.storeBytes(of: Checksum64.checksum(of: value), toByteOffset: 48, as: UInt64.self)
        let content = start + Self.headerBytes
        if let bytes = key.baseAddress { content.copyMemory(from: bytes, byteCount: key.count) }
        if let bytes = value.baseAddress { (content + key.count).copyMemory(from: bytes, byteCount: value.count) }
    }

    /// Makes the chunk an entry with one store.
    func commit() {
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        start.storeBytes(of: headerChecksum, toByteOffset: 8, as: UInt64.self)
        atomicMemoryFence(ordering: .sequentiallyConsistent)
    }

    /// Whether the chunk is not an entry.
    var isFree: Bool { start.load(fromByteOffset: 8, as: UInt64.self) == 0 }

    /// Whether the header and the key of an entry with this extent are what was written.
    func isSound(units: Int) -> Bool {
        Self.units(keyBytes: keyBytes, valueBytes: valueBytes) <= units
            && start.load(fromByteOffset: 8, as: UInt64.self) == headerChecksum
    }

    /// Higher for what was put later.
    var sequence: UInt64 { start.load(fromByteOffset: 16, as: UInt64.self) }

    private var keyBytes: Int { Int(start.load(fromByteOffset: 24, as: UInt32.self)) }
    private var valueBytes: Int { Int(start.load(fromByteOffset: 28, as: UInt32.self)) }

    /// The key of a sound entry.
    var key: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start + Self.headerBytes, count: keyBytes) }

    /// The value and expiry of an entry; nil if the value is not what was written.
    func entry(units: Int) -> StoredEntry? {
        guard isSound(units: units) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: start + Self.headerBytes + keyBytes, count: valueBytes)
        guard Checksum64.checksum(of: bytes) == start.load(fromByteOffset: 48, as: UInt64.self) else { return nil }
        let hasExpiry = start.load(fromByteOffset: 32, as: UInt64.self) & Self.expiryFlag != 0
        return StoredEntry(
            [UInt8](bytes), expiresAtNanoseconds: hasExpiry ? start.load(fromByteOffset: 40, as: Int64.self) : nil)
    }

    /// Never zero, which means free.
    private var headerChecksum: UInt64 {
        var checksum = Checksum64()
        withUnsafeBytes(of: UInt64(unit)) { checksum.absorb($0) }
        checksum.absorb(UnsafeRawBufferPointer(start: start + 16, count: Self.headerBytes - 16))
        checksum.absorb(key)
        return max(1, checksum.value)
    }

    private func check(_ units: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: mix64(UInt64(unit) << 32 | UInt64(units)))
    }
}
