internal import CacheCore

/// Turns the lines of web servers' logs into requests: the key, the operation, the size and who asks.
struct WebLog: Sendable {
    static let parameters =
        [
            ParameterSpecification(
                "key", .choice(default: "url", ["url", "host-url", "path"]),
                "What an object is: the URL as logged, with its query; the host and the URL; or the URL without its query."
            ),
            ParameterSpecification(
                "tenant", .choice(default: "none", ["none", "host", "client", "user"]),
                "Who a request is of: the host that was asked, the client's address, or the user who logged in."),
        ] + WebRules.parameters

    private enum KeyKind { case url, hostURL, path }
    private enum TenantKind { case host, client, user }

    private let key: KeyKind
    private let tenant: TenantKind?
    private var rules: WebRules
    private var scratch: [UInt8] = []
    /// The host of the first request, and whether another one came; as long as the key leaves hosts out.
    private var firstHost: [UInt8]?
    private var hasHosts = false

    init(_ parameters: ParameterValues, format: String) throws(AssayError) {
        key = ["host-url": .hostURL, "path": .path][parameters.text("key")] ?? .url
        tenant = ["host": .host, "client": .client, "user": .user][parameters.text("tenant")]
        rules = try WebRules(parameters, format: format)
    }

    /// What a line says of a request.
    struct Request {
        var answer: WebRules.Answer
        /// The path with its query, or a whole URL.
        var url: UnsafeRawBufferPointer
        /// The query, where the log has it by itself; without the question mark.
        var query: UnsafeRawBufferPointer?
        /// Whether backslashes in the URL escape bytes.
        var isEscaped = false
        var timeNanoseconds: Int64?
        var host: UnsafeRawBufferPointer?
        var client: UnsafeRawBufferPointer?
        var user: UnsafeRawBufferPointer?
    }

    /// Appends a request, unless the line is one to pass over.
    ///
    /// - Throws: `LineFault` if the line lacks what the key or the tenant is made of.
    mutating func append(_ request: Request, to requests: inout LineRequests) throws(LineFault) {
        let url = WebURL(request.url)
        let host = request.host ?? url.host
        if key != .hostURL, !hasHosts, let host { note(host: host, isInKey: key == .url && url.host != nil, &requests) }
        var tenantName: UnsafeRawBufferPointer?
        if let tenant {
            let named: (UnsafeRawBufferPointer?, String) =
                switch tenant {
                case .host: (host, "host")
                case .client: (request.client, "client")
                case .user: (request.user, "user")
                }
            guard let name = named.0 else {
                throw LineFault(expected: "a \(named.1), which tenant=\(named.1) asks for and the log does not have")
            }
            tenantName = name
        }
        if key == .url, request.query == nil, !request.isEscaped || !request.url.contains(0x5c) {
            return send(request.url, request, tenantName, &requests)
        }
        scratch.removeAll(keepingCapacity: true)
        if key == .hostURL, url.host == nil {
            guard let host else {
                throw LineFault(expected: "a host, which key=host-url asks for and the log does not have")
            }
            scratch.append(contentsOf: host)
        }
        let text = key == .path ? url.path : request.url
        if request.isEscaped { EscapedText.append(text, to: &scratch) } else { scratch.append(contentsOf: text) }
        if key != .path, let query = request.query {
            scratch.append(0x3f)
            scratch.append(contentsOf: query)
        }
        let bytes = scratch
        bytes.withUnsafeBytes { send($0, request, tenantName, &requests) }
    }

    /// Tells that URLs of several hosts count as the same objects, if they do.
    private mutating func note(host: UnsafeRawBufferPointer, isInKey: Bool, _ requests: inout LineRequests) {
        guard !isInKey else { return }
        if let firstHost {
            guard !firstHost.elementsEqual(host) else { return }
            hasHosts = true
            requests.note(
                "The log has several hosts, and their URLs count as the same objects. key=host-url tells them apart.")
        } else {
            firstHost = Array(host)
        }
    }

    private mutating func send(
        _ key: UnsafeRawBufferPointer, _ request: Request, _ tenant: UnsafeRawBufferPointer?,
        _ requests: inout LineRequests
    ) {
        guard var attributes = rules.attributes(request.answer, key: key, &requests) else { return }
        attributes.timeNanoseconds = request.timeNanoseconds
        requests.append(key, attributes, tenant: tenant)
    }
}

/// The parts of a URL: a whole one, or a path with its query.
struct WebURL {
    /// The host with its port; nil for a path alone.
    let host: UnsafeRawBufferPointer?
    /// The path without the query.
    let path: UnsafeRawBufferPointer

    init(_ url: UnsafeRawBufferPointer) {
        var rest = url[...]
        var host: UnsafeRawBufferPointer?
        if url.first != 0x2f, let colon = url.firstIndex(of: 0x3a), colon + 2 < url.count, url[colon + 1] == 0x2f,
            url[colon + 2] == 0x2f
        {
            let authority = url[(colon + 3)...].prefix { $0 != 0x2f && $0 != 0x3f }
            host = UnsafeRawBufferPointer(rebasing: authority)
            rest = url[authority.endIndex...]
        }
        self.host = host
        path = UnsafeRawBufferPointer(rebasing: rest.prefix { $0 != 0x3f })
    }
}
