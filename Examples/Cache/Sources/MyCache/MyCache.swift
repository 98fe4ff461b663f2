import Foundation
import Synchronization

/// A cache whose entries cost so much together at most, and may have an end; what was used least recently leaves first.
public final class MyCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var cost: Int
        var end: Date
        var used: Int
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var cost = 0
        /// Uses from the oldest on; only the last one of a key counts.
        var uses: [(key: Key, number: Int)] = []
        var oldest = 0
        var number = 0
        /// Nothing ends before.
        var firstEnd = Date.distantFuture

        mutating func use(_ key: Key) {
            number += 1
            entries[key]?.used = number
            uses.append((key, number))
            guard uses.count > 2 * entries.count + 64 else { return }
            uses = uses[oldest...].filter { entries[$0.key]?.used == $0.number }
            oldest = 0
        }

        @discardableResult mutating func remove(_ key: Key) -> Bool {
            guard let entry = entries.removeValue(forKey: key) else { return false }
            cost -= entry.cost
            return true
        }

        mutating func evict() {
            let (key, number) = uses[oldest]
            oldest += 1
            if entries[key]?.used == number { remove(key) }
        }

        mutating func sweep(_ now: Date) {
            guard now >= firstEnd else { return }
            for (key, entry) in entries where entry.end <= now { remove(key) }
            firstEnd = entries.values.map(\.end).min() ?? .distantFuture
        }
    }

    private let costLimit: Int
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    /// An empty cache; a test gives a clock of its own.
    public init(costLimit: Int, now: @escaping @Sendable () -> Date = { Date() }) {
        (self.costLimit, self.now) = (costLimit, now)
    }

    /// Stores a value; false, and nothing under the key, if it costs more than the cache may hold.
    public func put(_ value: Value, for key: Key, cost: Int = 1, lifetime: TimeInterval = .infinity) -> Bool {
        swept { state, now in
            state.remove(key)
            guard 0...costLimit ~= cost else { return false }
            guard lifetime > 0 else { return true }
            while state.cost > costLimit - cost { state.evict() }
            let end = min(now + lifetime, .distantFuture)
            state.entries[key] = Entry(value: value, cost: cost, end: end, used: 0)
            state.cost += cost
            state.firstEnd = min(state.firstEnd, end)
            state.use(key)
            return true
        }
    }

    /// The value under a key, which is used by it.
    public func value(for key: Key) -> Value? {
        swept { state, _ in
            state.use(key)
            return state.entries[key]?.value
        }
    }

    /// Whether there is a value under a key.
    public func contains(_ key: Key) -> Bool { swept { state, _ in state.entries[key] != nil } }
    /// Removes the value under a key; false if there was none.
    public func remove(_ key: Key) -> Bool { swept { state, _ in state.remove(key) } }
    /// Removes every value.
    public func removeAll() { state.withLock { $0 = State() } }
    /// Every key.
    public var keys: [Key] { swept { state, _ in Array(state.entries.keys) } }
    /// What all entries cost together.
    public var cost: Int { swept { state, _ in state.cost } }

    private func swept<Result: Sendable>(_ body: (inout State, Date) -> Result) -> Result {
        state.withLock { state in
            let now = now()
            state.sweep(now)
            return body(&state, now)
        }
    }
}
