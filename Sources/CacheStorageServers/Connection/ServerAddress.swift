#if Servers
    import CacheCore
    import NIOCore

    /// Where a server listens: a host and a port, or the path of a Unix socket.
    struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
        private enum Place: Hashable {
            case network(host: String, port: Int)
            case socket(path: String)
        }

        private let place: Place

        /// A host's port.
        init(host: String, port: Int) { place = .network(host: host, port: port) }

        /// Reads `host:port`, `[::1]:port` or `/path/of/a/socket`.
        ///
        /// - Throws: `unavailable` with the forms that are understood.
        init(parsing text: String) throws(StoreError) {
            if text.hasPrefix("/") {
                place = .socket(path: text)
                return
            }
            guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
                (1...65_535).contains(port)
            else { throw Self.unreadable(text) }
            var host = text[..<colon]
            if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
            guard !host.isEmpty else { throw Self.unreadable(text) }
            place = .network(host: String(host), port: port)
        }

        private static func unreadable(_ text: String) -> StoreError {
            StoreError(
                .unavailable, "'\(text)' is no address; write host:port, [::1]:port or the path of a socket from / on")
        }

        /// The host, nil for a socket in the file system.
        var host: String? {
            if case .network(let host, _) = place { host } else { nil }
        }

        /// The address as it was written.
        var description: String {
            switch place {
            case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .socket(let path): path
            }
        }

        /// Where the operating system connects to. Looks a name up, which may take as long as the resolver allows.
        func resolved() throws -> SocketAddress {
            switch place {
            case .network(let host, let port): try SocketAddress.makeAddressResolvingHost(host, port: port)
            case .socket(let path): try SocketAddress(unixDomainSocketPath: path)
            }
        }
    }
#endif
