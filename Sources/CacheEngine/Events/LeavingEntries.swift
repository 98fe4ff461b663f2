/// Values that have left a cache under its lock, until they can be told of and ended outside of it.
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

    /// Adds a value of which somebody hears.
    @usableFromInline mutating func tell(_ event: RemovalEvent<Key, Value>) { events.append(event) }

    /// Adds a value of which nobody hears.
    @inlinable @inline(__always)
    mutating func add(_ value: consuming Value) {
        guard !_isPOD(Value.self) else { return }
        if first == nil { first = value } else { others.append(value) }
    }
}
