internal import Synchronization

/// How often each event of a kind has happened: exact counts since a cache was opened.
public struct EventCounts<Event: Hashable & Sendable>: Sendable, Hashable {
    private var counts: [Event: Int] = [:]

    /// Nothing has happened.
    public init() {}

    /// How often it has happened.
    public subscript(event: Event) -> Int { counts[event, default: 0] }

    mutating func add(_ event: Event) { counts[event, default: 0] += 1 }
}

/// Counts events and tells them, each with what it is about.
final class EventMonitor<Event: Hashable & Sendable, Matter>: Sendable {
    private let counts = Mutex(EventCounts<Event>())
    private let told: (@Sendable (Event, Matter) -> Void)?

    init(_ told: (@Sendable (Event, Matter) -> Void)?) { self.told = told }

    var statistics: EventCounts<Event> { counts.withLock { $0 } }

    /// Takes note of an event. No lock is held while it is told, so that the listener may use the cache.
    func note(_ event: Event, _ matter: Matter) {
        counts.withLock { $0.add(event) }
        told?(event, matter)
    }
}
