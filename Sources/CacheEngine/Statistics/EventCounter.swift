internal import Synchronization

/// Counts events of one kind, from any thread.
package final class EventCounter: Sendable {
    private let events = Atomic(0)

    /// None has happened.
    package init() {}

    /// How many have happened.
    package var count: Int { events.load(ordering: .relaxed) }
    /// Counts one more.
    package func add() { events.wrappingAdd(1, ordering: .relaxed) }
}
