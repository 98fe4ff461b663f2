import CacheCore

/// The head of a record: everything needed to tell a whole record from a torn, moved or rotten one.
///
/// Little-endian, 56 bytes: magic `ALR2` (4 bytes), kind (1), flags (1), zeros (2), key length (4), value length (4),
/// expiry (8), checksum of the value (8), checksum (8) of all of that, of the record's place and of the key; then a
/// ``LogMark`` (16). Then the key and the value; the next record begins at a multiple of 8. A record is bound to its segment
/// and offset, so bytes of a value that look like a record are not taken for one. Records of the first version, `ALR1`, are
/// the same without the mark; they are read, and no longer written.
struct LogRecord: Equatable {
    static let headerBytes = LogMark.offset + LogMark.byteCount
    private static let magic: UInt32 = 0x3252_4C41
    private static let firstMagic: UInt32 = 0x3152_4C41
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
    /// Whether it is one of the first version.
    var isFirst = false

    /// The bytes that a record takes, with what is left free after it.
    static func byteCount(keyBytes: Int, valueBytes: Int) -> Int { (headerBytes + keyBytes + valueBytes + 7) & ~7 }

    /// The bytes before the key.
    var headerBytes: Int { isFirst ? LogMark.offset : Self.headerBytes }

    /// The bytes that it takes, with what is left free after it.
    var byteCount: Int { (headerBytes + keyBytes + valueBytes + 7) & ~7 }

    /// The header and the key as they are written at a place.
    func prefix(_ key: UnsafeRawBufferPointer, at place: LogPlace) -> [UInt8] {
        let headerBytes = headerBytes
        return [UInt8](unsafeUninitializedCapacity: headerBytes + key.count) { buffer, count in
            count = headerBytes + key.count
            let header = UnsafeMutableRawBufferPointer(buffer)
            header.storeBytes(of: (isFirst ? Self.firstMagic : Self.magic).littleEndian, as: UInt32.self)
            header[4] = kind.rawValue
            header[5] = expiry == nil ? 0 : Self.expiryFlag
            header.storeBytes(of: 0, toByteOffset: 6, as: UInt16.self)
            header.storeBytes(of: UInt32(keyBytes).littleEndian, toByteOffset: 8, as: UInt32.self)
            header.storeBytes(of: UInt32(valueBytes).littleEndian, toByteOffset: 12, as: UInt32.self)
            header.storeBytes(of: (expiry ?? 0).littleEndian, toByteOffset: 16, as: Int64.self)
            header.storeBytes(of: valueChecksum.littleEndian, toByteOffset: 24, as: UInt64.self)
            let checksum = Self.checksum(UnsafeRawBufferPointer(header), key, place)
            header.storeBytes(of: checksum.littleEndian, toByteOffset: 32, as: UInt64.self)
            if !isFirst { LogMark(key, contentBytes: headerBytes + keyBytes + valueBytes).write(to: header, at: place) }
            if let start = key.baseAddress {
                (header.baseAddress! + headerBytes).copyMemory(from: start, byteCount: key.count)
            }
        }
    }

    /// Reads a header with its key from the front of `bytes`; nil if there is no whole and sound one for this place.
    init?(reading bytes: UnsafeRawBufferPointer, at place: LogPlace) {
        guard bytes.count >= LogMark.offset, let kind = Kind(rawValue: bytes[4]) else { return nil }
        let magic = Self.word(UInt32.self, 0, bytes)
        guard magic == Self.magic || magic == Self.firstMagic else { return nil }
        isFirst = magic == Self.firstMagic
        let headerBytes = isFirst ? LogMark.offset : Self.headerBytes
        let keyBytes = Int(Self.word(UInt32.self, 8, bytes))
        guard bytes.count - headerBytes >= keyBytes else { return nil }
        let key = UnsafeRawBufferPointer(rebasing: bytes[headerBytes..<(headerBytes + keyBytes)])
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
    init(removing keyBytes: Int, valueBytes: Int = 0, isFirst: Bool = false) {
        kind = .removal
        self.isFirst = isFirst
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

    fileprivate static func word<Word: FixedWidthInteger>(
        _: Word.Type, _ offset: Int, _ bytes: UnsafeRawBufferPointer
    ) -> Word {
        Word(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Word.self))
    }
}

/// What a record says a second time, with a checksum of its own: how long it is and which key it is about.
///
/// Where the rest of a header or the key is damaged, the mark tells whose older value is not the newest, so that it does not
/// come back; and the other way round. Little-endian, 16 bytes: hash of the key (8), length of header, key and value (4),
/// checksum of both and of the record's place (4).
struct LogMark: Equatable {
    /// Where the mark is in a record.
    static let offset = 40
    static let byteCount = 16

    let keyHash: UInt64
    let contentBytes: Int

    init(_ key: UnsafeRawBufferPointer, contentBytes: Int) {
        keyHash = Self.hash(key)
        self.contentBytes = contentBytes
    }

    /// The hash by which a mark names a key.
    static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 { Checksum64.checksum(of: key) }

    /// Writes the mark into the header of a record.
    func write(to header: UnsafeMutableRawBufferPointer, at place: LogPlace) {
        let length = UInt32(clamping: contentBytes)
        header.storeBytes(of: keyHash.littleEndian, toByteOffset: Self.offset, as: UInt64.self)
        header.storeBytes(of: length.littleEndian, toByteOffset: Self.offset + 8, as: UInt32.self)
        let checksum = Self.checksum(keyHash, length, place)
        header.storeBytes(of: checksum.littleEndian, toByteOffset: Self.offset + 12, as: UInt32.self)
    }

    /// Reads the mark of the record at the front of `bytes`; nil if there is no sound one for this place.
    init?(reading bytes: UnsafeRawBufferPointer, at place: LogPlace) {
        guard bytes.count >= Self.offset + Self.byteCount else { return nil }
        keyHash = LogRecord.word(UInt64.self, Self.offset, bytes)
        let length = LogRecord.word(UInt32.self, Self.offset + 8, bytes)
        contentBytes = Int(length)
        guard contentBytes >= LogRecord.headerBytes,
            LogRecord.word(UInt32.self, Self.offset + 12, bytes) == Self.checksum(keyHash, length, place)
        else { return nil }
    }

    private static func checksum(_ keyHash: UInt64, _ length: UInt32, _ place: LogPlace) -> UInt32 {
        var checksum = Checksum64()
        for word in [keyHash, UInt64(length), UInt64(place.segment), UInt64(place.offset)] {
            withUnsafeBytes(of: word.littleEndian) { checksum.absorb($0) }
        }
        return UInt32(truncatingIfNeeded: checksum.value)
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
