#if Servers
    import CacheCore
    import NIOCore
    import Synchronization

    /// Sends commands to a Redis server, or to the right server of a Redis Cluster, until they are answered or time is over.
    ///
    /// A command that the server may have carried out is sent again only if that changes nothing. A cluster's redirections are
    /// followed, and its map of slots is asked for again when one shows that it changed.
    final class RedisClient: Sendable {
        typealias Link = ServerLink<RESPParser>

        private struct State {
            var links: [ServerAddress: Link] = [:]
            var slots = RedisSlots()
            var isCluster = false
            var isClosed = false
            var refreshAfter = Deadline(milliseconds: 0)
        }

        /// The server that was named.
        let address: ServerAddress
        private let deadlineMilliseconds: Int
        private let limits: RESPParser.Limits
        private let handshake: RedisHandshake
        private let state = Mutex(State())

        /// A client that has found out whether it speaks to a cluster.
        init(
            _ address: ServerAddress, deadlineMilliseconds: Int, limits: RESPParser.Limits, password: String?
        ) throws(StoreError) {
            self.address = address
            self.deadlineMilliseconds = deadlineMilliseconds
            self.limits = limits
            handshake = RedisHandshake(password: password)
            let isCluster = try information("cluster", of: address)["cluster_enabled"] == "1"
            guard isCluster else { return }
            let map = try perform([RedisCommand("CLUSTER", "SLOTS")], at: address, isRepeatable: true)[0]
            guard let slots = RedisSlots(map, askedOf: address.host), !slots.servers.isEmpty else {
                throw StoreError(
                    .unavailable, "\(address) is of a cluster but has no map of its slots; set it up first")
            }
            state.withLock { state in
                (state.isCluster, state.slots) = (true, slots)
                state.refreshAfter = Deadline(milliseconds: 1_000)
            }
        }

        /// Whether commands are shared out by the slots of their keys.
        var isCluster: Bool { state.withLock { $0.isCluster } }

        /// Every server that holds keys.
        var servers: [ServerAddress] {
            state.withLock { $0.isCluster ? $0.slots.servers : [address] }
        }

        /// Closes every connection.
        func close() {
            let links = state.withLock { state in
                state.isClosed = true
                defer { state.links = [:] }
                return Array(state.links.values)
            }
            for link in links { link.close() }
        }

        /// Sends a command on one key and returns the reply, which is no error.
        ///
        /// `isRepeatable` says that the command may be carried out twice without a difference to anybody.
        func perform(_ command: RedisCommand, on key: [UInt8], isRepeatable: Bool) throws(StoreError) -> RESPValue {
            let slot = RedisSlots.slot(of: key)
            return try perform([command], isRepeatable: isRepeatable, follows: true) {
                // A server that did not say that it is of a cluster may still redirect.
                self.state.withLock { $0.isCluster ? $0.slots[slot] : nil } ?? self.address
            }[0]
        }

        /// Sends commands to one server in one go and returns their replies.
        ///
        /// A request to try again is heeded, and another error thrown, if it answers the first command; redirections, and errors
        /// of later commands, are left in the replies.
        func perform(
            _ commands: [RedisCommand], at server: ServerAddress, isRepeatable: Bool
        ) throws(StoreError) -> [RESPValue] {
            try perform(commands, isRepeatable: isRepeatable, follows: false) { server }
        }

        /// What INFO tells in a section.
        func information(_ section: String, of server: ServerAddress) throws(StoreError) -> [String: String] {
            let reply = try perform([RedisCommand("INFO", section)], at: server, isRepeatable: true)[0]
            guard let text = reply.text else { throw RedisFailure.unexpected(reply, from: server) }
            let pairs = text.split(whereSeparator: \.isNewline).compactMap { line -> (String, String)? in
                let parts = line.split(separator: ":", maxSplits: 1)
                return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
            }
            return Dictionary(pairs) { $1 }
        }

        private func perform(
            _ commands: [RedisCommand], isRepeatable: Bool, follows: Bool, target: () -> ServerAddress
        ) throws(StoreError) -> [RESPValue] {
            let deadline = Deadline(milliseconds: deadlineMilliseconds)
            var asked: ServerAddress?
            var rounds = 0
            while true {
                let server = asked ?? target()
                let isAsking = asked != nil
                asked = nil
                // The first redirections are followed at once; later ones may be a cluster that is changing.
                if rounds > 4 { deadline.pause(milliseconds: min(100, rounds)) }
                rounds += 1
                let replies: [RESPValue]
                do throws(LinkFailure) {
                    replies = try send(isAsking ? [RedisCommand("ASKING")] + commands : commands, server, deadline)
                } catch {
                    try giveUp(error, isRepeatable: isRepeatable, deadline)
                    _ = refreshSlots(deadline, instead: server)
                    continue
                }
                let own = isAsking ? Array(replies.dropFirst()) : replies
                guard case .error(let text) = own[0] else { return own }
                guard let redirection = RedisRedirection(text, from: server.host), !deadline.isOver else {
                    throw RedisFailure.error(text, from: server)
                }
                if !follows, redirection != .tryAgain { return own }
                asked = follow(redirection, deadline)
            }
        }

        /// Throws if a failed request must not be sent again, or time is over.
        private func giveUp(_ failure: LinkFailure, isRepeatable: Bool, _ deadline: Deadline) throws(StoreError) {
            switch failure.kind {
            case .notSent where !deadline.isOver: return
            case .lost where isRepeatable && !deadline.isOver: return
            default: throw failure.storageError
            }
        }

        /// Notes what a redirection tells, and returns where this one request is to be asked.
        private func follow(_ redirection: RedisRedirection, _ deadline: Deadline) -> ServerAddress? {
            switch redirection {
            case .ask(let server): return server
            case .moved(let slot, let server):
                state.withLock { state in
                    state.isCluster = true
                    state.slots[slot] = server
                }
                // Where one slot has moved, others have too; but the map is not worth a request each.
                if state.withLock({ $0.refreshAfter.isOver }) { _ = refreshSlots(deadline) }
            case .tryAgain:
                deadline.pause(milliseconds: 20)
                _ = refreshSlots(deadline)
            }
            return nil
        }

        /// Asks the servers of a cluster one after the other for the map of slots; false if none had one.
        private func refreshSlots(_ deadline: Deadline, instead lost: ServerAddress? = nil) -> Bool {
            let (isCluster, known) = state.withLock { state in
                state.refreshAfter = Deadline(milliseconds: 1_000)
                return (state.isCluster, state.slots.servers)
            }
            guard isCluster else { return false }
            for server in known.filter({ $0 != address }) + [address] where server != lost {
                let soon = deadline.limited(toMilliseconds: max(1, deadlineMilliseconds / 8))
                guard let reply = try? send([RedisCommand("CLUSTER", "SLOTS")], server, soon)[0],
                    let slots = RedisSlots(reply, askedOf: server.host), !slots.servers.isEmpty
                else { continue }
                state.withLock { $0.slots = slots }
                return true
            }
            return false
        }

        private func send(
            _ commands: [RedisCommand], _ server: ServerAddress, _ deadline: Deadline
        ) throws(LinkFailure) -> [RESPValue] {
            let (link, isCluster) = try link(server)
            // Another server of a cluster may take over, so one that is down must not use up all the time.
            let connectBy = isCluster ? deadline.limited(toMilliseconds: max(1, deadlineMilliseconds / 4)) : deadline
            return try link.send(
                RedisCommand.encoded(commands), replyCount: commands.count, connectBy: connectBy, deadline: deadline)
        }

        private func link(_ server: ServerAddress) throws(LinkFailure) -> (Link, isCluster: Bool) {
            let limits = limits
            let handshake = handshake
            return try state.withLock { (state) throws(LinkFailure) in
                if state.isClosed { throw LinkFailure(.closed, "the store is closed") }
                if let link = state.links[server] { return (link, state.isCluster) }
                let link = Link(
                    server, parser: { RESPParser(limits: limits) },
                    handshake: { (conversation, deadline) throws(LinkFailure) in
                        try handshake.greet(conversation, deadline)
                    })
                state.links[server] = link
                return (link, state.isCluster)
            }
        }
    }
#endif
