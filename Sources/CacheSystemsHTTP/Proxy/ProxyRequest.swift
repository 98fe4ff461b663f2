#if HTTP
    internal import CacheSystems
    internal import NIOHTTP1

    /// A request that may be passed on, as its header says it.
    struct ProxyRequest: Sendable {
        /// The method, spelled as it was on the way.
        let method: String
        /// What is asked for, at the origin; nil for `*`, the server as a whole.
        let url: HTTPURL?
        /// The fields, but for those that are about this connection's messages alone.
        let fields: HTTPFields
        /// The length of the content; nil where that shows at its end.
        let length: Int?
        /// Whether the client waits for leave to send its content.
        let expectsContinue: Bool
        /// Whether the client wants the connection to go on.
        let keepsAlive: Bool
        /// Whether the client knows nothing but HTTP/1.0.
        let isOld: Bool
        /// The client's address; nil where that is not known.
        let client: String?

        /// Looks through a header.
        ///
        /// - Parameter client: The client's address, for the origin; nil where that is not known.
        /// - Throws: ``Refusal`` for what is malformed or could be read in two ways, and for what no proxy can pass on.
        init(_ head: HTTPRequestHead, _ options: HTTPProxyOptions, client: String? = nil) throws(Refusal) {
            self.client = client
            isOld = head.version == .http1_0
            method = Self.spelled(head.method)
            guard method != "CONNECT" else { throw Refusal(.notImplemented, "This proxy makes no tunnels.") }
            length = try Self.length(head, isOld: isOld)
            guard method != "TRACE" || length == 0 else { throw Refusal(.badRequest, "TRACE has no content.") }
            let host = try Self.host(head)
            url = try Self.url(head, method, host, options)
            expectsContinue =
                !isOld && head.headers[canonicalForm: "Expect"].contains { $0.lowercased() == "100-continue" }
            // After a request that asks for another protocol nothing more is read as HTTP.
            keepsAlive = head.isKeepAlive && !head.headers.contains(name: "Upgrade")
            var fields = HTTPFields()
            for (name, value) in head.headers where !Self.own.contains(name.lowercased()) { fields.add(name, value) }
            // The client may name its own fields in Connection, and not those that are added here.
            fields = fields.withoutConnectionFields()
            if !expectsContinue, let expect = head.headers.first(name: "Expect"), expect.lowercased() != "100-continue"
            {
                fields.add("Expect", expect)
            }
            forwardsLeft = ["OPTIONS", "TRACE"].contains(method) ? Self.forwardsLeft(head) : nil
            if let forwardsLeft { fields["Max-Forwards"] = String(max(0, forwardsLeft - 1)) }
            for name in Self.claimed { fields.remove(name) }
            if let client { fields.add("X-Forwarded-For", client) }
            fields.add("X-Forwarded-Proto", "http")
            // As it is in what answers are stored under, and in the Host that the origin gets.
            if options.keepsHost, let url { fields.add("X-Forwarded-Host", url.authority) }
            fields.add("Via", "\(head.version.major).\(head.version.minor) \(options.name)")
            self.fields = fields
        }

        /// Whether it asks about the proxy itself: about no address, or to be passed on by nobody.
        var isForProxy: Bool { url == nil || forwardsLeft == 0 }

        /// How often it may be passed on, where its method says that this counts; nil where it may always.
        private let forwardsLeft: Int?

        /// Fields by which origins are told of the client's request, or of another address than that which is asked for. Answers are not
        /// kept apart by them: whoever could choose them would choose what others get.
        private static let claimed = [
            "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port",
            "X-Forwarded-Server",
            "X-Forwarded-Scheme", "X-Forwarded-Ssl", "X-Forwarded-Prefix", "X-Forwarded-Path", "X-Forwarded-Uri",
            "X-Host",
            "X-Original-Host", "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method", "X-HTTP-Method-Override",
            "X-Method-Override", "X-Url-Scheme", "Front-End-Https",
        ]

        private static let own: Set<String> = ["host", "content-length", "transfer-encoding", "expect"]

        /// The library has a spelling of its own for one of them.
        private static func spelled(_ method: HTTPMethod) -> String {
            method == .MSEARCH ? "M-SEARCH" : method.rawValue
        }

        private static func forwardsLeft(_ head: HTTPRequestHead) -> Int? {
            guard let text = head.headers.first(name: "Max-Forwards"), text.utf8.allSatisfy({ (48...57).contains($0) })
            else {
                return nil
            }
            // More than there are numbers is as good as many.
            return text.isEmpty ? nil : Int(text) ?? .max
        }

        /// How long the content is, by the one field that may say so: two that could be read differently by two readers let one smuggle a request
        /// into another's connection (RFC 9112 §11.2).
        private static func length(_ head: HTTPRequestHead, isOld: Bool) throws(Refusal) -> Int? {
            let lengths = head.headers[canonicalForm: "Content-Length"]
            let codings = head.headers[canonicalForm: "Transfer-Encoding"].map { $0.lowercased() }
            if codings.isEmpty {
                guard let first = lengths.first else { return 0 }
                guard lengths.allSatisfy({ $0 == first }), first.utf8.allSatisfy({ (48...57).contains($0) }),
                    let length = Int(first)
                else { throw Refusal(.badRequest, "Content-Length must be one number.") }
                return length
            }
            guard lengths.isEmpty else {
                throw Refusal(.badRequest, "Content-Length and Transfer-Encoding do not go together.")
            }
            guard !isOld else { throw Refusal(.badRequest, "HTTP/1.0 knows no Transfer-Encoding.") }
            guard codings == ["chunked"] else {
                throw Refusal(.notImplemented, "This proxy knows no other transfer coding than chunked.")
            }
            return nil
        }

        /// The host that the client means; empty where it does not say.
        private static func host(_ head: HTTPRequestHead) throws(Refusal) -> String {
            let hosts = head.headers["Host"]
            guard hosts.count == 1 || hosts.isEmpty && head.version == .http1_0 else {
                throw Refusal(.badRequest, "A request has one Host.")
            }
            let host = hosts.first ?? ""
            guard isHost(host) else { throw Refusal(.badRequest, "The Host is malformed.") }
            return host
        }

        private static func isHost(_ text: String) -> Bool {
            text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                    || "-._~!$&'()*+,;=%:[]".utf8.contains(byte)
            }
        }

        private static func url(
            _ head: HTTPRequestHead, _ method: String, _ host: String, _ options: HTTPProxyOptions
        ) throws(Refusal) -> HTTPURL? {
            var (host, target) = (host, head.uri)
            if target == "*", method == "OPTIONS" { return nil }
            if let named = HTTPURL(target) {
                // The whole address counts for more than Host does (RFC 9112 §3.2.2).
                host = named.authority
                target = named.target
            }
            guard target.hasPrefix("/") else {
                throw Refusal(.badRequest, "The target is neither a path nor an address.")
            }
            guard options.keepsHost else { return HTTPURL(options.origin.origin + target) }
            let scheme = options.origin.origin.prefix { $0 != ":" }
            guard isHost(host), let url = HTTPURL("\(scheme)://\(host)\(target)") else {
                throw Refusal(.badRequest, "The origin is to be told the Host, and there is none.")
            }
            return url
        }
    }
#endif
