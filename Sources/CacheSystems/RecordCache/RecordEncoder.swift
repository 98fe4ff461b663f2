internal import Foundation

/// Takes any encodable value apart, and notes the fields of every record type in it.
struct RecordEncoder: Encoder {
    /// A value in parts.
    struct Encoded {
        var value = RecordValue.nothing
        /// What the records in it look like, each once.
        var shapes: [RecordShape] = []
        /// Whether there is an object in it, which others may know and change.
        var hasObjects = false
    }

    let node: RecordNode
    /// The type that is encoded, for whose superclass an encoder may be asked.
    let type: Any.Type?
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ node: RecordNode, _ type: Any.Type?, _ codingPath: [any CodingKey]) {
        self.node = node
        self.type = type
        self.codingPath = codingPath
    }

    static func encoded(_ value: some Encodable) throws -> Encoded {
        let node = RecordNode()
        try RecordEncoder(node, nil, []).encode(value)
        var encoded = Encoded()
        encoded.value = node.value(noting: &encoded)
        return encoded
    }

    func container<Key: CodingKey>(keyedBy keyType: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeRecord(of: type)
        return KeyedEncodingContainer(RecordFields(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeList()
        return RecordElements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { RecordSingle(encoder: self) }

    func encode<Value: Encodable>(_ value: Value) throws {
        switch value {
        case let value as RecordValue: node.set(value)
        case let data as RecordData: node.set(.record(data))
        // An empty list is one of bytes too, if it is asked.
        case let bytes as [UInt8] where Swift.type(of: value as Any) == [UInt8].self: node.set(.bytes(bytes))
        case let data as Data: node.set(.bytes(Array(data)))
        case let date as Date: node.set(.date(date.timeIntervalSinceReferenceDate))
        case let unordered as any Unordered: try unordered.encodeInOrder(to: self)
        // An object is of its own type, and not of that under which it is known here.
        default:
            let type = Swift.type(of: value as Any)
            if type is AnyClass { node.isObject = true }
            try value.encode(to: RecordEncoder(node, type, codingPath))
        }
    }

    /// The superclass of a class, nil for any other type and for a class that has none.
    static func superclass(of type: Any.Type?) -> Any.Type? { (type as? AnyClass).flatMap(_getSuperclass) }
}

/// A collection whose order means nothing and is another in each process.
private protocol Unordered {
    func encodeInOrder(to encoder: RecordEncoder) throws
}

extension Set: Unordered where Element: Encodable {
    fileprivate func encodeInOrder(to encoder: RecordEncoder) throws {
        var container = encoder.unkeyedContainer()
        for element in try RecordNode.inOrder(Array(self), by: \.self) { try container.encode(element) }
    }
}

extension Dictionary: Unordered where Key: Encodable, Value: Encodable {
    fileprivate func encodeInOrder(to encoder: RecordEncoder) throws {
        if Key.self is any CodingKeyRepresentable.Type {
            encoder.node.becomeRecord(of: nil)
            let named = map { (name: ($0.key as? any CodingKeyRepresentable)?.codingKey.stringValue ?? "", $0.value) }
            for (name, value) in named.sorted(by: { $0.name < $1.name }) {
                try RecordEncoder(encoder.node.member(name, nil), nil, encoder.codingPath).encode(value)
            }
            return
        }
        var container = encoder.unkeyedContainer()
        for (key, value) in try RecordNode.inOrder(Array(self), by: \.key) {
            try container.encode(key)
            try container.encode(value)
        }
    }
}

/// One value without a name.
private struct RecordSingle: SingleValueEncodingContainer {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    func encodeNil() { encoder.node.set(.nothing) }
    func encode(_ value: Bool) { encoder.node.set(.flag(value)) }
    func encode(_ value: String) { encoder.node.set(.text(value)) }
    func encode(_ value: Double) { encoder.node.set(.number(value)) }
    func encode(_ value: Float) { encoder.node.set(.number(Double(value))) }
    func encode(_ value: Int128) { encoder.node.set(.integer(value)) }
    func encode(_ value: UInt128) throws { try integer(value) }

    func encode<Value: Encodable>(_ value: Value) throws {
        if let number = value as? any BinaryInteger { try integer(number) } else { try encoder.encode(value) }
    }

    private func integer(_ value: any BinaryInteger) throws {
        guard let integer = Int128(exactly: value) else {
            throw EncodingError.invalidValue(
                value,
                EncodingError.Context(codingPath: codingPath, debugDescription: "\(value) has more than 128 bits"))
        }
        encoder.node.set(.integer(integer))
    }
}

/// Values one after the other.
private struct RecordElements: UnkeyedEncodingContainer {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }
    var count: Int { encoder.node.count }

    private func next(_ type: Any.Type? = nil) -> RecordEncoder {
        RecordEncoder(encoder.node.append(), type, codingPath)
    }

    func encodeNil() { next().node.set(.nothing) }
    // The two that would be refused if they were left out.
    func encode(_ value: Int128) throws { try next().encode(value) }
    func encode(_ value: UInt128) throws { try next().encode(value) }
    func encode<Value: Encodable>(_ value: Value) throws { try next().encode(value) }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        next().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
    func superEncoder() -> any Encoder { next(RecordEncoder.superclass(of: encoder.type)) }
}

/// Values with names.
private struct RecordFields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: RecordEncoder
    var codingPath: [any CodingKey] { encoder.codingPath }

    private func member(_ key: any CodingKey, _ fieldType: Any.Type?, of type: Any.Type? = nil) -> RecordEncoder {
        RecordEncoder(encoder.node.member(key.stringValue, fieldType), type, codingPath + [key])
    }

    func encodeNil(forKey key: Key) { member(key, nil).node.set(.nothing) }
    // The two that would be refused if they were left out.
    func encode(_ value: Int128, forKey key: Key) throws { try member(key, Int128.self).encode(value) }
    func encode(_ value: UInt128, forKey key: Key) throws { try member(key, UInt128.self).encode(value) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        if let fields = value as? ExtensionFields {
            for (name, value) in fields.inOrder { encoder.node.member(name, nil).set(value) }
        } else {
            try member(key, Value.self).encode(value)
        }
    }

    // A nil is a field too: all values of a type have the same.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: Int128?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent(_ value: UInt128?, forKey key: Key) throws { try field(value, key) }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try field(value, key) }

    private func field<Value: Encodable>(_ value: Value?, _ key: Key) throws {
        if let value { try encode(value, forKey: key) } else { member(key, Value.self).node.set(.nothing) }
    }

    func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type, forKey key: Key) -> KeyedEncodingContainer<Inner> {
        member(key, nil).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key, nil).unkeyedContainer() }

    func superEncoder() -> any Encoder {
        let type = RecordEncoder.superclass(of: encoder.type)
        return RecordEncoder(encoder.node.member(RecordData.superclassField, type), type, codingPath)
    }

    func superEncoder(forKey key: Key) -> any Encoder {
        member(key, nil, of: RecordEncoder.superclass(of: encoder.type))
    }
}
