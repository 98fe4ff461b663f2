#if Servers
    public import CacheCore
    import Synchronization

    /// Keeps entries in a Redis server or a Redis Cluster, in RESP3 over SwiftNIO.
    ///
    /// All threads share one pipelined connection to each server; a lost one is made again with growing pauses until the
    /// call's deadline. A write whose reply was lost is not repeated: it throws `unavailable`, and the entry is the old one,
    /// the new one or none, never a part. Keys stand on the server behind a prefix, which is the store's alone unless one is
    /// given; a store without a given prefix deletes its keys when it is closed.
    ///
    /// ``get(_:)``, ``put(_:for:)``, ``remove(_:)`` and ``contains(_:)`` are one round trip. ``count()``, ``keys()`` and
    /// ``removeAll()`` scan every key of the server, O(keys of all its users). Handing expiry to the server needs Redis 6.2.
    public final class RedisStorage: StorageBackend {
        /// As the server's settings allow: it retains unless it may evict, and outlives this process under a given prefix.
        public let claims: StorageClaims
        private let client: RedisClient
        private let keyspace: RedisKeyspace
        private let limits: ServerLimits
        private let serverExpires: Bool
        private let deletesAtClose: Bool
        private let isClosed = Atomic(false)
        private let hasWritten = Atomic(false)

        /// Where the server is or that one is to be started, the prefix of keys, the deadline, the longest value.
        public static var descriptor: BackendDescriptor {
            BackendDescriptor(
                name: "redis", summary: "Strings of a Redis server or cluster, over a socket.",
                citation: "Redis, RESP3 over SwiftNIO 2",
                parameters: ServerParameters.specifications(port: 6_379, memoryMiB: 0) + [
                    ParameterSpecification(
                        "prefix", .text(default: ""),
                        "What the server's keys begin with; empty for a random prefix whose keys go when the store closes."
                    ),
                    ParameterSpecification(
                        "value-bytes-max", .integer(default: 64 << 20, 1...(511 << 20)),
                        "The longest value that is accepted, in bytes."),
                ],
                needsDirectory: false)
        }

        /// Connects, or starts a server and connects; the directory is not used.
        ///
        /// The password of the default user is taken from the environment's `REDISCLI_AUTH`.
        ///
        /// - Throws: `unavailable` if there is no server, it does not let this client in, or it does not answer in time.
        public init(_ configuration: BackendConfiguration) throws(StoreError) {
            let values = configuration.parameters
            let parameters = try ServerParameters(values)
            let prefix = values.text("prefix")
            let valueBytesMax = values.integer("value-bytes-max")
            let address = try Self.address(parameters)
            client = try RedisClient(
                address, deadlineMilliseconds: parameters.deadlineMilliseconds,
                limits: RESPParser.Limits(
                    stringBytesMax: valueBytesMax + StoredEnvelope.overheadBytes + (64 << 10),
                    replyBytesMax: valueBytesMax + (256 << 20)),
                password: ServerEnvironment.value("REDISCLI_AUTH"))
            serverExpires = values.flag("server-expiry")
            deletesAtClose = prefix.isEmpty
            keyspace = RedisKeyspace(prefix: prefix.isEmpty ? "assay:\(ServerEnvironment.randomName()):" : prefix)
            claims = StorageClaims(
                valueBytesMax: valueBytesMax, retains: try !Self.mayEvict(client) && !serverExpires,
                durability: prefix.isEmpty || parameters.starts ? .volatile : .kill)
            limits = ServerLimits(claims)
        }

        deinit { try? close() }

        /// The entry under a key.
        public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
            try checkOpen()
            let reply = try perform("GET", key, isRepeatable: true)
            if reply == .null { return nil }
            guard let bytes = reply.bytes else { throw RedisFailure.unexpected(reply, from: client.address) }
            guard let (entry, _) = StoredEnvelope.decode(bytes) else {
                throw StoreError(
                    .corrupt,
                    "what is stored is not an entry; another program writes under this prefix, so choose another")
            }
            return entry
        }

        /// Whether there is an entry under a key; its value is not sent.
        public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
            try checkOpen()
            return try flag(perform("EXISTS", key, isRepeatable: true))
        }

        /// Stores an entry. A value above the limit is refused and drops the old one.
        public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
            try checkOpen()
            try limits.check(key: key)
            hasWritten.store(true, ordering: .relaxed)
            guard entry.value.count <= limits.valueBytesMax else {
                _ = try remove(key)
                throw limits.refusal(of: entry.value)
            }
            var options: [String] = []
            if serverExpires, let moment = entry.expiresAtNanoseconds {
                let milliseconds = ServerMoment.roundedUp(moment, toUnitsOf: 1_000_000)
                // The server takes no moment before its own beginning of time, and such an entry is over anyhow.
                guard milliseconds > 0 else {
                    _ = try remove(key)
                    return
                }
                options = ["PXAT", "\(milliseconds)"]
            }
            let stored = keyspace.stored(key)
            let command = RedisCommand("SET", key: stored, value: StoredEnvelope.encode(entry), options: options)
            let reply = try client.perform(command, on: stored, isRepeatable: false)
            guard reply == .simple("OK") else { throw RedisFailure.unexpected(reply, from: client.address) }
        }

        /// Removes the entry under a key; the server gives its memory back later.
        public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            try checkOpen()
            return try flag(perform("UNLINK", key, isRepeatable: false))
        }

        /// Removes every key with the store's prefix, and no other. What is put meanwhile may stay.
        public func removeAll() throws(StoreError) {
            try checkOpen()
            try keyspace.removeAll(client)
        }

        /// The number of entries, by listing the keys.
        public func count() throws(StoreError) -> Int { try keys().count }

        /// Every key once.
        public func keys() throws(StoreError) -> [[UInt8]] {
            try checkOpen()
            return try keyspace.keys(client)
        }

        /// Makes sure that the server still answers; it acknowledged everything already.
        public func flush() throws(StoreError) {
            try checkOpen()
            for server in client.servers {
                _ = try client.perform([RedisCommand("PING")], at: server, isRepeatable: true)
            }
        }

        /// Deletes the store's keys unless a prefix was given, as far as the server can be reached, and closes the connections.
        public func close() throws(StoreError) {
            guard !isClosed.exchange(true, ordering: .relaxed) else { return }
            if deletesAtClose, hasWritten.load(ordering: .relaxed) { try? keyspace.removeAll(client) }
            client.close()
        }

        private func checkOpen() throws(StoreError) {
            if isClosed.load(ordering: .relaxed) { throw .closed }
        }

        private func perform(_ name: String, _ key: [UInt8], isRepeatable: Bool) throws(StoreError) -> RESPValue {
            let stored = keyspace.stored(key)
            return try client.perform(RedisCommand(name, key: stored), on: stored, isRepeatable: isRepeatable)
        }

        private func flag(_ reply: RESPValue) throws(StoreError) -> Bool {
            guard let number = reply.integer else { throw RedisFailure.unexpected(reply, from: client.address) }
            return number > 0
        }

        private static func address(_ parameters: ServerParameters) throws(StoreError) -> ServerAddress {
            guard parameters.starts else { return try ServerAddress(parsing: parameters.address) }
            let deadline = Deadline(milliseconds: ServerParameters.startMilliseconds)
            return try StartedServers.address("redis \(parameters.memoryMiB)", deadline: deadline) {
                (deadline) throws(StoreError) in
                try startServer(.redis(memoryMiB: parameters.memoryMiB), deadline: deadline)
            }
        }

        /// Starts a Redis server and waits until it answers PING.
        static func startServer(_ program: ServerProgram, deadline: Deadline) throws(StoreError) -> ServerProcess {
            try ServerProcess(program, deadline: deadline) { address, deadline in
                let link = RedisClient.Link(
                    address, parser: { RESPParser() }, handshake: { (_, _) throws(LinkFailure) in })
                let ping = RedisCommand.encoded([RedisCommand("PING")])
                return (try? link.send(ping, replyCount: 1, deadline: deadline)) == [.simple("PONG")]
            }
        }

        private static func mayEvict(_ client: RedisClient) throws(StoreError) -> Bool {
            for server in client.servers {
                let memory = try client.information("memory", of: server)
                if memory["maxmemory"] != "0", memory["maxmemory_policy"] != "noeviction" { return true }
            }
            return false
        }
    }
#endif
