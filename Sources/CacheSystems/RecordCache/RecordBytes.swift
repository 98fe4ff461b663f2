/// Writes values in their binary form, records without the names that their schemas have.
///
/// A value is a byte for its kind and what follows: 0 nil; 1 and 2 no and yes; 3 a whole number; 4 a number, eight bytes; 5 text and
/// 6 bytes, each a count and its bytes; 7 a date as a number; 8 a list, a count and its elements; 9 a record, the id of its schema, the values
/// of its fields in the schema's order, and a count of others with their names; 10 a record with its names: 0, or 1 with the name and version
/// of its type, a count, names and values. Counts and whole numbers have seven bits a byte, the lowest first, the highest bit set but in the
/// last; whole numbers are doubled first, negative ones as the odd ones below. Eight bytes are big-endian.
struct RecordWriter {
    /// How deep values may lie in each other: a reader takes what is deeper for damage.
    static let depthMax = 200

    private(set) var bytes: [UInt8] = []
    private let schemas: RecordSchemas
    private var depth = 0

    init(_ schemas: RecordSchemas) { self.schemas = schemas }

    /// - Throws: `EncodingError` for values that lie too deep in each other.
    mutating func write(_ value: RecordValue) throws {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(
                    codingPath: [], debugDescription: "values lie more than \(Self.depthMax) deep in each other"))
        }
        switch value {
        case .nothing: bytes.append(0)
        case .flag(let flag): bytes.append(flag ? 2 : 1)
        case .integer(let integer):
            bytes.append(3)
            write(UInt128(bitPattern: (integer << 1) ^ (integer >> 127)))
        case .number(let number):
            bytes.append(4)
            write(number)
        case .text(let text):
            bytes.append(5)
            write(text)
        case .bytes(let blob):
            bytes.append(6)
            write(UInt128(blob.count))
            bytes += blob
        case .date(let seconds):
            bytes.append(7)
            write(seconds)
        case .list(let list):
            bytes.append(8)
            write(UInt128(list.count))
            for element in list { try write(element) }
        case .record(let data): try write(data)
        }
    }

    private mutating func write(_ data: RecordData) throws {
        guard let (id, schema) = schemas.known(for: data) else { return try writeNamed(data) }
        bytes.append(9)
        bytes += id
        for field in schema.fields { try write(data[field.name] ?? .nothing) }
        try writeFields(data.fields.filter { RecordData.isExtension($0.name) })
    }

    private mutating func writeNamed(_ data: RecordData) throws {
        bytes.append(10)
        bytes.append(data.typeName == nil ? 0 : 1)
        if let name = data.typeName {
            write(name)
            write(UInt128(max(0, data.version)))
        }
        try writeFields(data.fields)
    }

    private mutating func writeFields(_ fields: [(name: String, value: RecordValue)]) throws {
        write(UInt128(fields.count))
        for (name, value) in fields {
            write(name)
            try write(value)
        }
    }

    private mutating func write(_ count: UInt128) {
        var rest = count
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func write(_ number: Double) {
        let bits = number.bitPattern
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt64(shift)))
        }
    }

    private mutating func write(_ text: String) {
        write(UInt128(text.utf8.count))
        bytes += text.utf8
    }
}

/// Reads what a ``RecordWriter`` has written.
struct RecordReader {
    private let bytes: ArraySlice<UInt8>
    private let schemas: RecordSchemas
    private var place: Int
    private var depth = 0

    /// The value of all the bytes.
    ///
    /// - Throws: ``RecordError/damaged`` for bytes that are none, ``RecordError/unknownSchema``.
    static func value(of bytes: ArraySlice<UInt8>, _ schemas: RecordSchemas) throws(RecordError) -> RecordValue {
        var reader = RecordReader(bytes, schemas)
        let value = try reader.value()
        guard reader.place == bytes.endIndex else { throw .damaged }
        return value
    }

    private init(_ bytes: ArraySlice<UInt8>, _ schemas: RecordSchemas) {
        self.bytes = bytes
        self.schemas = schemas
        place = bytes.startIndex
    }

    private mutating func value() throws(RecordError) -> RecordValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= RecordWriter.depthMax else { throw .damaged }
        switch try byte() {
        case 0: return .nothing
        case 1: return .flag(false)
        case 2: return .flag(true)
        case 3:
            let doubled = try unsigned()
            return .integer(Int128(truncatingIfNeeded: doubled >> 1) ^ -Int128(truncatingIfNeeded: doubled & 1))
        case 4: return .number(try number())
        case 5: return .text(try text())
        case 6: return .bytes(Array(try slice(try count())))
        case 7: return .date(try number())
        case 8:
            var list: [RecordValue] = []
            for _ in 0..<(try count()) { list.append(try value()) }
            return .list(list)
        case 9: return .record(try record())
        case 10: return .record(try namedRecord())
        default: throw .damaged
        }
    }

    private mutating func record() throws(RecordError) -> RecordData {
        guard let schema = schemas.schema(id: Array(try slice(RecordSchema.idBytes))) else { throw .unknownSchema }
        var data = RecordData(typeName: schema.typeName, version: schema.version)
        for field in schema.fields { data[field.name] = try value() }
        try readFields(&data)
        return data
    }

    private mutating func namedRecord() throws(RecordError) -> RecordData {
        var data = RecordData()
        if try byte() == 1 {
            let name = try text()
            guard let version = Int(exactly: try unsigned()) else { throw .damaged }
            data = RecordData(typeName: name, version: version)
        }
        try readFields(&data)
        return data
    }

    private mutating func readFields(_ data: inout RecordData) throws(RecordError) {
        for _ in 0..<(try count()) {
            let name = try text()
            data[name] = try value()
        }
    }

    private mutating func byte() throws(RecordError) -> UInt8 {
        guard place < bytes.endIndex else { throw .damaged }
        defer { place += 1 }
        return bytes[place]
    }

    private mutating func slice(_ count: Int) throws(RecordError) -> ArraySlice<UInt8> {
        guard count <= bytes.endIndex - place else { throw .damaged }
        defer { place += count }
        return bytes[place..<(place + count)]
    }

    /// How many things follow: each takes a byte at least.
    private mutating func count() throws(RecordError) -> Int {
        guard let count = Int(exactly: try unsigned()), count <= bytes.endIndex - place else { throw .damaged }
        return count
    }

    private mutating func unsigned() throws(RecordError) -> UInt128 {
        var result: UInt128 = 0
        for shift in stride(from: 0, to: 128, by: 7) {
            let next = try byte()
            result |= UInt128(next & 0x7F) << UInt128(shift)
            if next < 0x80 { return result }
        }
        throw .damaged
    }

    private mutating func number() throws(RecordError) -> Double {
        Double(bitPattern: try slice(8).reduce(0) { $0 << 8 | UInt64($1) })
    }

    private mutating func text() throws(RecordError) -> String {
        guard let text = String(validating: try slice(try count()), as: UTF8.self) else { throw .damaged }
        return text
    }
}
