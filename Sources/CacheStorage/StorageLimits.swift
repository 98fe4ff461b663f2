import CacheCore

/// What a backend accepts, and the errors for what it refuses.
struct StorageLimits: Sendable {
    let keyBytesMax: Int
    let valueBytesMax: Int

    /// The parameter that sets the longest value.
    static let valueBytesMaxParameter = ParameterSpecification(
        "value-bytes-max", .integer(default: 64 << 20, 1...(1 << 30)), "The longest value that is accepted, in bytes.")

    func check(key: [UInt8]) throws(StorageError) {
        guard key.count <= keyBytesMax else {
            throw StorageError(
                .keyRefused, "the key has \(key.count) bytes and the limit is \(keyBytesMax); use a shorter key")
        }
    }

    func accepts(value: [UInt8]) -> Bool { value.count <= valueBytesMax }

    func refusal(of value: [UInt8]) -> StorageError {
        StorageError(
            .valueRefused,
            "the value has \(value.count) bytes and the limit is \(valueBytesMax); raise value-bytes-max or split it")
    }
}
