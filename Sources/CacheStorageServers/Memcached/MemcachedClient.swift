#if Servers
    import CacheCore
    import NIOCore

    /// Sends meta commands to one memcached server, again where the reply was lost and that changes nothing.
    final class MemcachedClient: Sendable {
        typealias Link = ServerLink<MetaParser>

        /// The server.
        let address: ServerAddress
        private let deadlineMilliseconds: Int
        private let link: Link

        /// The longest item that any server's settings allow, in bytes; memcached's own limit for its setting.
        static let itemBytesMax = 1 << 30

        /// A client that connects at its first command.
        init(_ address: ServerAddress, deadlineMilliseconds: Int) {
            self.address = address
            self.deadlineMilliseconds = deadlineMilliseconds
            link = Self.link(address)
        }

        /// A link that says nothing first.
        static func link(_ address: ServerAddress) -> Link {
            Link(
                address, parser: { MetaParser(valueBytesMax: itemBytesMax) },
                handshake: { (_, _) throws(LinkFailure) in })
        }

        /// Closes the connection.
        func close() { link.close() }

        /// Sends a command line, and a value behind it if one is given, and returns the reply, which is no error.
        func perform(_ line: String, value: [UInt8]? = nil, isRepeatable: Bool) throws(StoreError) -> MetaReply {
            try perform(Self.encoded(line, value), replyCount: 1, isRepeatable: isRepeatable)[0]
        }

        /// The server's settings.
        ///
        /// - Throws: `unavailable` if the server is older than the meta protocol.
        func settings() throws(StoreError) -> [String: String] {
            let replies = try perform(Self.encoded("stats settings\r\nmn", nil), replyCount: 2, isRepeatable: true)
            guard case .statistics(let settings) = replies[0] else { throw unexpected(replies[0]) }
            return settings
        }

        /// A reply of a kind that the command does not have.
        func unexpected(_ reply: MetaReply) -> StoreError {
            StoreError(.inputOutput, "\(address) answered another question: \(reply); check that it is memcached 1.6")
        }

        /// A command line with its end, and a value with its own.
        static func encoded(_ line: String, _ value: [UInt8]?) -> ByteBuffer {
            var bytes = ByteBuffer()
            bytes.reserveCapacity(line.utf8.count + 4 + (value?.count ?? 0))
            bytes.writeString(line)
            bytes.writeString("\r\n")
            if let value {
                bytes.writeBytes(value)
                bytes.writeString("\r\n")
            }
            return bytes
        }

        private func perform(
            _ bytes: ByteBuffer, replyCount: Int, isRepeatable: Bool
        ) throws(StoreError) -> [MetaReply] {
            let deadline = Deadline(milliseconds: deadlineMilliseconds)
            let replies = try replies(to: bytes, replyCount: replyCount, isRepeatable: isRepeatable, deadline)
            for case .error(let text) in replies { throw refusal(text) }
            return replies
        }

        private func replies(
            to bytes: ByteBuffer, replyCount: Int, isRepeatable: Bool, _ deadline: Deadline
        ) throws(StoreError) -> [MetaReply] {
            while true {
                do throws(LinkFailure) {
                    return try link.send(bytes, replyCount: replyCount, deadline: deadline)
                } catch {
                    guard case .lost = error.kind, isRepeatable, !deadline.isOver else { throw error.storageError }
                }
            }
        }

        private func refusal(_ text: String) -> StoreError {
            let words = "\(address): \(text)"
            if text.contains("too large") {
                return StoreError(
                    .valueRefused, "\(words); raise the server's item size (memcached -I) or split the value")
            }
            if text.contains("out of memory") {
                return StoreError(.full, "\(words); give the server more memory (memcached -m)")
            }
            if text == "ERROR" {
                return StoreError(
                    .unavailable,
                    "\(words): the server does not know a meta command; it needs to be memcached 1.6 or later"
                )
            }
            return StoreError(.inputOutput, "the server refused a command: \(words)")
        }
    }
#endif
