/// What surrounds a value in a library's store: its expiry, and a checksum that finds what the library does not.
///
/// Little-endian: checksum of the key and of what follows (8 bytes), flags (1), expiry if there is one (8), value.
package enum ValueEnvelope {
    private static let expiryFlag: UInt8 = 1

    /// The bytes to store for an entry.
    package static func bytes(of entry: StoredEntry, key: [UInt8]) -> [UInt8] {
        let headBytes = entry.expiresAtNanoseconds == nil ? 9 : 17
        return [UInt8](unsafeUninitializedCapacity: headBytes + entry.value.count) { buffer, count in
            count = headBytes + entry.value.count
            let bytes = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
            bytes[8] = entry.expiresAtNanoseconds == nil ? 0 : expiryFlag
            if let expiry = entry.expiresAtNanoseconds {
                bytes.storeBytes(of: expiry.littleEndian, toByteOffset: 9, as: Int64.self)
            }
            entry.value.withRawBytes {
                UnsafeMutableRawBufferPointer(rebasing: bytes[headBytes...]).copyMemory(from: $0)
            }
            let checksum = checksum(UnsafeRawBufferPointer(bytes), key)
            bytes.storeBytes(of: checksum.littleEndian, as: UInt64.self)
        }
    }

    /// The entry in stored bytes, nil if they are not what was stored under this key.
    package static func entry(in bytes: UnsafeRawBufferPointer, key: [UInt8]) -> StoredEntry? {
        guard bytes.count >= 9, bytes[8] & ~expiryFlag == 0 else { return nil }
        let hasExpiry = bytes[8] & expiryFlag != 0
        guard !hasExpiry || bytes.count >= 17,
            checksum(bytes, key) == UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        else { return nil }
        let expiry = hasExpiry ? Int64(littleEndian: bytes.loadUnaligned(fromByteOffset: 9, as: Int64.self)) : nil
        return StoredEntry([UInt8](bytes[(hasExpiry ? 17 : 9)...]), expiresAtNanoseconds: expiry)
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, _ key: [UInt8]) -> UInt64 {
        var checksum = Checksum64()
        withUnsafeBytes(of: (UInt64(key.count).littleEndian, UInt64(bytes.count).littleEndian)) { checksum.absorb($0) }
        key.withRawBytes { checksum.absorb($0) }
        checksum.absorb(UnsafeRawBufferPointer(rebasing: bytes[8...]))
        return checksum.value
    }
}
