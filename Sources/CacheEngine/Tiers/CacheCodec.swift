internal import CacheCore

/// Turns keys and values into bytes and back, for caches that keep them in a backend.
///
/// Different keys must have different bytes, and what is decoded must equal what was encoded.
public struct CacheCodec<Key: Sendable, Value: Sendable>: Sendable {
    private let keyBytes: @Sendable (Key) throws -> [UInt8]
    private let key: @Sendable ([UInt8]) throws -> Key
    private let valueBytes: @Sendable (Value) throws -> [UInt8]
    private let value: @Sendable ([UInt8]) throws -> Value

    /// A codec of four functions. A decoder throws for bytes that no encoder made.
    public init(
        encodeKey: @escaping @Sendable (Key) throws -> [UInt8], decodeKey: @escaping @Sendable ([UInt8]) throws -> Key,
        encodeValue: @escaping @Sendable (Value) throws -> [UInt8],
        decodeValue: @escaping @Sendable ([UInt8]) throws -> Value
    ) {
        keyBytes = encodeKey
        key = decodeKey
        valueBytes = encodeValue
        value = decodeValue
    }

    /// - Throws: `StoreError` with code `keyRefused` if the encoder throws.
    func encode(key: Key) throws(StoreError) -> [UInt8] {
        do { return try keyBytes(key) } catch {
            throw StoreError(.keyRefused, "the key could not be turned into bytes: \(error)")
        }
    }

    /// - Throws: `StoreError` with code `valueRefused` if the encoder throws.
    func encode(value: Value) throws(StoreError) -> [UInt8] {
        do { return try valueBytes(value) } catch {
            throw StoreError(.valueRefused, "the value could not be turned into bytes: \(error)")
        }
    }

    /// The key of bytes, nil if no key has them.
    func decode(key bytes: [UInt8]) -> Key? { try? key(bytes) }

    /// - Throws: `StoreError` with code `corrupt` if the decoder throws.
    func decode(value bytes: [UInt8]) throws(StoreError) -> Value {
        do { return try value(bytes) } catch {
            throw StoreError(.corrupt, "\(bytes.count) stored bytes are no value: \(error)")
        }
    }
}

extension CacheCodec where Key == [UInt8], Value == [UInt8] {
    /// Bytes as they are.
    public static var bytes: CacheCodec {
        CacheCodec(encodeKey: { $0 }, decodeKey: { $0 }, encodeValue: { $0 }, decodeValue: { $0 })
    }
}

extension CacheCodec where Key == String, Value == [UInt8] {
    /// Keys in UTF-8, values as they are. Equal strings have equal bytes only if they are spelled with equal scalars:
    /// normalise keys that may not be.
    public static var utf8Keys: CacheCodec {
        CacheCodec(
            encodeKey: { Array($0.utf8) }, decodeKey: { try text($0) }, encodeValue: { $0 }, decodeValue: { $0 })
    }

    private static func text(_ bytes: [UInt8]) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw StoreError(.corrupt, "a key is not UTF-8")
        }
        return text
    }
}
