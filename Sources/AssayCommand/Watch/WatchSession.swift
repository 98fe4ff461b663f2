#if Watch
    import CacheCore
    import CacheWatch
    import Foundation
    import Synchronization

    /// What the live page of one command shows.
    final class WatchSession: ProgressObserver {
        /// The whole of it, as the page gets it.
        private struct Content: Encodable {
            struct Report: Encodable {
                /// Its address below `report/`.
                var name: String
                /// Its file; nil if it is in none.
                var path: String?
            }

            var command: String
            var version = AssayVersion.text
            /// The work that is under way, or was last.
            var progress: ProgressState?
            /// Whether that work is over.
            var isOver = false
            /// The work before that, such as the checks of other subjects, with nothing of it but counts and failures.
            var earlier: [ProgressState] = []
            var reports: [Report] = []
            /// The exit status; nil while the command runs.
            var status: Int32?
            var error = ""
        }

        private let server: WatchServer
        private let content: Mutex<Content>

        private init(_ server: WatchServer, _ command: String) {
            self.server = server
            content = Mutex(Content(command: command))
            change { _ in }
        }

        /// Starts to serve the page of a command.
        ///
        /// - Throws: `AssayError` with code `unavailable` if the port is taken.
        static func start(_ command: String, port: Int) async throws(AssayError) -> WatchSession {
            WatchSession(try await WatchServer.start(port: port), command)
        }

        /// Where the page is.
        var address: String { server.address }
        /// Whether the page is open somewhere.
        var isWatched: Bool { server.connections > 0 }

        func hear(_ state: ProgressState, isLast: Bool) {
            change { content in
                if content.isOver, var before = content.progress, before.total != nil {
                    (before.latest, before.best) = ([], [])
                    content.earlier.append(before)
                }
                content.progress = state
                content.isOver = isLast
                if isLast { content.progress?.running = [] }
            }
        }

        func hear(page: Data, named name: String, path: String?) {
            server.offer(report: name, page)
            change { $0.reports.append(Content.Report(name: name, path: path)) }
        }

        /// Says how the command ended.
        func end(status: Int32, error: String) { change { ($0.status, $0.error) = (status, error) } }

        /// Ends the server and every connection.
        func stop() async { await server.stop() }

        private func change(_ body: (inout Content) -> Void) {
            // Encoded under the lock, so that a later state is never followed by an earlier one.
            content.withLock { content in
                body(&content)
                guard let json = try? JSONEncoder().encode(content) else { return }
                server.show(json)
            }
        }
    }
#endif
