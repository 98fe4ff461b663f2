internal import Foundation

/// What the reading of one value has found out.
final class RecordDecoding {
    /// Whether a record in it was of an older version.
    var hasMigrated = false
    /// Whether a record in it was of a newer version, of which something may have been left out.
    var hasNewer = false
    /// Whether an object, of a class, was made.
    var hasObjects = false
}

/// Makes a value of its parts, migrating each record on the way, the outer before those in it.
struct RecordDecoder: Decoder {
    let value: RecordValue
    let decoding: RecordDecoding
    /// The type that is decoded, for whose superclass a decoder may be asked.
    let type: Any.Type?
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: RecordValue, _ decoding: RecordDecoding, _ type: Any.Type?, _ codingPath: [any CodingKey]) {
        self.value = value
        self.decoding = decoding
        self.type = type
        self.codingPath = codingPath
    }

    static func decoded<Value: Decodable>(
        _ parts: RecordValue, as type: Value.Type, _ decoding: RecordDecoding = RecordDecoding()
    ) throws -> Value { try RecordDecoder(parts, decoding, nil, []).decode(parts, as: type, []) }

    /// A part as a record type reads it: its own, brought to the version that the type has.
    static func migrated(
        _ value: RecordValue, to type: any CacheRecord.Type, _ decoding: RecordDecoding
    ) throws -> RecordValue {
        let timeline = type.timeline
        guard case .record(var data) = value else { return value }
        if let name = data.typeName, name != type.recordName, !timeline.formerNames.contains(name) {
            throw RecordError.wrongType(stored: name, asked: type.recordName)
        }
        if data.version > timeline.version {
            guard timeline.newer == .passThrough else {
                throw RecordError.newer(type: type.recordName, version: data.version)
            }
            decoding.hasNewer = true
        } else if data.version < timeline.version || data.typeName != type.recordName {
            decoding.hasMigrated = true
            try timeline.migrate(&data)
        }
        return .record(data)
    }

    func container<Key: CodingKey>(keyedBy keyType: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard let data = value.record else { throw mismatch("a record") }
        return KeyedDecodingContainer(DecodedFields(decoder: self, data: data))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard let list = value.list else { throw mismatch("a list") }
        return DecodedElements(decoder: self, list: list)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { DecodedSingle(decoder: self) }

    func mismatch(_ expected: String) -> any Error {
        DecodingError.typeMismatch(
            RecordValue.self,
            DecodingError.Context(codingPath: codingPath, debugDescription: "there is no \(expected), but \(value)"))
    }

    func decode<Value: Decodable>(
        _ part: RecordValue, as type: Value.Type, _ path: [any CodingKey]
    ) throws -> Value {
        func cast(_ part: Any?) throws -> Value {
            guard let value = part as? Value else {
                throw RecordDecoder(value, decoding, nil, path).mismatch("\(type)")
            }
            return value
        }
        if type is AnyClass { decoding.hasObjects = true }
        switch type {
        case is RecordValue.Type: return try cast(part)
        case is RecordData.Type: return try cast(part.record)
        case is [UInt8].Type: return try cast(part.bytes)
        case is Data.Type: return try cast(part.bytes.map { Data($0) })
        case is Date.Type: return try cast(part.date.map { Date(timeIntervalSinceReferenceDate: $0) })
        case let record as any CacheRecord.Type:
            return try decode(part, as: type, record, path)
        default: return try Value(from: RecordDecoder(part, decoding, type, path))
        }
    }

    /// A record's value. One that its steps, or those of records in it, have not brought to the form of its type is refused; of what has
    /// another form than was asked for otherwise the steps know nothing.
    private func decode<Value: Decodable>(
        _ part: RecordValue, as type: Value.Type, _ record: any CacheRecord.Type, _ path: [any CodingKey]
    ) throws -> Value {
        let hadMigrated = decoding.hasMigrated
        decoding.hasMigrated = false
        defer { if hadMigrated { decoding.hasMigrated = true } }
        let migrated = try Self.migrated(part, to: record, decoding)
        do { return try Value(from: RecordDecoder(migrated, decoding, type, path)) } catch let error as DecodingError {
            throw decoding.hasMigrated ? RecordRefusal.remove("\(error)") : error
        }
    }

    /// The decoder of a superclass's part.
    func superDecoder(_ part: RecordValue, _ path: [any CodingKey]) throws -> RecordDecoder {
        let parent = RecordEncoder.superclass(of: type)
        let record = parent as? any CacheRecord.Type
        let migrated = try record.map { try Self.migrated(part, to: $0, decoding) } ?? part
        return RecordDecoder(migrated, decoding, parent, path)
    }
}

extension RecordValue {
    /// The bytes, also where they are a list of whole numbers.
    fileprivate var bytes: [UInt8]? {
        switch self {
        case .bytes(let bytes): return bytes
        case .list(let list):
            let bytes = list.compactMap { $0.integer.flatMap { UInt8(exactly: $0) } }
            return bytes.count == list.count ? bytes : nil
        default: return nil
        }
    }

    /// The seconds since 2001.
    fileprivate var date: Double? { if case .date(let seconds) = self { seconds } else { number } }
}

/// One value without a name.
struct DecodedSingle: SingleValueDecodingContainer {
    let decoder: RecordDecoder
    var codingPath: [any CodingKey] { decoder.codingPath }

    private func required<Value>(_ value: Value?, _ kind: String) throws -> Value {
        guard let value else { throw decoder.mismatch(kind) }
        return value
    }

    private func integer<Value: FixedWidthInteger>(_ type: Value.Type) throws -> Value {
        switch decoder.value {
        case .integer(let integer): try required(Value(exactly: integer), "\(type) in its range")
        case .number(let number): try required(Value(exactly: number), "\(type) in its range")
        default: throw decoder.mismatch("whole number")
        }
    }

    func decodeNil() -> Bool { decoder.value.isNothing }
    func decode(_ type: Bool.Type) throws -> Bool { try required(decoder.value.flag, "flag") }
    func decode(_ type: String.Type) throws -> String { try required(decoder.value.text, "text") }
    func decode(_ type: Double.Type) throws -> Double { try required(decoder.value.number, "number") }
    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }
    func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decoder.decode(decoder.value, as: type, codingPath)
    }
}
