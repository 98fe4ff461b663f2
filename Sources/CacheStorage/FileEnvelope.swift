import CacheCore

/// What surrounds a value in its file: everything needed to tell a whole entry from a torn, swapped or rotten one.
///
/// Little-endian, 40 bytes: magic `ASF1`, version (1 byte), flags (1), zeros (2), key length (4), zeros (4), value
/// length (8), expiry (8), checksum (8) of all of that and of what follows; then the key, then the value.
enum FileEnvelope {
    static let headerBytes = 40
    private static let magic: UInt32 = 0x3146_5341
    private static let version: UInt8 = 1
    private static let expiryFlag: UInt8 = 1

    /// The header and the key of an entry's file; the value follows them.
    static func prefix(of entry: StoredEntry, key: [UInt8]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: headerBytes)
        bytes.reserveCapacity(headerBytes + key.count)
        bytes.withUnsafeMutableBytes { header in
            store(magic, at: 0, in: header)
            header[4] = version
            header[5] = entry.expiresAtNanoseconds == nil ? 0 : expiryFlag
            store(UInt32(key.count), at: 8, in: header)
            store(UInt64(entry.value.count), at: 16, in: header)
            store(entry.expiresAtNanoseconds ?? 0, at: 24, in: header)
            var checksum = Checksum64()
            checksum.absorb(UnsafeRawBufferPointer(rebasing: header[..<32]))
            key.withUnsafeBytes { checksum.absorb($0) }
            entry.value.withUnsafeBytes { checksum.absorb($0) }
            store(checksum.value, at: 32, in: header)
        }
        bytes.append(contentsOf: key)
        return bytes
    }

    /// What bytes from the start of a file amount to.
    enum Reading {
        /// Not all bytes are there yet; the whole file has this many.
        case incomplete(totalBytes: Int)
        /// The header is damaged or the bytes are not what was written.
        case corrupt(String)
        /// A whole entry.
        case whole(StoredEntry, key: [UInt8])
    }

    /// The size of the whole file by its header, nil if the header is not one.
    static func totalBytes(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= headerBytes, load(UInt32.self, at: 0, in: bytes) == magic, bytes[4] == version else {
            return nil
        }
        let valueBytes = load(UInt64.self, at: 16, in: bytes)
        guard valueBytes < 1 << 40 else { return nil }
        return headerBytes + Int(load(UInt32.self, at: 8, in: bytes)) + Int(valueBytes)
    }

    /// Reads an entry, checking length and checksum.
    static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
        guard let total = totalBytes(bytes) else { return .corrupt("its header is damaged") }
        guard bytes.count >= total else { return .incomplete(totalBytes: total) }
        guard bytes.count == total else { return .corrupt("it has \(bytes.count) bytes instead of \(total)") }
        let keyEnd = headerBytes + Int(load(UInt32.self, at: 8, in: bytes))
        let key = UnsafeRawBufferPointer(rebasing: bytes[headerBytes..<keyEnd])
        let value = UnsafeRawBufferPointer(rebasing: bytes[keyEnd..<total])
        var checksum = Checksum64()
        checksum.absorb(UnsafeRawBufferPointer(rebasing: bytes[..<32]))
        checksum.absorb(key)
        checksum.absorb(value)
        guard checksum.value == load(UInt64.self, at: 32, in: bytes) else { return .corrupt("its checksum differs") }
        let expiry = bytes[5] & expiryFlag == 0 ? nil : load(Int64.self, at: 24, in: bytes)
        return .whole(StoredEntry([UInt8](value), expiresAtNanoseconds: expiry), key: [UInt8](key))
    }

    private static func store<Word: FixedWidthInteger>(
        _ word: Word, at offset: Int, in bytes: UnsafeMutableRawBufferPointer
    ) {
        bytes.storeBytes(of: word.littleEndian, toByteOffset: offset, as: Word.self)
    }

    private static func load<Word: FixedWidthInteger>(
        _: Word.Type, at offset: Int, in bytes: UnsafeRawBufferPointer
    ) -> Word {
        Word(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Word.self))
    }
}
