internal import Foundation

/// Brings any encodable value into canonical form, the dictionaries and sets in it too, whose own order is another in each
/// process.
struct CanonicalEncoder: Encoder {
    let node: CanonicalNode
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ node: CanonicalNode, _ codingPath: [any CodingKey]) {
        self.node = node
        self.codingPath = codingPath
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        node.becomeRecord()
        return KeyedEncodingContainer(CanonicalRecord(node: node, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        node.becomeList()
        return CanonicalList(node: node, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        CanonicalSingle(node: node, codingPath: codingPath)
    }

    func encode(_ value: some Encodable) throws {
        switch value {
        case let data as Data: node.set(CanonicalNode.data(data))
        case let date as Date: node.set(CanonicalNode.date(date))
        case let unordered as any CanonicallyUnordered: node.set(try unordered.canonicalBytes())
        default: try value.encode(to: self)
        }
    }
}

/// A collection whose order means nothing and is another in each process.
private protocol CanonicallyUnordered {
    func canonicalBytes() throws -> [UInt8]
}

extension Set: CanonicallyUnordered where Element: Encodable {
    fileprivate func canonicalBytes() throws -> [UInt8] {
        CanonicalNode.unordered("u", try map { try CanonicalKey.bytes(of: $0) })
    }
}

extension Dictionary: CanonicallyUnordered where Key: Encodable, Value: Encodable {
    fileprivate func canonicalBytes() throws -> [UInt8] {
        CanonicalNode.unordered(
            "m", try map { try CanonicalKey.bytes(of: $0.key) + CanonicalKey.bytes(of: $0.value) })
    }
}

/// One value without a name.
private struct CanonicalSingle: SingleValueEncodingContainer {
    let node: CanonicalNode
    let codingPath: [any CodingKey]

    func encodeNil() { node.set(CanonicalNode.null) }
    func encode(_ value: Bool) { node.set(CanonicalNode.boolean(value)) }
    func encode(_ value: String) { node.set(CanonicalNode.text(value)) }
    func encode(_ value: Double) { node.set(CanonicalNode.floating(value)) }
    func encode(_ value: Float) { node.set(CanonicalNode.floating(Double(value))) }
    func encode(_ value: Int128) { node.set(CanonicalNode.integer(value)) }
    func encode(_ value: UInt128) { node.set(CanonicalNode.integer(value)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        if let integer = value as? any BinaryInteger {
            node.set(CanonicalNode.integer(integer))
        } else {
            try CanonicalEncoder(node, codingPath).encode(value)
        }
    }
}

/// Values one after the other.
private struct CanonicalList: UnkeyedEncodingContainer {
    let node: CanonicalNode
    let codingPath: [any CodingKey]
    var count: Int { node.count }

    func encodeNil() { node.append().set(CanonicalNode.null) }
    // The two that would be refused if they were left out.
    func encode(_ value: Int128) { node.append().set(CanonicalNode.integer(value)) }
    func encode(_ value: UInt128) { node.append().set(CanonicalNode.integer(value)) }

    func encode<Value: Encodable>(_ value: Value) throws {
        try CanonicalEncoder(node.append(), codingPath).encode(value)
    }

    func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        CanonicalEncoder(node.append(), codingPath).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        CanonicalEncoder(node.append(), codingPath).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { CanonicalEncoder(node.append(), codingPath) }
}

/// Values with names.
private struct CanonicalRecord<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let node: CanonicalNode
    let codingPath: [any CodingKey]

    private func member(_ key: any CodingKey) -> CanonicalEncoder {
        CanonicalEncoder(node.member(key.stringValue), codingPath + [key])
    }

    func encodeNil(forKey key: Key) { member(key).node.set(CanonicalNode.null) }
    // The two that would be refused if they were left out.
    func encode(_ value: Int128, forKey key: Key) { member(key).node.set(CanonicalNode.integer(value)) }
    func encode(_ value: UInt128, forKey key: Key) { member(key).node.set(CanonicalNode.integer(value)) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try member(key).encode(value) }

    func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type, forKey key: Key) -> KeyedEncodingContainer<Inner> {
        member(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { member(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { CanonicalEncoder(node.member("super"), codingPath) }
    func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}
