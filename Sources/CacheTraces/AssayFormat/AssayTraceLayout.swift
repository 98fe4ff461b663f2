internal import CacheCore

/// What the writer and the reader of the `assay` trace format share; `docs/assay-trace-format.md` describes the whole layout.
enum AssayTraceLayout {
    /// No text begins so, and a transfer that changes line ends shows.
    static let magic: [UInt8] = [0x89, 0x41, 0x53, 0x59, 0x54, 0x0d, 0x0a, 0x1a]
    static let version: UInt16 = 1
    /// Magic, version, attributes, four bytes of 0, checksum.
    static let headerBytes = 24
    /// Counts of requests, new objects and new tenants, and the length of what follows.
    static let blockHeaderBytes = 16
    static let checksumBytes = 8
    /// Identifier, transform, layout, whether it is compressed, raw and stored length.
    static let columnHeaderBytes = 12
    /// The most requests of a block.
    static let blockRequests = 1 << 16
    /// A block ends when its new keys have so many bytes.
    static let blockKeyBytes = 1 << 24
    /// The longest key, and the longest name of a tenant.
    static let keyBytesMax = (1 << 24) - 1
    /// The most bytes of new keys or new names in a block.
    static let textBytesMax = 1 << 25
    /// The most bytes that the columns of a block have.
    static let blockBytesMax = 1 << 27

    /// The columns of a block, in this order; some blocks lack some.
    enum Column: UInt8, CaseIterable {
        case ids, keyKinds, keyNumbers, keyLengths, keyBytes, tenantLengths, tenantBytes, sizes, times, timesToLive,
            costs, operations, tenants

        /// The attributes that a file has by the bit of their place.
        static let attributes: [(Column, TraceAttribute)] = [
            (.sizes, .sizes), (.times, .times), (.timesToLive, .timesToLive), (.costs, .costs),
            (.operations, .operations), (.tenants, .tenants),
        ]

        /// Whether a value is likely to be the one that its object had before.
        var followsObject: Bool { [.sizes, .timesToLive, .costs, .tenants].contains(self) }

        /// The transforms by which it can be written.
        var transforms: [NumberTransform] {
            switch self {
            case .keyBytes, .tenantBytes: []
            case .sizes, .timesToLive, .costs, .tenants: [.plain, .difference, .byObject]
            default: [.plain, .difference]
            }
        }
    }

    /// The checksum of bytes.
    static func checksum(_ parts: [UInt8]...) -> UInt64 {
        let hash = XXH3Hash()
        for part in parts { part.withUnsafeBytes { hash.update($0) } }
        return hash.low64
    }

    /// The bytes of a number, little-endian.
    static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

/// What a column holds in the place of its numbers.
enum NumberTransform: UInt8 {
    /// The numbers.
    case plain
    /// The difference from the number before, in this block or the one before it, with its sign in the lowest bit.
    case difference
    /// The difference from the number of the last request for the same object, 0 before the first.
    case byObject

    /// A difference of 64 bits that wraps, with its sign in the lowest bit.
    @inline(__always)
    static func difference(_ value: UInt64, _ base: UInt64) -> UInt64 {
        let difference = Int64(bitPattern: value &- base)
        return UInt64(bitPattern: (difference << 1) ^ (difference >> 63))
    }

    /// The number that has a difference from another.
    @inline(__always)
    static func value(_ difference: UInt64, _ base: UInt64) -> UInt64 {
        base &+ ((difference >> 1) ^ (0 &- (difference & 1)))
    }
}

/// What both sides know of the numbers of one column before a block.
struct NumberHistory {
    var last: UInt64 = 0
    /// The number of each object's last request; empty for columns that do not follow objects.
    var byObject: [UInt64] = []
}

/// How numbers lie in bytes.
enum NumberLayout: UInt8, CaseIterable {
    /// The width in bytes, then the lowest byte of every number, the next byte of every number, and so on.
    case planes
    /// Seven bits a byte, the lowest first, the highest bit set where more follow (LEB128).
    case variable
    /// The count of different numbers and the differences of these in ascending order, as `variable`, then the place of each
    /// number among them, as planes of 0, 1 or 2 bytes.
    case dictionary

