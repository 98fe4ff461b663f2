internal import NIOCore
internal import Synchronization

/// Ends a wait that has become too long.
///
/// It runs while it is armed and not paused, and begins anew each time that it starts to run.
final class IdleTimer: Sendable {
    private struct State {
        var onExpiry: (@Sendable () -> Void)?
        var isPaused = false
        var hasExpired = false
        var running: Scheduled<Void>?
        /// A timer that could not be stopped in time is known by an older number.
        var number = 0
    }

    private let eventLoop: any EventLoop
    private let length: TimeAmount
    private let state = Mutex(State())

    init(_ eventLoop: any EventLoop, after length: Duration) {
        self.eventLoop = eventLoop
        self.length = TimeAmount(length)
    }

    /// Whether a wait has been ended by it.
    var hasExpired: Bool { state.withLock { $0.hasExpired } }

    /// Starts it; `onExpiry` is called once, on the event loop, if the time is over before it is disarmed.
    func arm(_ onExpiry: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.onExpiry = onExpiry
            restart(&state)
        }
    }

    /// Stops it.
    func disarm() {
        state.withLock { state in
            state.onExpiry = nil
            restart(&state)
        }
    }

    /// Stops it until it is resumed: somebody else is waited for.
    func pause() { setPaused(true) }

    /// Lets it run again, if it is armed.
    func resume() { setPaused(false) }

    private func setPaused(_ isPaused: Bool) {
        state.withLock { state in
            state.isPaused = isPaused
            restart(&state)
        }
    }

    private func restart(_ state: inout State) {
        state.running?.cancel()
        state.running = nil
        state.number += 1
        guard state.onExpiry != nil, !state.isPaused else { return }
        let number = state.number
        state.running = eventLoop.scheduleTask(in: length) { self.expire(number) }
    }

    private func expire(_ number: Int) {
        let onExpiry = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.number == number else { return nil }
            state.hasExpired = true
            defer { state.onExpiry = nil }
            return state.onExpiry
        }
        onExpiry?()
    }

    /// Runs an operation in a task that is cancelled when the wait for it has become too long, or its caller is cancelled.
    func limit<Output: Sendable>(_ body: @escaping @Sendable () async throws -> Output) async throws -> Output {
        let task = Task { try await body() }
        arm { task.cancel() }
        defer { disarm() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
