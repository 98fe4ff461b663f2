import CacheCore

/// The head of a record: everything needed to tell a whole record from a torn, moved or rotten one.
///
/// Little-endian, 40 bytes: magic `ALR1` (4 bytes), kind (1), flags (1), zeros (2), key length (4), value length (4),
/// expiry (8), checksum of the value (8), checksum (8) of all of that, of the record's place and of the key. Then the key
/// and the value; the next record begins at a multiple of 8. A record is bound to its segment and offset, so bytes of a
/// value that look like a record are not taken for one.
struct LogRecord: Equatable {
    static let headerBytes = 40
    private static let magic: UInt32 = 0x3152_4C41
    private static let expiryFlag: UInt8 = 1

    /// What a record says about its key.
    enum Kind: UInt8 {
        case put = 1
        case removal = 2
    }

    var kind: Kind
    var keyBytes: Int
    /// The bytes that follow the key: for a removal, those of a value that it was written over.
    var valueBytes: Int
    var expiry: Int64?
    var valueChecksum: UInt64 = 0

    /// The bytes that a record takes, with what is left free after it.
    static func byteCount(keyBytes: Int, valueBytes: Int) -> Int { (headerBytes + keyBytes + valueBytes + 7) & ~7 }

    var byteCount: Int { Self.byteCount(keyBytes: keyBytes, valueBytes: valueBytes) }

    /// The header and the key as they are written at a place.
    func prefix(_ key: UnsafeRawBufferPointer, at place: LogPlace) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.headerBytes + key.count) { buffer, count in
            count = Self.headerBytes + key.count
            let header = UnsafeMutableRawBufferPointer(buffer)
            header.storeBytes(of: Self.magic.littleEndian, as: UInt32.self)
            header[4] = kind.rawValue
            header[5] = expiry == nil ? 0 : Self.expiryFlag
            header.storeBytes(of: 0, toByteOffset: 6, as: UInt16.self)
            header.storeBytes(of: UInt32(keyBytes).littleEndian, toByteOffset: 8, as: UInt32.self)
            header.storeBytes(of: UInt32(valueBytes).littleEndian, toByteOffset: 12, as: UInt32.self)
            header.storeBytes(of: (expiry ?? 0).littleEndian, toByteOffset: 16, as: Int64.self)
            header.storeBytes(of: valueChecksum.littleEndian, toByteOffset: 24, as: UInt64.self)
            let checksum = Self.checksum(UnsafeRawBufferPointer(header), key, place)
            header.storeBytes(of: checksum.littleEndian, toByteOffset: 32, as: UInt64.self)
            if let start = key.baseAddress {
                (header.baseAddress! + Self.headerBytes).copyMemory(from: start, byteCount: key.count)
            }
        }
    }

    /// Reads a header with its key from the front of `bytes`; nil if there is no whole and sound one for this place.
    init?(reading bytes: UnsafeRawBufferPointer, at place: LogPlace) {
        guard bytes.count >= Self.headerBytes, Self.word(UInt32.self, 0, bytes) == Self.magic,
            let kind = Kind(rawValue: bytes[4])
        else { return nil }
        let keyBytes = Int(Self.word(UInt32.self, 8, bytes))
        guard bytes.count - Self.headerBytes >= keyBytes else { return nil }
        let key = UnsafeRawBufferPointer(rebasing: bytes[Self.headerBytes..<(Self.headerBytes + keyBytes)])
        guard Self.checksum(bytes, key, place) == Self.word(UInt64.self, 32, bytes) else { return nil }
        self.kind = kind
        self.keyBytes = keyBytes
        valueBytes = Int(Self.word(UInt32.self, 12, bytes))
        expiry = bytes[5] & Self.expiryFlag == 0 ? nil : Self.word(Int64.self, 16, bytes)
        valueChecksum = Self.word(UInt64.self, 24, bytes)
    }

    /// A record that puts a value.
    init(putting value: UnsafeRawBufferPointer, keyBytes: Int, expiry: Int64?) {
        kind = .put
        self.keyBytes = keyBytes
        valueBytes = value.count
        self.expiry = expiry
        valueChecksum = Checksum64.checksum(of: value)
    }

    /// A record that removes a key; `valueBytes` are skipped after it.
    init(removing keyBytes: Int, valueBytes: Int = 0) {
        kind = .removal
        self.keyBytes = keyBytes
        self.valueBytes = valueBytes
        expiry = nil
    }

    private static func checksum(
        _ header: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ place: LogPlace
    ) -> UInt64 {
        var checksum = Checksum64()
        checksum.absorb(UnsafeRawBufferPointer(rebasing: header[..<32]))
        withUnsafeBytes(of: (UInt64(place.segment).littleEndian, UInt64(place.offset).littleEndian)) {
            checksum.absorb($0)
        }
        checksum.absorb(key)
        return checksum.value
    }

    private static func word<Word: FixedWidthInteger>(
        _: Word.Type, _ offset: Int, _ bytes: UnsafeRawBufferPointer
    ) -> Word {
        Word(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Word.self))
    }
}

/// Where a record begins.
struct LogPlace: Equatable {
    var segment: UInt32
    /// Bytes from the segment's start, a multiple of 8.
    var offset: Int
}

/// A record as the index and the hints know it.
struct LogItem: Equatable {
    var kind: LogRecord.Kind
    var key: [UInt8]
    var offset: Int
    var valueBytes: Int

    var byteCount: Int { LogRecord.byteCount(keyBytes: key.count, valueBytes: valueBytes) }
}
