internal import CacheCore

/// A stretch of the trace from one request for an object to the next: the next is a hit if the object stays meanwhile.
struct ReuseInterval: BitwiseCopyable {
    /// The position of the request that it starts with.
    var start: UInt32
    /// The position of the next request for the same object.
    var end: UInt32
    /// What the object weighs meanwhile, in the capacity's unit.
    var weight: Int
    /// The bytes that the hit would serve.
    var bytes: Int

    /// The space that a hit takes, times the requests for which it takes it; saturated.
    var volume: UInt64 {
        let (product, overflows) = UInt64(weight).multipliedReportingOverflow(by: UInt64(end - start))
        return overflows ? .max : product
    }

    /// Which size an object counts with while it stays, if its requests state several: it was admitted by any of those
    /// so far.
    enum Assumption {
        /// The smallest: no cache can do better.
        case smallest
        /// The largest: there is always room for it.
        case largest
    }

    /// What is to be as great as possible.
    enum Goal {
        /// The number of hits.
        case hits
        /// Their bytes.
        case bytes
    }

    /// Every interval that may be a hit, in the order of the trace. O(requests).
    static func all(
        _ columns: RequestColumns, _ configuration: PolicyConfiguration, assuming assumption: Assumption
    ) -> [ReuseInterval] {
        guard let next = columns.next else { preconditionFailure("a bound needs the future") }
        let capacity = configuration.capacity.amount
        let isUnit = configuration.capacity.unit == .objects
        var weights = [Int](repeating: -1, count: isUnit || columns.sizes == nil ? 0 : columns.objects.count)
        var intervals: [ReuseInterval] = []
        intervals.reserveCapacity(next.count(where: { $0 != .max }))
        for (position, id) in columns.ids.enumerated() {
            var weight = isUnit ? 1 : columns.size(at: position)
            if !weights.isEmpty {
                let known = weights[Int(id)]
                if known >= 0 { weight = assumption == .smallest ? min(weight, known) : max(weight, known) }
                weights[Int(id)] = weight
            }
            let end = next[position]
            guard end != .max, weight <= capacity else { continue }
            intervals.append(
                ReuseInterval(
                    start: UInt32(position), end: end, weight: weight, bytes: columns.size(at: Int(end))))
        }
        return intervals
    }

    /// Whether this interval brings more for its volume than another; of equals, whether it starts earlier.
    func precedes(_ other: ReuseInterval, for goal: Goal) -> Bool {
        let (own, others) = (volume, other.volume)
        switch goal {
        case .hits:
            return own == others ? start < other.start : own < others
        case .bytes:
            // What costs nothing first, or 0 bytes for a volume of 0 would equal everything.
            guard own > 0, others > 0 else { return own == others ? start < other.start : own == 0 }
            // Bytes over volume, compared without division.
            let (first, second) = (
                UInt128(UInt64(bytes)) * UInt128(others), UInt128(UInt64(other.bytes)) * UInt128(own)
            )
            return first == second ? start < other.start : first > second
        }
    }
}

extension RequestColumns {
    /// The size of the request at a position.
    func size(at position: Int) -> Int { sizes?.size(at: position) ?? uniformSize }

    /// The counts of a replay that has not hit anything.
    var countsWithoutHits: ReplayCounts {
        var counts = ReplayCounts()
        counts.requests = ids.count
        counts.bytesRequested =
            sizes.map { sizes in ids.indices.reduce(0) { $0 + sizes.size(at: $1) } } ?? ids.count * uniformSize
        return counts
    }

    /// Whether a hit is a hit of always the same bytes, so that both goals are one.
    var hasOneSize: Bool { sizes == nil }
}
