#if Servers
    /// What is said first on a new connection: version 3 of the protocol, or version 2 with a server older than Redis 6.
    struct RedisHandshake: Sendable {
        /// The password of the default user, nil for none.
        var password: String?

        /// Agrees on the protocol and logs in.
        ///
        /// - Throws: `refused` if the server does not let this client in.
        func greet(_ conversation: RedisClient.Link.Conversation, _ deadline: Deadline) throws(LinkFailure) {
            var hello = ["HELLO", "3"]
            if let password { hello += ["AUTH", "default", password] }
            guard let refusal = try reply(hello, conversation, deadline) else { return }
            // Only this error means that the server knows the command and the password is the matter.
            if isAboutPassword(refusal) { throw refused(refusal) }
            guard let password else { return }
            if let refusal = try reply(["AUTH", password], conversation, deadline) { throw refused(refusal) }
        }

        /// The error that answers a command, nil for any other reply.
        private func reply(
            _ words: [String], _ conversation: RedisClient.Link.Conversation, _ deadline: Deadline
        ) throws(LinkFailure) -> String? {
            let command = RedisCommand(words)
            let reply = try conversation.send(RedisCommand.encoded([command]), replyCount: 1, deadline: deadline)[0]
            return if case .error(let text) = reply { text } else { nil }
        }

        private func isAboutPassword(_ text: String) -> Bool {
            ["NOAUTH", "WRONGPASS", "NOPERM"].contains { text.hasPrefix($0) }
        }

        private func refused(_ text: String) -> LinkFailure {
            LinkFailure(.refused, "\(text); put the password into the environment as REDISCLI_AUTH")
        }
    }
#endif
