#if Servers
    import CacheCore

    /// Why a request has no reply.
    struct LinkFailure: Error, Sendable, CustomStringConvertible {
        /// What is known of the request.
        enum Kind: Sendable {
            /// It was not sent.
            case notSent
            /// It was sent, and the connection ended before the reply: the server may have carried it out.
            case lost
            /// It was sent, and no reply came in time: the server may have carried it out.
            case timedOut
            /// The server does not let this client in.
            case refused
            /// The server's bytes are not its protocol's.
            case malformed
            /// The store was closed.
            case closed
        }

        let kind: Kind
        let description: String

        init(_ kind: Kind, _ description: String) {
            self.kind = kind
            self.description = description
        }

        /// What the owner of the store is told.
        var storageError: StoreError {
            switch kind {
            case .closed: .closed
            case .malformed:
                StoreError(.inputOutput, "\(description); check that the address is of the right kind of server")
            case .refused: StoreError(.unavailable, description)
            case .notSent: StoreError(.unavailable, "\(description); start the server or name another address")
            case .lost, .timedOut:
                StoreError(
                    .unavailable, "\(description); what was being written is stored or not, never in part. Try again")
            }
        }
    }
#endif
