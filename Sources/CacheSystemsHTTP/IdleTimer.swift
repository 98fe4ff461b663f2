#if HTTP
    internal import NIOCore
    internal import Synchronization

    /// Ends a wait for a peer that has become too long.
    ///
    /// There is so much time for a peer to move nothing. What it moves gives time back: a byte the part of a second that the least rate says, or
    /// any byte all of it where there is no least rate. Time passes while the timer is armed and not paused.
    final class IdleTimer: Sendable {
        private struct State {
            var onExpiry: (@Sendable () -> Void)?
            var isPaused = false
            var hasExpired = false
            var running: Scheduled<Void>?
            /// A timer that could not be stopped in time is known by an older number.
            var number = 0
            /// The time that there is still, as of `started` while it passes.
            var left: TimeAmount
            var started: NIODeadline?
        }

        private let eventLoop: any EventLoop
        private let length: TimeAmount
        private let bytesPerSecond: Int
        private let state: Mutex<State>

        /// - Parameter bytesPerSecond: The least rate; 0 for none.
        init(_ eventLoop: any EventLoop, after length: Duration, bytesPerSecond: Int = 0) {
            self.eventLoop = eventLoop
            self.length = TimeAmount(length)
            self.bytesPerSecond = bytesPerSecond
            state = Mutex(State(left: TimeAmount(length)))
        }

        /// Whether a wait has been ended by it.
        var hasExpired: Bool { state.withLock { $0.hasExpired } }

        /// Starts it; `onExpiry` is called once, on the event loop, if there is no time left before it is disarmed.
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

        /// Gives time back for bytes that have moved.
        func moved(_ bytes: Int) {
            guard bytes > 0 else { return }
            guard bytesPerSecond > 0 else { return reset() }
            // No piece is so long that it gives more than all the time there is.
            let seconds = min(Double(bytes) / Double(bytesPerSecond), 1e9)
            state.withLock { state in
                stop(&state)
                state.left = min(length, state.left + .nanoseconds(Int64(seconds * 1e9)))
                restart(&state)
            }
        }

        /// Gives all the time back: something new begins.
        func reset() {
            state.withLock { state in
                stop(&state)
                state.left = length
                restart(&state)
            }
        }

        private func setPaused(_ isPaused: Bool) {
            state.withLock { state in
                state.isPaused = isPaused
                restart(&state)
            }
        }

        private func stop(_ state: inout State) {
            state.running?.cancel()
            state.running = nil
            state.number += 1
            guard let started = state.started.take() else { return }
            state.left = max(.zero, state.left - (eventLoop.now - started))
        }

        private func restart(_ state: inout State) {
            stop(&state)
            guard state.onExpiry != nil, !state.isPaused else { return }
            let number = state.number
            state.started = eventLoop.now
            state.running = eventLoop.scheduleTask(in: state.left) { self.expire(number) }
        }

        private func expire(_ number: Int) {
            let onExpiry = state.withLock { state -> (@Sendable () -> Void)? in
                guard state.number == number else { return nil }
                state.hasExpired = true
                state.started = nil
                state.left = .zero
                return state.onExpiry.take()
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
#endif
