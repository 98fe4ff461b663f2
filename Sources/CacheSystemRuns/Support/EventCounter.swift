internal import Synchronization

/// Counts events of one kind, from any thread.
final class EventCounter: Sendable {
    private let events = Atomic(0)

    var count: Int { events.load(ordering: .relaxed) }
    func add() { events.wrappingAdd(1, ordering: .relaxed) }
}
