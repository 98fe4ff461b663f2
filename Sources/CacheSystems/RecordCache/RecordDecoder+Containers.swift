/// Values one after the other.
struct DecodedElements: UnkeyedDecodingContainer {
    let decoder: RecordDecoder
    let list: [RecordValue]
    var currentIndex = 0
    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { list.count }
    var isAtEnd: Bool { currentIndex == list.count }

    init(decoder: RecordDecoder, list: [RecordValue]) {
        self.decoder = decoder
        self.list = list
    }

    private mutating func next() throws -> RecordValue {
        guard !isAtEnd else { throw decoder.mismatch("element \(currentIndex)") }
        defer { currentIndex += 1 }
        return list[currentIndex]
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, list[currentIndex].isNothing else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decoder.decode(next(), as: type, codingPath)
    }

    // The two that would be refused if they were left out.
    mutating func decode(_ type: Int128.Type) throws -> Int128 {
        try decoder.decode(next(), as: type, codingPath)
    }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
        try decoder.decode(next(), as: type, codingPath)
    }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try RecordDecoder(next(), decoder.decoding, nil, codingPath).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try RecordDecoder(next(), decoder.decoding, nil, codingPath).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { try decoder.superDecoder(next(), codingPath) }
}

/// Values with names.
struct DecodedFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RecordDecoder
    let data: RecordData
    var codingPath: [any CodingKey] { decoder.codingPath }
    var allKeys: [Key] { data.names.compactMap { Key(stringValue: $0) } }

    private func value(_ key: any CodingKey) throws -> RecordValue {
        guard let value = data[key.stringValue] else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(
                    codingPath: codingPath, debugDescription: "the record has \(data.names) and no '\(key.stringValue)'"
                ))
        }
        return value
    }

    private func nested(_ key: Key) throws -> RecordDecoder {
        RecordDecoder(try value(key), decoder.decoding, nil, codingPath + [key])
    }

    func contains(_ key: Key) -> Bool { data[key.stringValue] != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try value(key).isNothing }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        if type is ExtensionFields.Type, let fields = ExtensionFields(of: data) as? Value { return fields }
        return try decoder.decode(value(key), as: type, codingPath + [key])
    }

    /// Extension fields have no key of their own that could be missing.
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        let isThere = try type is ExtensionFields.Type || contains(key) && !decodeNil(forKey: key)
        return isThere ? try decode(type, forKey: key) : nil
    }

    // The two that would be refused if they were left out.
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try decoder.decode(value(key), as: type, codingPath + [key])
    }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try decoder.decode(value(key), as: type, codingPath + [key])
    }

    func nestedContainer<Inner: CodingKey>(
        keyedBy type: Inner.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Inner> { try nested(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        try decoder.superDecoder(data[RecordData.superclassField] ?? .record(RecordData()), codingPath)
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try decoder.superDecoder(value(key), codingPath + [key])
    }
}
