/// Values that have left a shard under its lock, until they can be told of and ended outside of it.
@usableFromInline
struct LeavingEntries<Key: Sendable, Value: Sendable> {
    /// Whether anybody listens.
    @usableFromInline var isHeard = false
    /// Whether a thread is telling the listeners; it goes on until there is nothing left to tell.
    @usableFromInline var isTelling = false
    @usableFromInline var events: [RemovalEvent<Key, Value>] = []
    /// Values that nobody hears of: the first without an array, because mostly it is alone.
    @usableFromInline var first: Value?
    @usableFromInline var others: [Value] = []

    @inlinable init() {}

    /// Whether nothing has left.
    @inlinable @inline(__always)
    var isEmpty: Bool { first == nil && events.isEmpty }

    @inlinable
    mutating func add(_ key: Key, _ value: consuming Value, _ cause: RemovalCause) {
        if isHeard {
            events.append(RemovalEvent(key: key, value: value, cause: cause))
        } else if !_isPOD(Value.self) {
            if first == nil { first = value } else { others.append(value) }
        }
    }
}
