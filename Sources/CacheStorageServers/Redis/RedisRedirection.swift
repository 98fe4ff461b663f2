#if Servers
    /// What a Redis error asks the client to do before it gives up.
    enum RedisRedirection: Equatable {
        /// The slot lives elsewhere from now on.
        case moved(slot: Int, ServerAddress)
        /// This one request is to be sent elsewhere, after ASKING.
        case ask(ServerAddress)
        /// The same request may succeed a little later.
        case tryAgain

        /// Reads an error; nil if it is final. A redirection that names no host is to the host that sent it.
        init?(_ error: String, from host: String?) {
            let words = error.split(separator: " ")
            switch words.first {
            case "TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN": self = .tryAgain
            case "MOVED", "ASK":
                guard words.count >= 3, let slot = Int(words[1]), (0..<RedisSlots.count).contains(slot),
                    let colon = words[2].lastIndex(of: ":"), let port = Int(words[2][words[2].index(after: colon)...]),
                    (1...65_535).contains(port)
                else { return nil }
                let named = words[2][..<colon]
                guard let host = named.isEmpty ? host : String(named) else { return nil }
                let address = ServerAddress(host: host, port: port)
                self = words[0] == "MOVED" ? .moved(slot: slot, address) : .ask(address)
            default: return nil
            }
        }
    }
#endif
