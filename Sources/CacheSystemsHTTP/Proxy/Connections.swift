#if HTTP
    internal import NIOCore
    internal import Synchronization

    /// The connections that a proxy has with clients, and which of them wait for a request.
    final class Connections: Sendable {
        private struct State {
            var channels: [Int: (channel: any Channel, isIdle: Bool, client: String?)] = [:]
            var clients: [String: Int] = [:]
            var last = 0
            var isStopping = false
            var hasCut = false
            var waiters: [CheckedContinuation<Void, Never>] = []
        }

        /// What becomes of a connection.
        enum Place: Sendable {
            /// It is taken in, under a number.
            case taken(Int)
            /// There are too many.
            case crowded
            /// None is taken any more.
            case stopping
        }

        private let most: Int
        private let clientMost: Int
        private let state = Mutex(State())

        init(most: Int, ofOneClient clientMost: Int) {
            self.most = max(1, most)
            self.clientMost = max(1, clientMost)
        }

        /// Takes a connection in, if there is room.
        func add(_ channel: any Channel) -> Place {
            state.withLock { state in
                guard !state.isStopping else { return .stopping }
                guard state.channels.count < most else { return .crowded }
                state.last += 1
                state.channels[state.last] = (channel, true, nil)
                return .taken(state.last)
            }
        }

        /// Notes whose connection one is; false if that client has too many.
        func admit(_ client: String, _ number: Int) -> Bool {
            state.withLock { state in
                let others = state.clients[client] ?? 0
                guard others < clientMost, state.channels[number] != nil else { return false }
                state.channels[number]?.client = client
                state.clients[client] = others + 1
                return true
            }
        }

        /// Says that a connection waits for a request, or not any more; returns whether it may go on.
        func setIdle(_ isIdle: Bool, _ number: Int) -> Bool {
            state.withLock { state in
                state.channels[number]?.isIdle = isIdle
                return !(isIdle && state.isStopping)
            }
        }

        func remove(_ number: Int) {
            let waiters = state.withLock { state in
                if let client = state.channels.removeValue(forKey: number)?.client, let others = state.clients[client] {
                    state.clients[client] = others > 1 ? others - 1 : nil
                }
                guard state.channels.isEmpty else { return [CheckedContinuation<Void, Never>]() }
                defer { state.waiters = [] }
                return state.waiters
            }
            for waiter in waiters { waiter.resume() }
        }

        var isStopping: Bool { state.withLock { $0.isStopping } }

        /// Takes no more in, and closes those that wait for a request.
        func stop() {
            let idle = state.withLock { state in
                state.isStopping = true
                return state.channels.values.filter(\.isIdle).map(\.channel)
            }
            for channel in idle { channel.close(promise: nil) }
        }

        /// Closes all, whatever they are about.
        func cut() {
            let channels = state.withLock { state in
                state.hasCut = !state.channels.isEmpty
                return state.channels.values.map(\.channel)
            }
            for channel in channels { channel.close(promise: nil) }
        }

        /// Whether some were closed that were not at their end.
        var hasCut: Bool { state.withLock { $0.hasCut } }

        /// Waits until there is none.
        func drain() async {
            await withCheckedContinuation { continuation in
                let isEmpty = state.withLock { state in
                    if !state.channels.isEmpty { state.waiters.append(continuation) }
                    return state.channels.isEmpty
                }
                if isEmpty { continuation.resume() }
            }
        }
    }
#endif
