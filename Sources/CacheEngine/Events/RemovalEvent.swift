/// Why a value left a cache.
public enum RemovalCause: String, Sendable, Hashable, CaseIterable, Codable {
    /// The policy gave it up to make room.
    case evicted
    /// Its time was over.
    case expired
    /// Another value took its place.
    case replaced
    /// Somebody removed it, alone or with its tag.
    case removed
    /// The cache was cleared.
    case cleared
    /// The cache was closed.
    case closed
    /// A write of another value under its key was refused: that one may not be kept, and this one is not the newest.
    case rejected
}

/// A value that has left a cache: for every value that was stored there is one of these, or it is still there.
///
/// A write that is refused stores nothing and makes no event for the value that was refused.
public struct RemovalEvent<Key: Sendable, Value: Sendable>: Sendable {
    /// The key.
    public let key: Key
    /// The value that left.
    public let value: Value
    /// Why it left.
    public let cause: RemovalCause

    /// A value that left.
    public init(key: Key, value: Value, cause: RemovalCause) {
        self.key = key
        self.value = value
        self.cause = cause
    }
}

/// A listener's place in a cache: cancel it to be told no more.
public final class RemovalSubscription: Sendable {
    private let onCancel: @Sendable () -> Void
    init(_ onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }
    /// Ends it: what leaves after this has returned is not told. Calling it again does nothing.
    public func cancel() { onCancel() }
}
