/// What a backend accepts, and the errors for what it refuses.
package struct StorageLimits: Sendable {
    /// The longest key, in bytes.
    package let keyBytesMax: Int
    /// The longest value, in bytes.
    package let valueBytesMax: Int
    private let allowsEmptyKey: Bool

    /// The limits that a backend claims.
    package init(_ claims: StorageClaims) {
        keyBytesMax = claims.keyBytesMax
        valueBytesMax = claims.valueBytesMax
        allowsEmptyKey = claims.allowsEmptyKey
    }

    /// The parameter that sets the longest value.
    package static let valueBytesMaxParameter = ParameterSpecification(
        "value-bytes-max", .integer(default: 64 << 20, 1...(1 << 30)), "The longest value that is accepted, in bytes.")

    /// Throws `keyRefused` for a key that cannot be used.
    package func check(key: [UInt8]) throws(StoreError) {
        guard allowsEmptyKey || !key.isEmpty else {
            throw StoreError(
                .keyRefused, "the empty key cannot be stored here; use a key of 1 to \(keyBytesMax) bytes")
        }
        guard key.count <= keyBytesMax else {
            throw StoreError(
                .keyRefused, "the key has \(key.count) bytes and the limit is \(keyBytesMax); use a shorter key")
        }
    }

    /// Whether a key can be used at all; no other can be in the store.
    package func accepts(key: [UInt8]) -> Bool { key.count <= keyBytesMax && (allowsEmptyKey || !key.isEmpty) }

    /// Whether a value is short enough.
    package func accepts(value: [UInt8]) -> Bool { value.count <= valueBytesMax }

    /// The error for a value that is too long.
    package func refusal(of value: [UInt8]) -> StoreError {
        StoreError(
            .valueRefused,
            "the value has \(value.count) bytes and the limit is \(valueBytesMax); raise value-bytes-max or split it")
    }
}
