#if HTTP
    internal import Synchronization

    /// The connections with servers that are in use: so many at once, and others wait for one.
    ///
    /// While somebody waits, a body that hardly moves gives up its connection, whether its server sends little or its reader takes little.
    final class Exchanges: Sendable {
        /// Why there is no connection to be had.
        struct Busy: Error {
            let seconds: Int
        }

        /// The use of a connection, which ends with the object at the latest.
        final class Exchange: Sendable {
            fileprivate struct State {
                /// How many bytes of the body have moved, and how many had at the last look; nil before its first.
                var moved = 0
                var seen: Int?
                /// Ends it for others; nil as long as its answer has not begun.
                var cut: (@Sendable () -> Void)?
            }

            fileprivate let number: Int
            private let exchanges: Exchanges
            fileprivate let state = Mutex(State())

            fileprivate init(_ number: Int, _ exchanges: Exchanges) {
                self.number = number
                self.exchanges = exchanges
            }

            deinit { end() }

            /// Says that the answer has begun, and how to end it where others need the connection.
            func begin(_ cut: @escaping @Sendable () -> Void) { state.withLock { $0.cut = cut } }
            /// Says that bytes of the body have come and were taken.
            func moved(_ bytes: Int) { state.withLock { $0.moved += bytes } }
            /// Lets another have the connection.
            func end() { exchanges.end(number) }
        }

        private final class Weak: Sendable {
            private let reference: @Sendable () -> Exchange?

            init(_ exchange: Exchange) { reference = { [weak exchange] in exchange } }

            var exchange: Exchange? { reference() }
        }

        private struct Waiter {
            let number: Int
            let continuation: CheckedContinuation<Void, any Error>
            /// How many looks it has waited for.
            var looks = 0
        }

        private struct State {
            var inUse: [Int: Weak?] = [:]
            var waiters: [Waiter] = []
            var last = 0
            var isWatched = false
        }

        /// How often is looked for bodies that do not move, while somebody waits.
        static let look: Duration = .seconds(2)
        /// The bytes that must move between two looks.
        static let leastBytes = 4_096
        /// At which look somebody has waited for too long.
        static let looksMax = 5

        private let most: Int
        private let waitersMax: Int
        private let timer: any Clock<Duration>
        private let state = Mutex(State())

        init(most: Int, waiting waitersMax: Int, timer: any Clock<Duration>) {
            self.most = max(1, most)
            self.waitersMax = max(0, waitersMax)
            self.timer = timer
        }

        private var refusal: Busy { Busy(seconds: Int(Self.look.components.seconds) * Self.looksMax) }

        /// Waits for a connection to be free.
        ///
        /// - Throws: ``Busy`` if too many wait, or for too long; `CancellationError`.
        func begin() async throws -> Exchange {
            let number = state.withLock { state -> Int in
                state.last += 1
                return state.last
            }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in enter(number, continuation) }
            } onCancel: {
                let waiter = state.withLock { state -> Waiter? in
                    state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
                }
                waiter?.continuation.resume(throwing: CancellationError())
            }
            let exchange = Exchange(number, self)
            state.withLock { $0.inUse[number] = Weak(exchange) }
            return exchange
        }

        private func enter(_ number: Int, _ continuation: CheckedContinuation<Void, any Error>) {
            let result = state.withLock { state -> Result<Void, any Error>? in
                // A cancellation from here on finds it among those that wait.
                if Task.isCancelled { return .failure(CancellationError()) }
                if state.inUse.count < most, state.waiters.isEmpty {
                    state.inUse[number] = .some(nil)
                    return .success(())
                }
                guard state.waiters.count < waitersMax else { return .failure(refusal) }
                state.waiters.append(Waiter(number: number, continuation: continuation))
                if !state.isWatched {
                    state.isWatched = true
                    Task { await self.watch() }
                }
                return nil
            }
            if let result { continuation.resume(with: result) }
        }

        private func end(_ number: Int) {
            let next = state.withLock { state -> Waiter? in
                guard state.inUse.removeValue(forKey: number) != nil, !state.waiters.isEmpty else { return nil }
                let next = state.waiters.removeFirst()
                state.inUse[next.number] = .some(nil)
                return next
            }
            next?.continuation.resume()
        }

        /// Looks again and again, as long as somebody waits.
        private func watch() async {
            while (try? await timer.sleep(for: Self.look)) != nil {
                let (exchanges, late, isOver) = state.withLock { state in
                    for place in state.waiters.indices { state.waiters[place].looks += 1 }
                    let late = state.waiters.filter { $0.looks >= Self.looksMax }
                    state.waiters.removeAll { $0.looks >= Self.looksMax }
                    state.isWatched = !state.waiters.isEmpty
                    return (state.inUse.values.compactMap { $0?.exchange }, late, state.waiters.isEmpty)
                }
                for waiter in late { waiter.continuation.resume(throwing: refusal) }
                var wanted = state.withLock { $0.waiters.count }
                for exchange in exchanges {
                    let cut = exchange.state.withLock { state -> (@Sendable () -> Void)? in
                        guard state.cut != nil else { return nil }
                        defer { state.seen = state.moved }
                        guard let seen = state.seen, state.moved - seen < Self.leastBytes, wanted > 0 else {
                            return nil
                        }
                        return state.cut.take()
                    }
                    guard let cut else { continue }
                    wanted -= 1
                    cut()
                }
                if isOver { return }
            }
        }
    }
#endif
