#if HTTP
    public import CacheSystems

    /// How an ``HTTPProxy`` behaves, besides its cache.
    public struct HTTPProxyOptions: Sendable {
        /// The server that it stands before; its path counts for nothing.
        public var origin: HTTPURL
        /// The address that it listens on: a name or an IP address.
        public var host = "127.0.0.1"
        /// The port that it listens on; 0 for any that is free.
        public var port = 0
        /// Whether the origin is told the `Host` that the client named, rather than its own. What is stored is then kept apart by hosts.
        public var keepsHost = false
        /// Whether clients may remove what is stored of an address by the method `PURGE`; otherwise that goes to the origin as any other.
        public var allowsPurge = false
        /// The most bytes of a request's target and header; more is answered by 431.
        public var headerBytesMax = 64 << 10
        /// How long a client may send nothing where it is waited for, or take nothing that is there for it: a request's header must come within that
        /// time, and every piece of a body.
        public var idleLimit: Duration = .seconds(60)
        /// The bytes that a client must send or take in each second on average, over ``idleLimit``, while it is waited for; 0 for any byte to be
        /// enough.
        public var bytesPerSecondMin = 128
        /// The most connections at once; one more is answered by 503.
        public var connectionsMax = 4_096
        /// The most connections at once from one address.
        public var clientConnectionsMax = 512
        /// The longest content of a request; more is answered by 413. It is read to its end before the origin is asked: what is above 64 KiB lies
        /// in a file without a name in the temporary directory meanwhile.
        public var contentBytesMax = 1 << 30
        /// The bytes of all such files together, of which one address has half at most; a request for which there is no room is answered by 503.
        public var contentBytesTotalMax = 4 << 30
        /// What it is called in `Via` and `Cache-Status`: a token that begins with a letter.
        public var name = "assay"

        /// The defaults, before a server.
        public init(origin: HTTPURL) { self.origin = origin }
    }

    /// What a proxy has done since it was started: exact counts.
    public struct HTTPProxyStatistics: Sendable, Hashable {
        /// Connections that clients have made.
        public var connections = 0
        /// Connections that were answered by 503 at once, since there were too many.
        public var turnedAway = 0
        /// Requests that came with a header that could be read, those that were refused among them.
        public var requests = 0
        /// Requests that were answered by the proxy since they cannot be passed on: malformed, too large, not supported.
        public var refused = 0
        /// Requests that were answered by 502, 503 or 504, since the origin did not, or too many waited for it.
        public var failed = 0
        /// Answers that did not go out to their end, since the origin's ended before, or the client left.
        public var cut = 0
        /// Addresses that clients have had removed.
        public var purged = 0

        /// Nothing has happened.
        public init() {}
    }
#endif
