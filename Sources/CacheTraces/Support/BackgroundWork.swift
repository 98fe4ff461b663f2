internal import Dispatch
internal import Synchronization

/// One piece of work on a thread of its own, for those who may not suspend.
final class BackgroundWork<Value: Sendable>: Sendable {
    private let outcome = Mutex<Value?>(nil)
    private let group = DispatchGroup()

    /// Starts the work.
    init(_ work: @escaping @Sendable () -> Value) {
        // A queue of its own gets a thread even when all that share one wait for work like this.
        DispatchQueue(label: "assay.background-work").async(group: group) { [self] in
            let value = work()
            outcome.withLock { $0 = value }
        }
    }

    /// What came of it, nil while it goes on.
    var value: Value? { outcome.withLock { $0 } }

    /// Waits for its end.
    func wait() -> Value {
        group.wait()
        guard let value else { preconditionFailure("work that has ended has a value") }
        return value
    }
}
