internal import CacheCore

/// The fields of a record as Python's `struct` writes them: `<IQI` is a u32, a u64 and a u32, little-endian.
struct StructLayout: Sendable {
    /// What a field holds.
    enum Kind: Sendable, Hashable {
        case unsigned, signed, float, bytes
    }

    struct Field: Sendable, Hashable {
        let kind: Kind
        let offset: Int
        let width: Int
    }

    /// The most bytes of a record.
    private static let widthMax = 1 << 16

    let fields: [Field]
    /// The bytes of a record.
    let width: Int
    private let isBigEndian: Bool

    /// Reads a format string.
    ///
    /// - Throws: `AssayError` with code `usage` for a letter, a first character or a count that is not read.
    init(parsing text: String) throws(AssayError) {
        guard let order = text.first, order == "<" || order == ">" else {
            throw Self.error(
                text, "begins with neither '<' (little-endian) nor '>' (big-endian); other orders depend on the machine"
            )
        }
        isBigEndian = order == ">"
        var (fields, offset): ([Field], Int) = ([], 0)
        var count: Int?
        for letter in text.dropFirst() {
            if let digit = letter.wholeNumberValue, letter.isASCII {
                count = (count ?? 0) * 10 + digit
                guard count ?? 0 <= Self.widthMax else { break }
                continue
            }
            guard let (kind, width) = Self.kinds[letter] else {
                throw Self.error(
                    text, "has '\(letter)'; the letters are c b B ? h H i I l L q Q f d, s for bytes and x for padding")
            }
            let times = count ?? 1
            count = nil
            guard times > 0, times * width <= Self.widthMax - offset else {
                throw Self.error(text, "has a count of 0, or records of more than \(Self.widthMax) bytes")
            }
            switch kind {
            case .bytes where letter == "s":
                fields.append(Field(kind: .bytes, offset: offset, width: times))
            case nil: break
            case .some(let kind):
                for index in 0..<times {
                    fields.append(Field(kind: kind, offset: offset + index * width, width: width))
                }
            }
            offset += times * width
        }
        guard count == nil else {
            throw Self.error(text, "ends with a count that no letter follows, or has too large a one")
        }
        guard !fields.isEmpty else { throw Self.error(text, "has no fields") }
        (self.fields, width) = (fields, offset)
    }

    private static let kinds: [Character: (kind: Kind?, width: Int)] = [
        "c": (.bytes, 1), "s": (.bytes, 1), "x": (nil, 1), "b": (.signed, 1), "B": (.unsigned, 1), "?": (.unsigned, 1),
        "h": (.signed, 2), "H": (.unsigned, 2), "i": (.signed, 4), "I": (.unsigned, 4), "l": (.signed, 4),
        "L": (.unsigned, 4), "q": (.signed, 8), "Q": (.unsigned, 8), "f": (.float, 4), "d": (.float, 8),
    ]

    private static func error(_ text: String, _ what: String) -> AssayError {
        AssayError(.usage, "binary: format=\(text) \(what). Write it as for Python's struct: format=<IQI.")
    }

    // MARK: - Values

    /// The bits of a field of up to 64, those of a signed one widened to 64.
    @inline(__always)
    func bits(_ field: Field, of record: UnsafeRawPointer) -> UInt64 {
        let raw: UInt64
        switch field.width {
        case 1: raw = UInt64(record.load(fromByteOffset: field.offset, as: UInt8.self))
        case 2: raw = UInt64(number(field, record, UInt16.self))
        case 4: raw = UInt64(number(field, record, UInt32.self))
        default: raw = number(field, record, UInt64.self)
        }
        guard field.kind == .signed, field.width < 8 else { return raw }
        let unused = UInt64(64 - 8 * field.width)
        return UInt64(bitPattern: Int64(bitPattern: raw << unused) >> Int64(unused))
    }

    /// The value of a field of a floating-point type.
    func real(_ field: Field, of record: UnsafeRawPointer) -> Double {
        field.width == 4
            ? Double(Float(bitPattern: number(field, record, UInt32.self)))
            : Double(bitPattern: number(field, record, UInt64.self))
    }

    /// The bytes of a field.
    func bytes(_ field: Field, of record: UnsafeRawPointer) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: record + field.offset, count: field.width)
    }

    @inline(__always)
    private func number<Number: FixedWidthInteger>(
        _ field: Field, _ record: UnsafeRawPointer, _: Number.Type
    ) -> Number {
        let number = record.loadUnaligned(fromByteOffset: field.offset, as: Number.self)
        return isBigEndian ? Number(bigEndian: number) : Number(littleEndian: number)
    }
}
