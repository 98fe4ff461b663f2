#if Servers
    import CacheCore

    /// Turns Redis's error replies into what they mean to the owner of a store.
    enum RedisFailure {
        /// The typed error for an error reply.
        static func error(_ text: String, from address: ServerAddress) -> StoreError {
            let words = "\(address): \(text)"
            switch text.prefix(while: { $0 != " " }) {
            case "OOM":
                return StoreError(.full, "\(words); raise the server's maxmemory or let it evict")
            case "WRONGTYPE":
                return StoreError(.corrupt, "\(words); another program writes under this prefix, so choose another")
            case "NOAUTH", "WRONGPASS", "NOPERM":
                return StoreError(.unavailable, "\(words); put the password into the environment as REDISCLI_AUTH")
            case "READONLY", "MISCONF", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "TRYAGAIN", "MOVED", "ASK",
                "NOREPLICAS":
                return StoreError(.unavailable, "\(words); see to the server, then try again")
            default:
                if text.contains("invalid bulk length") || text.contains("exceeds maximum") {
                    return StoreError(
                        .valueRefused, "\(words); set value-bytes-max below the server's proto-max-bulk-len")
                }
                return StoreError(.inputOutput, "the server refused a command: \(words)")
            }
        }

        /// A reply of a kind that the command does not have.
        static func unexpected(_ reply: RESPValue, from address: ServerAddress) -> StoreError {
            if case .error(let text) = reply { return error(text, from: address) }
            return StoreError(.inputOutput, "\(address) answered another question; check that it is a Redis server")
        }
    }
#endif
