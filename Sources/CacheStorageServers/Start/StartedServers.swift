#if Servers
    import CacheCore
    import Synchronization

    /// The servers that stores of this process share, one of each kind and size, until the process ends.
    ///
    /// Stores keep out of each other's way by their namespaces, so a server of its own would only cost each store the start.
    enum StartedServers {
        private static let running = Mutex<[String: ServerProcess]>([:])

        /// The address of a server, which is started if it does not run.
        static func address(
            _ name: String, deadline: Deadline, start: (Deadline) throws(StoreError) -> ServerProcess
        ) throws(StoreError) -> ServerAddress {
            try running.withLock { (running) throws(StoreError) in
                if let server = running[name], !server.hasEnded { return server.address }
                let server = try start(deadline)
                running[name] = server
                return server.address
            }
        }
    }
#endif
