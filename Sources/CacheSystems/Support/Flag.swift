internal import Synchronization

/// Something that happens at most once, and is seen by other tasks.
final class Flag: Sendable {
    private let state = Atomic(false)

    /// Says that it has happened.
    func raise() { state.store(true, ordering: .releasing) }

    /// Whether it has happened.
    var isRaised: Bool { state.load(ordering: .acquiring) }
}
