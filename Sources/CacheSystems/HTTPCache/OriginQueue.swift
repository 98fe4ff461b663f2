internal import Synchronization

/// Lets so many requests at a time through to an origin; those that wait go by their priorities, and then in their order.
final class OriginQueue: Sendable {
    private struct Waiter {
        let number: Int
        let name: String
        var priority: Int
        let continuation: CheckedContinuation<Void, any Error>
        /// Ends its wait when it has become too long.
        let limit: Task<Void, any Error>

        func end(_ result: Result<Void, any Error>) {
            limit.cancel()
            continuation.resume(with: result)
        }
    }

    private struct State {
        var isSuspended = false
        var running = 0
        var waiters: [Waiter] = []
        var cancelled: Set<Int> = []
        var last = 0
    }

    private let most: Int
    private let waitersMax: Int
    private let patience: Duration
    private let timer: any Clock<Duration>
    private let state = Mutex(State())

    /// - Parameters:
    ///   - most: How many are let through at once.
    ///   - waitersMax: How many may wait.
    ///   - patience: How long each waits.
    ///   - timer: Measures that.
    init(
        most: Int, waiting waitersMax: Int = .max, patience: Duration = .seconds(1 << 31),
        timer: any Clock<Duration> = ContinuousClock()
    ) {
        self.most = max(1, most)
        self.waitersMax = max(0, waitersMax)
        self.patience = patience
        self.timer = timer
    }

    /// What those are told whose turn does not come.
    private var refusal: HTTPCacheError {
        .busy(retryAfterSeconds: max(1, Int(clamping: patience.components.seconds)))
    }

    /// Waits for its turn. Whoever has been let through must ``leave()``.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; ``HTTPCacheError/busy(retryAfterSeconds:)`` if there are too
    ///   many that wait, or its turn does not come in time.
    func enter(_ name: String, priority: Int) async throws {
        let number = state.withLock { state -> Int? in
            state.last += 1
            guard state.isSuspended || state.running >= most || !state.waiters.isEmpty else {
                state.running += 1
                return nil
            }
            return state.last
        }
        guard let number else { return }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let error = state.withLock { state -> (any Error)? in
                    if state.cancelled.remove(number) != nil { return CancellationError() }
                    guard state.waiters.count < waitersMax else { return refusal }
                    state.waiters.append(
                        Waiter(
                            number: number, name: name, priority: priority, continuation: continuation,
                            limit: limit(number)))
                    return nil
                }
                if let error { continuation.resume(throwing: error) }
                admit()
            }
        } onCancel: {
            remove(number) { $0.cancelled.insert(number) }?.end(.failure(CancellationError()))
        }
        // Cancelled once it had its turn: it goes on, and finds out by itself.
        _ = state.withLock { $0.cancelled.remove(number) }
    }

    private func limit(_ number: Int) -> Task<Void, any Error> {
        Task { [timer, patience] in
            repeat { try await timer.sleep(for: patience) } while self.state.withLock { $0.isSuspended }
            self.remove(number)?.end(.failure(self.refusal))
        }
    }

    /// Takes out one that waits; `absent` is called if it does not.
    private func remove(_ number: Int, absent: (inout State) -> Void = { _ in }) -> Waiter? {
        state.withLock { state in
            guard let place = state.waiters.firstIndex(where: { $0.number == number }) else {
                absent(&state)
                return nil
            }
            return state.waiters.remove(at: place)
        }
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
        for waiter in next { waiter.end(.success(())) }
    }
}
