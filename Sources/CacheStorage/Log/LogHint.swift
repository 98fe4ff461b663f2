import CacheCore

/// What a segment's hint file says: its records without their values, so that opening a store reads no values.
///
/// Little-endian: magic `ALH1` (4 bytes), segment (4), the bytes of the segment that it covers (8), length of what follows
/// (8), checksum of all of that (8); then for each record its kind (1), key length (4), place (8), value length (4), key.
struct LogHint {
    private static let headerBytes = 32
    private static let itemBytes = 17
    private static let magic: UInt32 = 0x3148_4C41

    private(set) var bytes: [UInt8] = []

    /// Adds the next record.
    mutating func append(_ kind: LogRecord.Kind, _ key: UnsafeRawBufferPointer, offset: Int, valueBytes: Int) {
        bytes.append(kind.rawValue)
        Self.append(UInt32(key.count), to: &bytes)
        Self.append(UInt64(offset), to: &bytes)
        Self.append(UInt32(valueBytes), to: &bytes)
        bytes.append(contentsOf: key)
    }

    /// Adds a record that was found.
    mutating func append(_ item: LogItem) {
        item.key.withRawBytes { append(item.kind, $0, offset: item.offset, valueBytes: item.valueBytes) }
    }

    /// The file for a segment of `size` bytes.
    func file(segment: UInt32, size: Int) -> [UInt8] {
        var file: [UInt8] = []
        Self.append(Self.magic, to: &file)
        Self.append(segment, to: &file)
        Self.append(UInt64(size), to: &file)
        Self.append(UInt64(bytes.count), to: &file)
        Self.append(Self.checksum(header: file, bytes), to: &file)
        return file + bytes
    }

    /// Reads a hint file; nil unless it is whole and of this segment.
    static func read(_ file: [UInt8], segment: UInt32) -> (items: [LogItem], coveredBytes: Int)? {
        guard file.count >= headerBytes, word(UInt32.self, 0, file) == magic, word(UInt32.self, 4, file) == segment
        else { return nil }
        let body = Array(file[headerBytes...])
        guard UInt64(body.count) == word(UInt64.self, 16, file),
            checksum(header: Array(file[..<24]), body) == word(UInt64.self, 24, file),
            let coveredBytes = Int(exactly: word(UInt64.self, 8, file))
        else { return nil }
        var items: [LogItem] = []
        var position = 0
        while position + itemBytes <= body.count {
            let keyStart = position + itemBytes
            let keyEnd = keyStart + Int(word(UInt32.self, position + 1, body))
            let offset = word(UInt64.self, position + 5, body)
            // An index has 32 bits for a place in units of 8 bytes.
            guard let kind = LogRecord.Kind(rawValue: body[position]), keyEnd <= body.count, offset < 8 << 32,
                offset.isMultiple(of: 8)
            else { return nil }
            items.append(
                LogItem(
                    kind: kind, key: Array(body[keyStart..<keyEnd]), offset: Int(offset),
                    valueBytes: Int(word(UInt32.self, position + 13, body))))
            position = keyEnd
        }
        return (items, coveredBytes)
    }

    private static func checksum(header: [UInt8], _ body: [UInt8]) -> UInt64 {
        var checksum = Checksum64()
        header.withRawBytes { checksum.absorb($0) }
        body.withRawBytes { checksum.absorb($0) }
        return checksum.value
    }

    private static func append<Word: FixedWidthInteger>(_ word: Word, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func word<Word: FixedWidthInteger>(_: Word.Type, _ offset: Int, _ bytes: [UInt8]) -> Word {
        bytes.withRawBytes { Word(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Word.self)) }
    }
}
