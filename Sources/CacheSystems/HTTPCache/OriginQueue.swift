internal import Synchronization

/// Lets so many requests at a time through to an origin; those that wait go by their priorities, and then in their order.
final class OriginQueue: Sendable {
    private struct Waiter {
        let number: Int
        let name: String
        var priority: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var isSuspended = false
        var running = 0
        var waiters: [Waiter] = []
        var cancelled: Set<Int> = []
        var last = 0
    }

    private let most: Int
    private let state = Mutex(State())

    init(most: Int) { self.most = max(1, most) }

    /// Waits for its turn. Whoever has been let through must ``leave()``.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits.
    func enter(_ name: String, priority: Int) async throws {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let waiter = Waiter(number: number, name: name, priority: priority, continuation: continuation)
                let isCancelled = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return true }
                    state.waiters.append(waiter)
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                admit()
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                guard let place = state.waiters.firstIndex(where: { $0.number == number }) else {
                    state.cancelled.insert(number)
                    return nil
                }
                return state.waiters.remove(at: place)
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
        // Cancelled once it had its turn: it goes on, and finds out by itself.
        _ = state.withLock { $0.cancelled.remove(number) }
    }

    /// Gives the turn to the next.
    func leave() {
        state.withLock { $0.running -= 1 }
        admit()
    }

    /// Lends those that wait under a name a higher priority.
    func raise(_ name: String, to priority: Int) {
        state.withLock { state in
            for place in state.waiters.indices where state.waiters[place].name == name {
                state.waiters[place].priority = max(state.waiters[place].priority, priority)
            }
        }
    }

    /// Lets none through any more, or again; those that are at the origin go on.
    func setSuspended(_ isSuspended: Bool) {
        state.withLock { $0.isSuspended = isSuspended }
        admit()
    }

    private func admit() {
        let next = state.withLock { state in
            var next: [Waiter] = []
            while !state.isSuspended, state.running < most,
                let place = state.waiters.indices.max(by: { a, b in
                    let (a, b) = (state.waiters[a], state.waiters[b])
                    return (a.priority, b.number) < (b.priority, a.number)
                })
            {
                state.running += 1
                next.append(state.waiters.remove(at: place))
            }
            return next
        }
        for waiter in next { waiter.continuation.resume() }
    }
}
