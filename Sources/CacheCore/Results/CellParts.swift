/// The requests of a trace that fill a cache before its hits are counted.
public struct CellWarmUp: Codable, Sendable, Hashable {
    /// As it was asked for, such as `500`, `10%` or `1h`.
    public var requested: String
    /// How many requests of the trace it is, whatever they do.
    public var requests: Int

    /// A warm-up.
    public init(requested: String, requests: Int) {
        self.requested = requested
        self.requests = requests
    }

    /// ` after 500 requests`.
    var text: String { " after \(requests) requests" }
}

/// What a stretch of a trace asked for and what hit.
public struct ReplayWindow: Codable, Sendable, Hashable {
    /// The position of its first request in the trace, from 0.
    public var first: Int
    /// When it begins, in seconds after the first request of the trace; nil if the trace states no times.
    public var startSeconds: Double?
    /// What its requests did.
    public var counts: PartCounts

    /// A window.
    public init(first: Int, startSeconds: Double? = nil, counts: PartCounts) {
        self.first = first
        self.startSeconds = startSeconds
        self.counts = counts
    }
}

/// What the requests of one tenant did, or those of all tenants that have no entry of their own.
public struct TenantCounts: Codable, Sendable, Hashable {
    /// The tenant's name in the trace; empty for the others together.
    public var tenant: String
    /// How many tenants these are; nil for one.
    public var others: Int?
    /// What their requests did.
    public var counts: PartCounts

    /// A tenant, or the others.
    public init(tenant: String, others: Int? = nil, counts: PartCounts) {
        self.tenant = tenant
        self.others = others
        self.counts = counts
    }
}
