internal import Synchronization

/// Who is told of what leaves a cache.
@usableFromInline
final class RemovalListeners<Key: Sendable, Value: Sendable>: Sendable {
    @usableFromInline typealias Listener = @Sendable (RemovalEvent<Key, Value>) -> Void

    private struct Entry: Sendable {
        let number: Int
        let listener: Listener
    }

    private let entries = Mutex<(last: Int, all: [Entry])>((0, []))

    init() {}

    /// Adds a listener and returns its number.
    func add(_ listener: @escaping Listener) -> Int {
        entries.withLock {
            $0.last += 1
            $0.all.append(Entry(number: $0.last, listener: listener))
            return $0.last
        }
    }

    /// Takes a listener away.
    func remove(_ number: Int) { entries.withLock { $0.all.removeAll { $0.number == number } } }

    /// Tells every listener of one event.
    @usableFromInline
    func tell(_ event: RemovalEvent<Key, Value>) {
        for entry in entries.withLock({ $0.all }) { entry.listener(event) }
    }
}
