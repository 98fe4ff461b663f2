internal import CacheCore

/// Numbers the names of tenants in the order in which they first appear.
struct TenantNames {
    private static let countMax = 1 << 16

    private var numbers: [[UInt8]: UInt16] = [:]
    /// Each name after its length in 4 bytes, little-endian.
    private(set) var encoded: [UInt8] = []
    /// The name asked for last: requests of one tenant often follow each other.
    private var last: (name: [UInt8], number: UInt16)?

    /// The number of a tenant.
    ///
    /// - Throws: `AssayError` with code `badInput` if there are more than 65,536 tenants.
    mutating func number(of name: UnsafeRawBufferPointer) throws(AssayError) -> UInt16 {
        if let last, last.name.count == name.count, last.name.elementsEqual(name) { return last.number }
        let bytes = Array(name)
        let number = if let known = numbers[bytes] { known } else { try add(bytes) }
        last = (bytes, number)
        return number
    }

    private mutating func add(_ name: [UInt8]) throws(AssayError) -> UInt16 {
        guard numbers.count < Self.countMax else {
            throw AssayError(
                .badInput,
                "There are more than \(Self.countMax) tenants, so this hardly is a tenant. "
                    + "Name the columns or members that are read, without tenant=.")
        }
        let number = UInt16(numbers.count)
        numbers[name] = number
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: name.count).littleEndian) { encoded.append(contentsOf: $0) }
        encoded += name
        return number
    }

    /// The names in the order of their numbers.
    static func decoded(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
        var names: [[UInt8]] = []
        var offset = 0
        while bytes.count - offset >= 4 {
            let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
            offset += 4
            guard length <= bytes.count - offset else { break }
            names.append(Array(bytes[offset..<offset + length]))
            offset += length
        }
        return names
    }
}
