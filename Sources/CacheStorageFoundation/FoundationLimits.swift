import CacheCore

/// The errors for what the backends over Foundation's caches refuse.
enum FoundationLimits {
    static func check(_ key: [UInt8], _ claims: StorageClaims) throws(StoreError) {
        guard key.count <= claims.keyBytesMax else {
            throw StoreError(
                .keyRefused, "the key has \(key.count) bytes and the limit is \(claims.keyBytesMax); use a shorter key")
        }
    }

    static func refusal(of value: [UInt8], _ claims: StorageClaims) -> StoreError {
        StoreError(
            .valueRefused,
            "the value has \(value.count) bytes and the limit is \(claims.valueBytesMax); raise the limit or split it")
    }
}
