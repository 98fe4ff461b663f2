public import CacheCore

/// An open cache that keeps objects themselves: what the instances of a subject are that claims `references`.
///
/// An object under a key takes the place of a value and the other way round; the operations of ``CacheInstance`` that
/// remove keys let go of it.
public protocol ObjectInstance: CacheInstance {
    /// Keeps an object under a key.
    func put(object: any AnyObject & Sendable, for key: [UInt8]) throws(StoreError)
    /// The object under a key, nil if there is none.
    func object(for key: [UInt8]) throws(StoreError) -> (any AnyObject & Sendable)?
}

/// An open cache of values of any `Codable` type: what the instances of a subject are that claims `codable`.
public protocol CodingInstance: CacheInstance {
    /// Stores a value under a key, or throws `valueRefused` for one that could not be read back equal; the old value is
    /// gone then.
    func put<Value: Codable & Sendable>(coding value: Value, for key: [UInt8]) throws(StoreError)
    /// The value under a key, nil if there is none; throws, or answers nil, where the value is of another type.
    func value<Value: Codable & Sendable>(
        _ type: Value.Type, for key: [UInt8]
    ) throws(StoreError) -> Value?
}
