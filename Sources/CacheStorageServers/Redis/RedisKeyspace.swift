#if Servers
    import CacheCore

    /// The keys of one store among those of all users of a server: the ones that begin with its prefix.
    struct RedisKeyspace: Sendable {
        private let prefix: [UInt8]
        private let pattern: String

        /// How many keys the server looks at for one page of a scan.
        private static let pageKeys = 1_000

        init(prefix: String) {
            self.prefix = Array(prefix.utf8)
            pattern =
                prefix.reduce(into: "") { pattern, letter in
                    if "*?[]^-\\".contains(letter) { pattern.append("\\") }
                    pattern.append(letter)
                } + "*"
        }

        /// The key on the server.
        func stored(_ key: [UInt8]) -> [UInt8] { prefix + key }

        /// Every key once, without the prefix. A scan may show a key twice.
        func keys(_ client: RedisClient) throws(StoreError) -> [[UInt8]] {
            var keys: Set<[UInt8]> = []
            try forEachPage(client) { (page, _) in
                for key in page { keys.insert(Array(key.dropFirst(prefix.count))) }
            }
            return Array(keys)
        }

        /// Removes every key, a page at a time.
        func removeAll(_ client: RedisClient) throws(StoreError) {
            try forEachPage(client) { (page, server) throws(StoreError) in
                guard !page.isEmpty else { return }
                // One command a key, as those of a cluster's slots do not mix.
                let replies = try client.perform(
                    page.map { RedisCommand("UNLINK", key: $0) }, at: server, isRepeatable: true)
                for (key, reply) in zip(page, replies) where reply.integer == nil {
                    // The key has moved to another server of the cluster since the scan.
                    _ = try client.perform(RedisCommand("UNLINK", key: key), on: key, isRepeatable: true)
                }
            }
        }

        private func forEachPage(
            _ client: RedisClient, _ body: (_ page: [[UInt8]], _ server: ServerAddress) throws(StoreError) -> Void
        ) throws(StoreError) {
            for server in client.servers {
                var cursor = "0"
                repeat {
                    let scan = RedisCommand("SCAN", cursor, "MATCH", pattern, "COUNT", "\(Self.pageKeys)")
                    let reply = try client.perform([scan], at: server, isRepeatable: true)[0]
                    guard let parts = reply.elements, parts.count == 2, let next = parts[0].text,
                        let page = parts[1].elements
                    else { throw RedisFailure.unexpected(reply, from: server) }
                    // A pattern is matched byte by byte, so that a key of the store begins with the prefix.
                    try body(page.compactMap(\.bytes).filter { $0.starts(with: prefix) }, server)
                    cursor = next
                } while cursor != "0"
            }
        }
    }
#endif
