import CacheCore

/// An entry as it lies in a chunk: a byte of flags, the lengths of key and value in one to five bytes each, eight bytes of
/// expiry if there is one, then key and value, or the address of a block that holds them.
struct SlabEntry {
    private static let expiryFlag: UInt8 = 1
    private static let blockFlag: UInt8 = 2

    let key: UnsafeRawBufferPointer
    let value: UnsafeRawBufferPointer
    let expiry: Int64?
    /// Where key and value lie if not in the chunk.
    let block: UnsafeMutableRawPointer?

    /// What an entry needs.
    struct Layout {
        /// The bytes of key and value.
        let contentBytes: Int
        private let headerBytes: Int

        init(keyBytes: Int, valueBytes: Int, hasExpiry: Bool) {
            contentBytes = keyBytes + valueBytes
            headerBytes = 1 + SlabEntry.lengthBytes(keyBytes) + SlabEntry.lengthBytes(valueBytes) + (hasExpiry ? 8 : 0)
        }

        /// The bytes of a chunk that holds all of it.
        var inlineBytes: Int { headerBytes + contentBytes }
        /// The bytes of a chunk that points to a block.
        var pointerBytes: Int { headerBytes + 8 }
    }

    /// Reads what ``write(_:_:_:to:asBlock:)`` wrote.
    init(reading chunk: UnsafeRawPointer) {
        let flags = chunk.load(as: UInt8.self)
        var cursor = chunk + 1
        let keyBytes = Self.readLength(&cursor)
        let valueBytes = Self.readLength(&cursor)
        if flags & Self.expiryFlag != 0 {
            expiry = cursor.loadUnaligned(as: Int64.self)
            cursor += 8
        } else {
            expiry = nil
        }
        if flags & Self.blockFlag != 0 {
            let address = cursor.loadUnaligned(as: UInt.self)
            block = UnsafeMutableRawPointer(bitPattern: address)
            cursor = UnsafeRawPointer(block!)
        } else {
            block = nil
        }
        key = UnsafeRawBufferPointer(start: cursor, count: keyBytes)
        value = UnsafeRawBufferPointer(start: cursor + keyBytes, count: valueBytes)
    }

    /// Writes an entry into a chunk, or into a new block to which the chunk points.
    static func write(
        _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, _ expiry: Int64?,
        to chunk: UnsafeMutableRawPointer, asBlock isBlock: Bool
    ) {
        chunk.storeBytes(of: (expiry == nil ? 0 : expiryFlag) | (isBlock ? blockFlag : 0), as: UInt8.self)
        var cursor = chunk + 1
        writeLength(key.count, &cursor)
        writeLength(value.count, &cursor)
        if let expiry {
            cursor.storeBytes(of: expiry, as: Int64.self)
            cursor += 8
        }
        if isBlock {
            let block = UnsafeMutableRawPointer.allocate(byteCount: key.count + value.count, alignment: 8)
            cursor.storeBytes(of: UInt(bitPattern: block), as: UInt.self)
            cursor = block
        }
        if let start = key.baseAddress { cursor.copyMemory(from: start, byteCount: key.count) }
        if let start = value.baseAddress { (cursor + key.count).copyMemory(from: start, byteCount: value.count) }
    }

    /// The bytes that a length takes, seven bits in each.
    fileprivate static func lengthBytes(_ length: Int) -> Int {
        var (rest, bytes) = (length >> 7, 1)
        while rest > 0 { (rest, bytes) = (rest >> 7, bytes + 1) }
        return bytes
    }

    private static func readLength(_ cursor: inout UnsafeRawPointer) -> Int {
        var (length, shift) = (0, 0)
        while true {
            let byte = cursor.load(as: UInt8.self)
            cursor += 1
            length |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return length }
            shift += 7
        }
    }

    private static func writeLength(_ length: Int, _ cursor: inout UnsafeMutableRawPointer) {
        var rest = length
        while rest >= 0x80 {
            cursor.storeBytes(of: UInt8(truncatingIfNeeded: rest) | 0x80, as: UInt8.self)
            cursor += 1
            rest >>= 7
        }
        cursor.storeBytes(of: UInt8(rest), as: UInt8.self)
        cursor += 1
    }
}
