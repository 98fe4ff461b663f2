#if Servers
    import CacheCore

    /// What the backends behind a socket have in common: where the server is, or that one is to be started, and the deadline.
    struct ServerParameters: Sendable {
        /// The server that was named.
        let address: String
        /// Whether a server is to be started instead.
        let starts: Bool
        /// How much a started server may keep, in MiB; zero is no limit.
        let memoryMiB: Int
        /// How long a call may take, in milliseconds.
        let deadlineMilliseconds: Int

        /// How long a server may take to start, in milliseconds.
        static let startMilliseconds = 60_000

        /// The parameters of a backend whose server listens on `port` by custom.
        static func specifications(port: Int, memoryMiB: Int) -> [ParameterSpecification] {
            [
                ParameterSpecification(
                    "address", .text(default: "127.0.0.1:\(port)"),
                    "The server's host:port, [::1]:port, or the path of its socket."),
                ParameterSpecification(
                    "start", .flag, "Start a server for this process alone, on a free port of 127.0.0.1, and stop it."),
                ParameterSpecification(
                    "memory-mib", .integer(default: memoryMiB, 0...(1 << 20)),
                    "How much a started server may keep, in MiB; 0 is the server's own default."),
                ParameterSpecification(
                    "deadline-ms", .integer(default: 5_000, 1...86_400_000),
                    "How long a call may take, reconnecting included, in milliseconds."),
                ParameterSpecification(
                    "server-expiry", .flag,
                    "Hand moments of expiry to the server, which then drops entries by its own clock."
                ),
            ]
        }

        /// Reads the parameters.
        ///
        /// - Throws: `unavailable` if a server is named and one is to be started.
        init(_ values: ParameterValues) throws(StoreError) {
            address = values.text("address")
            starts = values.flag("start")
            memoryMiB = values.integer("memory-mib")
            deadlineMilliseconds = values.integer("deadline-ms")
            guard !(starts && values.isGiven("address")) else {
                throw StoreError(
                    .unavailable, "a started server chooses its own address; give start or address, not both")
            }
        }
    }
#endif