    /// The bytes of numbers, at most 65,536 of them.
    func encode(_ numbers: [UInt64]) -> [UInt8] {
        switch self {
        case .planes: return Self.planes(numbers)
        case .variable:
            var bytes: [UInt8] = []
            bytes.reserveCapacity(numbers.count * 2)
            for number in numbers { Self.append(number, to: &bytes) }
            return bytes
        case .dictionary:
            var different = numbers.sorted()
            var count = 0
            for number in different where count == 0 || different[count - 1] != number {
                different[count] = number
                count += 1
            }
            different.removeLast(different.count - count)
            var bytes: [UInt8] = []
            Self.append(UInt64(count), to: &bytes)
            var before: UInt64 = 0
            for number in different {
                Self.append(number &- before, to: &bytes)
                before = number
            }
            let places = Dictionary(uniqueKeysWithValues: different.enumerated().map { ($1, UInt64($0)) })
            return bytes + Self.planes(numbers.map { places[$0] ?? 0 })
        }
    }

    /// The numbers that bytes hold; nil unless they hold exactly `count`.
    func decode(_ bytes: [UInt8], count: Int) -> [UInt64]? {
        var reader = Reader(bytes: bytes)
        var numbers: [UInt64]?
        switch self {
        case .planes: numbers = reader.planes(count)
        case .variable: numbers = reader.variables(count)
        case .dictionary:
            guard let different = reader.variable(), different <= UInt64(count),
                var values = reader.variables(Int(different))
            else { return nil }
            for index in values.indices.dropFirst() { values[index] &+= values[index - 1] }
            guard let places = reader.planes(count), places.allSatisfy({ $0 < different }) else { return nil }
            numbers = places.map { values[Int($0)] }
        }
        return reader.isAtEnd ? numbers : nil
    }

    private static func planes(_ numbers: [UInt64]) -> [UInt8] {
        let width = (64 - (numbers.max() ?? 0).leadingZeroBitCount + 7) / 8
        return [UInt8](unsafeUninitializedCapacity: 1 + width * numbers.count) { bytes, count in
            bytes[0] = UInt8(width)
            count = 1
            for plane in 0..<width {
                for number in numbers {
                    bytes[count] = UInt8(truncatingIfNeeded: number >> UInt64(8 * plane))
                    count &+= 1
                }
            }
        }
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0
        var isAtEnd: Bool { position == bytes.count }

        mutating func variable() -> UInt64? {
            var (number, shift): (UInt64, UInt64) = (0, 0)
            while position < bytes.count {
                let byte = bytes[position]
                position += 1
                guard shift < 63 || byte <= 1 else { return nil }
                number |= UInt64(byte & 0x7f) << shift
                if byte & 0x80 == 0 { return number }
                shift += 7
            }
            return nil
        }

        mutating func variables(_ count: Int) -> [UInt64]? {
            // Each takes a byte or more.
            guard count <= bytes.count - position else { return nil }
            var numbers: [UInt64] = []
            numbers.reserveCapacity(count)
            for _ in 0..<count {
                guard let number = variable() else { return nil }
                numbers.append(number)
            }
            return numbers
        }

        mutating func planes(_ count: Int) -> [UInt64]? {
            guard position < bytes.count, bytes[position] <= 8 else { return nil }
            let width = Int(bytes[position])
            position += 1
            guard width * count <= bytes.count - position else { return nil }
            var numbers = [UInt64](repeating: 0, count: count)
            for plane in 0..<width {
                for index in 0..<count { numbers[index] |= UInt64(bytes[position &+ index]) << UInt64(8 * plane) }
                position += count
            }
            return numbers
        }
    }
}
