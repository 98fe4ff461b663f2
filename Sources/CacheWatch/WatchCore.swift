#if Watch
    internal import NIOCore
    internal import Synchronization

    /// What all connections of a server share.
    final class WatchCore: Sendable {
        private struct State {
            var hosts: Set<String> = []
            var newest = (json: ByteBuffer(string: "{}"), version: 0)
            var reports: [String: ByteBuffer] = [:]
            var connections = 0
            /// What tells each page that follows of a new state.
            var readers: [Int: @Sendable () -> Void] = [:]
            var lastReader = 0
        }

        let limits: WatchLimits
        private let state = Mutex(State())

        init(_ limits: WatchLimits) { self.limits = limits }

        /// Notes where it is found.
        func serve(at port: Int) {
            let names = ["127.0.0.1", "localhost"]
            // Clients leave the port of the protocol out.
            let hosts = Set(names.map { "\($0):\(port)" } + (port == 80 ? names : []))
            state.withLock { $0.hosts = hosts }
        }

        /// Whether a request for a host means this server.
        func answers(to host: String) -> Bool { state.withLock { $0.hosts.contains(host.lowercased()) } }

        /// Counts a connection; false if there are too many.
        func enter() -> Bool {
            state.withLock { state in
                guard state.connections < limits.connections else { return false }
                state.connections += 1
                return true
            }
        }

        /// Counts the end of a connection.
        func leave() { state.withLock { $0.connections -= 1 } }

        var connections: Int { state.withLock { $0.connections } }

        func show(_ json: ByteBuffer) {
            let readers = state.withLock { state in
                state.newest = (json, state.newest.version + 1)
                return Array(state.readers.values)
            }
            for wake in readers { wake() }
        }

        /// The state and its number, which grows.
        var newest: (json: ByteBuffer, version: Int) { state.withLock { $0.newest } }

        func offer(_ name: String, _ page: ByteBuffer) { state.withLock { $0.reports[name] = page } }

        func report(_ name: String) -> ByteBuffer? { state.withLock { $0.reports[name] } }

        /// Adds a page that follows the state; nil if there are too many.
        func follow(_ wake: @escaping @Sendable () -> Void) -> Int? {
            state.withLock { state in
                guard state.readers.count < limits.readers else { return nil }
                state.lastReader += 1
                state.readers[state.lastReader] = wake
                return state.lastReader
            }
        }

        func unfollow(_ reader: Int) { state.withLock { $0.readers[reader] = nil } }
    }
#endif
