#if Servers
    public import CacheCore
    import Synchronization

    /// Keeps entries in a memcached server, by its meta protocol over SwiftNIO.
    ///
    /// All threads share one pipelined connection, which is made again with growing pauses until a call's deadline when it is
    /// lost. A write whose reply was lost is not repeated: it throws `unavailable`, and the entry is the old one, the new one or
    /// none. Each store has a random namespace of its own; ``removeAll()`` takes another, and the server evicts what stood in
    /// the old one when it needs the space. Keys that are too long for memcached stand there by their SHA-256 digest, with the
    /// key beside the value.
    ///
    /// Every call is one round trip, removing a key of more than 177 bytes two. The keys of a memcached server cannot be
    /// listed.
    public final class MemcachedStorage: StorageBackend {
        /// Volatile, and free to evict; the longest value is what fits into one of the server's items.
        public let claims: StorageClaims
        private let client: MemcachedClient
        private let limits: ServerLimits
        private let serverExpires: Bool
        private let namespace = Atomic(UInt64.random(in: .min ... .max))
        private let isClosed = Atomic(false)

        /// Where the server is or that one is to be started, the deadline, the longest value.
        public static var descriptor: BackendDescriptor {
            BackendDescriptor(
                name: "memcached", summary: "Items of a memcached server, over a socket.",
                citation: "memcached 1.6, meta protocol over SwiftNIO 2",
                parameters: ServerParameters.specifications(port: 11_211, memoryMiB: 1_024) + [
                    ParameterSpecification(
                        "value-bytes-max", .integer(default: 64 << 20, 1...(1 << 30)),
                        "The longest value that is accepted, in bytes, where the server's item size allows it.")
                ],
                needsDirectory: false)
        }

        /// The longest key, in bytes: it is part of the item, and so of what the longest value leaves.
        private static let keyBytesMax = 4_096
        /// What memcached needs of an item for itself, in bytes: headers of the item and of its chunks.
        private static let itemOverheadBytes = 1_024

        /// Connects, or starts a server and connects; the directory is not used.
        ///
        /// - Throws: `unavailable` if there is no server, it is too old, or it does not answer in time.
        public init(_ configuration: BackendConfiguration) throws(StoreError) {
            let parameters = try ServerParameters(configuration.parameters)
            client = MemcachedClient(
                try Self.address(parameters), deadlineMilliseconds: parameters.deadlineMilliseconds)
            serverExpires = configuration.parameters.flag("server-expiry")
            let itemBytes = try client.settings()["item_size_max"].flatMap { Int($0) } ?? 1 << 20
            let room = max(0, itemBytes) - Self.keyBytesMax - StoredEnvelope.keyedOverheadBytes - Self.itemOverheadBytes
            guard room > 0 else {
                client.close()
                throw StoreError(
                    .unavailable, "the server's items have only \(itemBytes) bytes; raise its item size (memcached -I)")
            }
            claims = StorageClaims(
                keyBytesMax: Self.keyBytesMax,
                valueBytesMax: min(room, configuration.parameters.integer("value-bytes-max")), retains: false,
                iterates: false)
            limits = ServerLimits(claims)
        }

        /// The entry under a key.
        public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
            try find(writtenKey(key), flags: "v")?.entry
        }

        /// Whether there is an entry under a key; its value is sent only for a long key.
        public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
            let key = try writtenKey(key)
            guard key.kept == nil else { return try find(key, flags: "v") != nil }
            let reply = try client.perform("mg \(key.written) b", isRepeatable: true)
            guard case .status(let code, _) = reply else { throw client.unexpected(reply) }
            return code == "HD"
        }

        /// Stores an entry. A value above the limit is refused and drops the old one.
        public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
            let written = try writtenKey(key)
            try limits.check(key: key)
            guard entry.value.count <= limits.valueBytesMax else {
                _ = try remove(key)
                throw limits.refusal(of: entry.value)
            }
            let bytes = StoredEnvelope.encode(entry, key: written.kept)
            let reply = try client.perform(
                "ms \(written.written) \(bytes.count) b\(expiryFlag(entry))", value: bytes, isRepeatable: false)
            guard case .status("HD", _) = reply else { throw client.unexpected(reply) }
        }

        /// Removes the entry under a key.
        public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
            let key = try writtenKey(key)
            guard key.kept != nil else { return try delete("md \(key.written) b") ?? false }
            // Another key of the same digest may be there; the item's number makes sure that what was looked at is removed.
            while let found = try find(key, flags: "v c") {
                if let isRemoved = try delete("md \(key.written) b C\(found.number)") { return isRemoved }
            }
            return false
        }

        /// Takes a new namespace, in which there is nothing. O(1).
        public func removeAll() throws(StoreError) {
            try checkOpen()
            namespace.store(.random(in: .min ... .max), ordering: .sequentiallyConsistent)
        }

        /// Not supported: memcached cannot list its keys.
        public func count() throws(StoreError) -> Int { throw try refusalToList() }

        /// Not supported: memcached cannot list its keys.
        public func keys() throws(StoreError) -> [[UInt8]] { throw try refusalToList() }

        /// Makes sure that the server still answers; it acknowledged everything already.
        public func flush() throws(StoreError) {
            try checkOpen()
            _ = try client.perform("mn", isRepeatable: true)
        }

        /// Closes the connection; the server evicts the entries when it needs the space.
        public func close() throws(StoreError) {
            guard !isClosed.exchange(true, ordering: .relaxed) else { return }
            client.close()
        }

        /// The key as the server sees it.
        func written(_ key: [UInt8]) -> String {
            MemcachedKey(key, namespace: namespace.load(ordering: .sequentiallyConsistent)).written
        }

        private func checkOpen() throws(StoreError) {
            if isClosed.load(ordering: .relaxed) { throw .closed }
        }

        private func writtenKey(_ key: [UInt8]) throws(StoreError) -> MemcachedKey {
            try checkOpen()
            return MemcachedKey(key, namespace: namespace.load(ordering: .sequentiallyConsistent))
        }

        /// The entry of a key with its item's number, which is there if the flags ask for it.
        private func find(_ key: MemcachedKey, flags: String) throws(StoreError) -> (
            entry: StoredEntry, number: String
        )? {
            let reply = try client.perform("mg \(key.written) b \(flags)", isRepeatable: true)
            guard case .value(let bytes, let flags) = reply else {
                if case .status("EN", _) = reply { return nil }
                throw client.unexpected(reply)
            }
            guard let (entry, kept) = StoredEnvelope.decode(bytes) else {
                throw StoreError(.corrupt, "what \(client.address) stores is not an entry; remove everything")
            }
            guard kept == key.kept else { return nil }
            return (entry, flags.first { $0.hasPrefix("c") }.map { String($0.dropFirst()) } ?? "")
        }

        /// Whether an item was there and was removed; nil if it was another by then.
        private func delete(_ command: String) throws(StoreError) -> Bool? {
            let reply = try client.perform(command, isRepeatable: false)
            switch reply {
            case .status("HD", _): return true
            case .status("NF", _): return false
            case .status("EX", _): return nil
            default: throw client.unexpected(reply)
            }
        }

        private func refusalToList() throws(StoreError) -> StoreError {
            try checkOpen()
            return .unsupported("memcached cannot list its keys")
        }

        /// The flag that hands an entry's moment of expiry to the server, if it is to have it.
        private func expiryFlag(_ entry: StoredEntry) -> String {
            guard serverExpires, let moment = entry.expiresAtNanoseconds else { return "" }
            let seconds = ServerMoment.roundedUp(moment, toUnitsOf: 1_000_000_000)
            // Up to 30 days memcached takes for a span from now, and beyond 2038 its number may be too small.
            if seconds <= 30 * 86_400 { return " T-1" }
            return seconds > Int64(Int32.max) ? "" : " T\(seconds)"
        }

        private static func address(_ parameters: ServerParameters) throws(StoreError) -> ServerAddress {
            guard parameters.starts else { return try ServerAddress(parsing: parameters.address) }
            let deadline = Deadline(milliseconds: ServerParameters.startMilliseconds)
            return try StartedServers.address("memcached \(parameters.memoryMiB)", deadline: deadline) {
                (deadline) throws(StoreError) in
                try startServer(.memcached(memoryMiB: parameters.memoryMiB), deadline: deadline)
            }
        }

        /// Starts a memcached server and waits until it answers.
        static func startServer(_ program: ServerProgram, deadline: Deadline) throws(StoreError) -> ServerProcess {
            try ServerProcess(program, deadline: deadline) { address, deadline in
                let reply = try? MemcachedClient.link(address).send(
                    MemcachedClient.encoded("mn", nil), replyCount: 1, deadline: deadline)
                return reply == [.status("MN", flags: [])]
            }
        }
    }
#endif
