public import CacheCore

/// An upper bound on the misses of an optimal cache, with objects of any sizes: a cache that knows the future and may
/// refuse an object can have at least these hits.
///
/// PFOO-U of Berger, Beckmann and Harchol-Balter, "Practical bounds on optimal caching with variable object sizes",
/// SIGMETRICS 2018, who name bounds by misses: it stands at or below the optimum in hit ratio, like every policy.
/// Like theirs it settles the intervals from one request for an object to the next a segment
/// at a time, cheapest first, and keeps account of the space that is taken at each moment, so that what it settles is a
/// schedule. Their segments are half a million intervals, each solved as a flow and rounded; these are single intervals,
/// which are hits if there is room from end to end: a looser bound, without a solver, in O(n log n). For byte hits a
/// second schedule goes by bytes over cost. Hits and bytes hit are each the better of the two.
///
/// 24 bytes a request, half of that again to sort them, and 16 to 32 more for the account; 8 an object in bytes. Any
/// capacity from 1 on; an object larger than that is never hit. Of sizes that change between requests the largest so far
/// counts, which is room enough for whichever the object was admitted with. Where all sizes are equal
/// `belady:bypass=true` is exact, and this is not.
public enum PFOOUpperBound: OfflineBound {
    /// Intervals between two looks at the monitor.
    private static let block = 1 << 16

    /// The bound has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "pfoo-u", family: "bound",
            summary: "No fewer misses than an optimal cache that may refuse objects: a schedule that fits.",
            citation: "Berger, Beckmann and Harchol-Balter, SIGMETRICS 2018",
            memory: MemoryCost(
                perObject: 0, perResident: 0, perRequest: 68, perObjectInBytes: 8, perResidentInBytes: 0))
    }

    /// The hits and the bytes hit of schedules that fit. Nil if it was stopped.
    public static func bound(
        _ columns: RequestColumns, _ configuration: PolicyConfiguration, monitor: ReplayMonitor
    ) throws(AssayError) -> ReplayCounts? {
        var counts = columns.countsWithoutHits
        var intervals = ReuseInterval.all(columns, configuration, assuming: .largest)
        for goal in columns.hasOneSize ? [ReuseInterval.Goal.hits] : [.hits, .bytes] {
            if monitor.isStopping { return nil }
            intervals.sort { $0.precedes($1, for: goal) }
            var occupancy = Occupancy(moments: columns.ids.count, capacity: configuration.capacity.amount)
            var (hits, bytes) = (0, 0)
            for (number, interval) in intervals.enumerated() {
                if number % block == 0, monitor.isStopping { return nil }
                guard occupancy.reserve(interval.weight, from: Int(interval.start), to: Int(interval.end)) else {
                    continue
                }
                hits += 1
                bytes += interval.bytes
            }
            counts.hits = max(counts.hits, hits)
            counts.bytesHit = max(counts.bytesHit, bytes)
        }
        monitor.advance(by: columns.ids.count)
        return counts
    }
}
