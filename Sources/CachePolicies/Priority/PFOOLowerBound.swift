public import CacheCore

/// A lower bound on the misses of an optimal cache, with objects of any sizes: no policy can have more hits than this.
///
/// PFOO-L of Berger, Beckmann and Harchol-Balter, "Practical bounds on optimal caching with variable object sizes",
/// SIGMETRICS 2018, who name bounds by misses: it stands above every policy in hit ratio. From one request for an object
/// to the next, a hit takes the object's size for that many requests. The capacity must hold at each moment only on
/// average over the trace; then the cheapest intervals are hits, as many as fit into capacity times requests. For byte
/// hits the intervals go by bytes over cost, the last by a fraction. Valid for caches that may refuse an object, and so
/// for all. Hits and bytes hit are bounds each by itself.
///
/// O(n log n) for n requests; 24 bytes a request, half of that again to sort them, and 8 an object in bytes. Any
/// capacity from 1 on; an object larger than that is never hit. Of sizes that change between requests the smallest so
/// far counts, since a cache may have admitted the object with any of them. Where all sizes are equal
/// `belady:bypass=true` is exact, and this is not.
public enum PFOOLowerBound: OfflineBound {
    /// The bound has no parameters.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "pfoo-l", family: "bound",
            summary: "Fewer misses than any policy can have: the capacity holds only on average.",
            citation: "Berger, Beckmann and Harchol-Balter, SIGMETRICS 2018",
            memory: MemoryCost(
                perObject: 0, perResident: 0, perRequest: 36, perObjectInBytes: 8, perResidentInBytes: 0))
    }

    /// The most hits and the most bytes hit that fit into the cache's space and time. Nil if it was stopped.
    public static func bound(
        _ columns: RequestColumns, _ configuration: PolicyConfiguration, monitor: ReplayMonitor
    ) throws(AssayError) -> ReplayCounts? {
        var counts = columns.countsWithoutHits
        var intervals = ReuseInterval.all(columns, configuration, assuming: .smallest)
        if monitor.isStopping { return nil }
        let volume = UInt128(UInt64(configuration.capacity.amount)) * UInt128(UInt64(max(0, columns.ids.count - 1)))
        intervals.sort { $0.precedes($1, for: .hits) }
        counts.hits = hits(intervals, within: volume)
        if columns.hasOneSize {
            counts.bytesHit = counts.hits * columns.uniformSize
        } else {
            if monitor.isStopping { return nil }
            intervals.sort { $0.precedes($1, for: .bytes) }
            counts.bytesHit = bytes(intervals, within: volume)
        }
        monitor.advance(by: columns.ids.count)
        return counts
    }

    private static func hits(_ intervals: [ReuseInterval], within volume: UInt128) -> Int {
        var left = volume
        for (hits, interval) in intervals.enumerated() {
            let needed = UInt128(interval.volume)
            if needed > left { return hits }
            left -= needed
        }
        return intervals.count
    }

    private static func bytes(_ intervals: [ReuseInterval], within volume: UInt128) -> Int {
        var left = volume
        var bytes = 0
        for interval in intervals {
            let needed = UInt128(interval.volume)
            if needed > left { return bytes + Int(UInt128(UInt64(interval.bytes)) * left / needed) }
            left -= needed
            bytes += interval.bytes
        }
        return bytes
    }
}
