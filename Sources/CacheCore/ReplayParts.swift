/// Counts of requests that belong together: those of a window of a trace, or of a tenant.
public struct PartCounts: Codable, Sendable, Hashable {
    /// Requests that the ratios are of.
    public var requests = 0
    /// Requests of these whose object was resident.
    public var hits = 0
    /// The sum of the requests' sizes, in bytes.
    public var bytesRequested = 0
    /// The sum of the hits' sizes, in bytes.
    public var bytesHit = 0

    /// No requests.
    public init() {}

    /// What a replay has counted from one moment to another.
    public init(from earlier: ReplayCounts, to later: ReplayCounts) {
        requests = later.requests - earlier.requests
        hits = later.hits - earlier.hits
        bytesRequested = later.bytesRequested - earlier.bytesRequested
        bytesHit = later.bytesHit - earlier.bytesHit
    }

    /// Adds one request.
    public mutating func count(size: Int, isHit: Bool) {
        requests += 1
        bytesRequested &+= size
        guard isHit else { return }
        hits += 1
        bytesHit &+= size
    }

    /// Adds other requests.
    public static func += (sum: inout PartCounts, part: PartCounts) {
        sum.requests += part.requests
        sum.hits += part.hits
        sum.bytesRequested &+= part.bytesRequested
        sum.bytesHit &+= part.bytesHit
    }

    /// Hits over requests; nil for no requests.
    public var hitRatio: Double? { requests == 0 ? nil : Double(hits) / Double(requests) }
    /// Bytes hit over bytes requested; nil for no bytes.
    public var byteHitRatio: Double? { bytesRequested == 0 ? nil : Double(bytesHit) / Double(bytesRequested) }
}

/// The parts of a trace that one replay counts apart, and the counts that it found: a warm-up, windows, tenants.
///
/// A replay notes its counts where a part ends and goes on, so that parts cost nothing between their ends.
public final class ReplayParts {
    /// How many requests come before the counted ones.
    public let warmUpRequests: Int
    /// The positions before which the counts are noted, ascending, each once, above 0.
    private let ends: [Int]
    private var noted: [ReplayCounts] = []
    /// What each tenant's requests did after the warm-up, by number; empty where tenants are not told apart.
    public internal(set) var tenants: [PartCounts]

    /// Parts of a trace; by default none.
    ///
    /// - Parameters:
    ///   - warmUpRequests: Requests before the counted ones, of whatever operation.
    ///   - ends: Positions where other parts end, in any order.
    ///   - tenants: How many tenants are told apart, for which the trace must state them; 0 for none.
    public init(warmUpRequests: Int = 0, ends: [Int] = [], tenants: Int = 0) {
        self.warmUpRequests = max(0, warmUpRequests)
        self.ends = Set(ends + [warmUpRequests]).filter { $0 > 0 }.sorted()
        self.tenants = Array(repeating: PartCounts(), count: tenants)
    }

    /// Whether nothing is told apart.
    var isWhole: Bool { ends.isEmpty && tenants.isEmpty }

    /// The position before which the counts are to be noted next; `count` if there is none before it.
    public func nextEnd(before count: Int) -> Int {
        noted.count < ends.count ? min(ends[noted.count], count) : count
    }

    /// Notes the counts so far, at the position that ``nextEnd(before:)`` told.
    public func note(_ counts: ReplayCounts) { noted.append(counts) }

    /// What was counted before a position: one where a part ends, 0, or the end of the trace.
    public func counts(before position: Int, _ whole: ReplayCounts) -> ReplayCounts {
        guard position > 0 else { return ReplayCounts() }
        var (low, high) = (0, noted.count)
        while low < high {
            let middle = (low + high) / 2
            if ends[middle] < position { low = middle + 1 } else { high = middle }
        }
        return low < noted.count ? noted[low] : whole
    }

    /// What was counted after the warm-up, of a replay that counted `whole` in all. Residents are those at the end; costs are
    /// counted after the warm-up alone (``SteppedReplay``).
    public func counted(_ whole: ReplayCounts) -> ReplayCounts {
        let before = counts(before: warmUpRequests, whole)
        var counts = whole
        counts.requests -= before.requests
        counts.hits -= before.hits
        counts.bytesRequested &-= before.bytesRequested
        counts.bytesHit &-= before.bytesHit
        counts.bytesWritten &-= before.bytesWritten
        counts.countedEvictions? -= before.evictions
        counts.expirations -= before.expirations
        counts.refusals -= before.refusals
        counts.prefetched? -= before.prefetched ?? 0
        counts.prefetchHits? -= before.prefetchHits ?? 0
        counts.writes -= before.writes
        counts.deletes -= before.deletes
        counts.resized -= before.resized
        return counts
    }
}
