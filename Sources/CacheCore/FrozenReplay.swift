/// The rest of a trace once nothing changes any more: a request hits if its object has a bit.
///
/// O(1) a request and O(objects) before; an eighth of a byte an object besides the policy, most of which is near where a
/// policy's own index would not be.
@inlinable @inline(never)
func frozenRest<Policy: EvictionPolicy & ~Copyable>(
    _ policy: borrowing Policy, _ columns: RequestColumns, _ sizes: RequestSizes, _ before: ReplayCounts,
    _ monitor: ReplayMonitor, _ parts: ReplayParts
) -> ReplayCounts? {
    var counts = before
    let residents = residentBits(policy, columns.objects)
    let count = columns.ids.count
    while counts.requests < count {
        if monitor.isStopping { return nil }
        let start = counts.requests
        let stop = parts.nextEnd(before: count)
        let end = min(start &+ blockRequests, stop)
        countFrozen(residents, columns.ids, sizes, start, end, &counts)
        counts.requests = end
        monitor.advance(by: end &- start)
        if end == stop, end < count { parts.note(completed(counts, policy)) }
    }
    return completed(counts, policy)
}

/// A bit for each id, set for what is resident.
@inlinable
func residentBits<Policy: EvictionPolicy & ~Copyable>(
    _ policy: borrowing Policy, _ objects: ObjectSpace
) -> FixedBuffer<UInt64> {
    let bits = FixedBuffer<UInt64>(repeating: 0, count: objects.count >> 6 + 1)
    for id in 0..<ObjectID(objects.count) where policy.contains(id) { bits[id >> 6] |= 1 &<< UInt64(id & 63) }
    return bits
}

/// Counts the requests `start..<end` of a trace while nothing changes. Without a branch, because a hit is the toss of a coin.
@inlinable @inline(__always)
func countFrozen(
    _ residents: borrowing FixedBuffer<UInt64>, _ ids: UnsafeBufferPointer<ObjectID>, _ sizes: RequestSizes,
    _ start: Int, _ end: Int, _ counts: inout ReplayCounts
) {
    var (hits, bytesRequested, bytesHit) = (0, 0, 0)
    func hit(_ position: Int) -> Int {
        Int(truncatingIfNeeded: residents[ids[position] >> 6] &>> UInt64(ids[position] & 63) & 1)
    }
    if sizes.isUniform {
        for position in start..<end { hits &+= hit(position) }
        bytesRequested = (end &- start) &* sizes.size(at: start)
        bytesHit = hits &* sizes.size(at: start)
    } else {
        for position in start..<end {
            let (hit, size) = (hit(position), sizes.size(at: position))
            hits &+= hit
            bytesRequested &+= size
            bytesHit &+= size & (0 &- hit)
        }
    }
    counts.hits &+= hits
    counts.bytesRequested &+= bytesRequested
    counts.bytesHit &+= bytesHit
}
