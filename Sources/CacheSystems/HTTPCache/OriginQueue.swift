internal import Synchronization

/// Lets so many requests at a time through to an origin; those that wait go by their priorities, and then in their order.
///
/// No client has more than half of the turns, or of the places of those that wait: others get theirs whatever one asks for.
final class OriginQueue: Sendable {
    private struct Waiter {
        let number: Int
        let name: String
        var priority: Int
        /// At whose expense it goes.
        var client: String?
        let continuation: CheckedContinuation<String?, any Error>
        /// Ends its wait when it has become too long.
        let limit: Task<Void, any Error>

        func end(_ result: Result<String?, any Error>) {
            limit.cancel()
            continuation.resume(with: result)
        }
    }

    private struct State {
        var isSuspended = false
        var running: ClientShares
        var waiters: [Waiter] = []
        var last = 0
    }

    private let waitersMax: Int
    private let patience: Duration
    private let timer: any Clock<Duration>
    private let state: Mutex<State>

    /// - Parameters:
    ///   - most: How many are let through at once.
    ///   - waitersMax: How many may wait.
    ///   - patience: How long each waits.
    ///   - timer: Measures that.
    init(
        most: Int, waiting waitersMax: Int = .max, patience: Duration = .seconds(1 << 31),
        timer: any Clock<Duration> = ContinuousClock()
    ) {
        state = Mutex(State(running: ClientShares(max(1, most))))
        self.waitersMax = max(0, waitersMax)
        self.patience = patience
        self.timer = timer
    }

    /// What those are told whose turn does not come.
    private var refusal: HTTPCacheError {
        .busy(retryAfterSeconds: max(1, Int(clamping: patience.components.seconds)))
    }

    /// Waits for its turn. Whoever has been let through must ``leave(_:)``.
    ///
    /// - Returns: at whose expense it goes.
    ///
    /// - Throws: `CancellationError` if the task is cancelled while it waits; ``HTTPCacheError/busy(retryAfterSeconds:)`` if there are too
    ///   many that wait, or its turn does not come in time.
    func enter(_ name: String, priority: Int, for client: String?) async throws -> String? {
        let number = state.withLock { state -> Int? in
            state.last += 1
            let isFirst = !state.waiters.contains { state.running.hasRoom(for: $0.client) }
            return !state.isSuspended && isFirst && state.running.take(for: client) ? nil : state.last
        }
        guard let number else { return client }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let error = state.withLock { state -> (any Error)? in
                    // A cancellation from here on finds it among those that wait.
                    if Task.isCancelled { return CancellationError() }
                    let own = client.map { client in state.waiters.count { $0.client == client } } ?? 0
                    guard state.waiters.count < waitersMax, own < waitersMax - waitersMax / 2 else { return refusal }
                    state.waiters.append(
                        Waiter(
                            number: number, name: name, priority: priority, client: client,
                            continuation: continuation, limit: limit(number)))
                    return nil
                }
                if let error { continuation.resume(throwing: error) }
                admit()
            }
        } onCancel: {
            // Cancelled once it has its turn: it goes on, and finds out by itself.
            remove(number)?.end(.failure(CancellationError()))
        }
    }

    private func limit(_ number: Int) -> Task<Void, any Error> {
        Task { [timer, patience] in
            repeat { try await timer.sleep(for: patience) } while self.state.withLock { $0.isSuspended }
            self.remove(number)?.end(.failure(self.refusal))
        }
    }

    /// Takes out one that waits.
    private func remove(_ number: Int) -> Waiter? {
        state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
    }

    /// Gives the turn to the next.
    func leave(_ client: String?) {
        state.withLock { $0.running.give(of: client) }
        admit()
    }

    /// Lends those that wait under a name a higher priority, and a turn where their own client has no more.
    func raise(_ name: String, to priority: Int, for client: String?) {
        state.withLock { state in
            for place in state.waiters.indices where state.waiters[place].name == name {
                state.waiters[place].priority = max(state.waiters[place].priority, priority)
                if !state.running.hasRoom(for: state.waiters[place].client) { state.waiters[place].client = client }
            }
        }
        admit()
    }

    /// Lets none through any more, or again; those that are at the origin go on.
    func setSuspended(_ isSuspended: Bool) {
        state.withLock { $0.isSuspended = isSuspended }
        admit()
    }

    private func admit() {
        let next = state.withLock { state in
            var next: [Waiter] = []
            while !state.isSuspended {
                let ready = state.waiters.indices.filter { state.running.hasRoom(for: state.waiters[$0].client) }
                let first = ready.max { a, b in
                    let (a, b) = (state.waiters[a], state.waiters[b])
                    return (a.priority, b.number) < (b.priority, a.number)
                }
                guard let first, state.running.take(for: state.waiters[first].client) else { break }
                next.append(state.waiters.remove(at: first))
            }
            return next
        }
        for waiter in next { waiter.end(.success(waiter.client)) }
    }
}
