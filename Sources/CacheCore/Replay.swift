internal import Synchronization

/// Shared between a replay and whoever watches it: progress out, a wish to stop in. Read and written between blocks only.
public final class ReplayMonitor: Sendable {
    private let finished = Atomic<Int>(0)
    private let stopping = Atomic<Bool>(false)

    /// A monitor of a replay that has not started.
    public init() {}

    /// Requests replayed so far, over every replay that shares this monitor.
    public var requests: Int { finished.load(ordering: .relaxed) }
    /// Whether the replays should end at their next block.
    public var isStopping: Bool { stopping.load(ordering: .relaxed) }
    /// Asks the replays to end at their next block.
    public func stop() { stopping.store(true, ordering: .relaxed) }
    /// Reports a block of replayed requests.
    public func advance(by requests: Int) { finished.wrappingAdd(requests, ordering: .relaxed) }
}

/// Counts evictions and ignores everything else.
@frozen
public struct CountingSink: EvictionSink {
    /// Evictions so far.
    public var evictions = 0
    /// No evictions yet.
    @inlinable public init() {}
    /// Counts one.
    @inlinable @inline(__always) public mutating func evicted(_ id: ObjectID) { evictions &+= 1 }
    /// Does nothing.
    @inlinable @inline(__always) public mutating func forgotten(_ id: ObjectID) {}
}

/// Requests between two looks at the monitor, and at whether the policy can serve blocks yet: until it can, and where too little of
/// the trace is ahead to be announced, a request takes several times as long.
@usableFromInline let blockRequests = 1 << 12
/// How many requests ahead the policy is told of: far enough to hide a read from memory, near enough to stay cached.
@usableFromInline let prefetchDistance = 48

/// Drives one policy through a whole trace: the one hot loop. O(requests) calls of the policy.
///
/// Specialised for each policy in the module that registers it. The loop owns the policy, so that what a policy changes
/// all the time can live in registers. Returns nil if the monitor asked to stop before the end. The counts are noted where a part
/// ends, which is the end of a block too.
@inlinable
public func replay<Policy: EvictionPolicy & ~Copyable>(
    _ policy: consuming Policy, _ columns: RequestColumns, monitor: ReplayMonitor, parts: ReplayParts = ReplayParts()
) -> ReplayCounts? {
    let sizes = RequestSizes(columns)
    var counts = ReplayCounts()
    var sink = CountingSink()
    let count = columns.ids.count
    while counts.requests < count {
        if monitor.isStopping { return nil }
        if policy.isFrozen {
            counts.evictions = sink.evictions
            return frozenRest(policy, columns, sizes, counts, monitor, parts)
        }
        if policy.canServeBlock {
            counts.evictions = sink.evictions
            return exchangeRest(policy, columns, sizes, counts, monitor, parts)
        }
        let start = counts.requests
        let stop = parts.nextEnd(before: count)
        let end = min(start &+ blockRequests, stop)
        replayBlock(&policy, columns, sizes, start, end, lookahead(end, count), &counts, &sink)
        counts.requests = end
        monitor.advance(by: end &- start)
        if end == stop, end < count {
            counts.evictions = sink.evictions
            parts.note(completed(counts, policy))
        }
    }
    counts.evictions = sink.evictions
    return completed(counts, policy)
}

/// How far ahead the policy may be told of requests in a block: the last one has too little ahead of it and goes without.
@inlinable @inline(__always)
func lookahead(_ end: Int, _ count: Int) -> Int {
    end &+ ObjectBlock.distance &* prefetchDistance <= count ? prefetchDistance : 0
}

/// The counts with what the policy knows.
@inlinable @inline(__always)
func completed<Policy: EvictionPolicy & ~Copyable>(_ counts: ReplayCounts, _ policy: borrowing Policy) -> ReplayCounts {
    var counts = counts
    counts.residentObjects = policy.residentCount
    counts.residentWeight = policy.residentWeight
    policy.report(into: &counts)
    return counts
}

/// The requests `start..<end` of a trace, whatever the policy does with them.
@inlinable @inline(__always)
func replayBlock<Policy: EvictionPolicy & ~Copyable>(
    _ policy: inout Policy, _ columns: RequestColumns, _ sizes: RequestSizes, _ start: Int, _ end: Int, _ ahead: Int,
    _ counts: inout ReplayCounts, _ sink: inout CountingSink
) {
    let ids = columns.ids
    var position = start
    while position < end {
        policy.prefetch(ids[position &+ ahead])
        policy.prefetchEntry(ids[position &+ ahead / 2])
        policy.prefetchNeighbours(ids[position &+ ahead / 4])
        let size = sizes.size(at: position)
        var request = Request(id: ids[position], size: size, index: position)
        if Policy.needsFuture, let next = columns.next {
            let following = next[position]
            request.nextIndex = following == .max ? Request.never : Int(following)
        }
        if Policy.needsCost, let costs = columns.costs { request.cost = costs[position] }
        if Policy.needsTime, let times = columns.times { request.timeNanoseconds = times[position] }
        if Policy.needsTime, let timesToLive = columns.timesToLive {
            request.timeToLiveNanoseconds = timesToLive[position]
        }
        counts.bytesRequested &+= size
        if policy.touch(request) {
            counts.hits &+= 1
            counts.bytesHit &+= size
        } else if policy.insert(request, evicting: &sink) {
            counts.bytesWritten &+= size
        }
        position &+= 1
    }
}

/// The rest of a trace once each miss exchanges one object for another; where it does not for a while, request by request.
///
/// A function of its own, so that its loop has the registers to itself.
@inlinable @inline(never)
func exchangeRest<Policy: EvictionPolicy & ~Copyable>(
    _ policy: consuming Policy, _ columns: RequestColumns, _ sizes: RequestSizes, _ before: ReplayCounts,
    _ monitor: ReplayMonitor, _ parts: ReplayParts
) -> ReplayCounts? {
    var counts = before
    let count = columns.ids.count
    while counts.requests < count {
        if monitor.isStopping { return nil }
        let start = counts.requests
        let stop = parts.nextEnd(before: count)
        var end = min(start &+ blockRequests, stop)
        let ahead = lookahead(end, count)
        end = exchangeBlock(&policy, columns, sizes, start, end, ahead, &counts)
        if end == start {
            end = min(start &+ ObjectBlock.limit, stop)
            replayShort(&policy, columns, sizes, start, end, lookahead(end, count), &counts)
        }
        counts.requests = end
        monitor.advance(by: end &- start)
        if end == stop, end < count { parts.note(completed(counts, policy)) }
    }
    return completed(counts, policy)
}

/// A few requests that the policy cannot serve as a block.
@inlinable @inline(never)
func replayShort<Policy: EvictionPolicy & ~Copyable>(
    _ policy: inout Policy, _ columns: RequestColumns, _ sizes: RequestSizes, _ start: Int, _ end: Int, _ ahead: Int,
    _ counts: inout ReplayCounts
) {
    var sink = CountingSink()
    replayBlock(&policy, columns, sizes, start, end, ahead, &counts, &sink)
    counts.evictions &+= sink.evictions
}

/// The requests `start..<end` of a trace while each miss exchanges one object for another, and where the first is that does
/// not, `end` if they all do.
@inlinable @inline(__always)
func exchangeBlock<Policy: EvictionPolicy & ~Copyable>(
    _ policy: inout Policy, _ columns: RequestColumns, _ sizes: RequestSizes, _ start: Int, _ end: Int, _ ahead: Int,
    _ counts: inout ReplayCounts
) -> Int {
    var (missed, bytesRequested, bytesMissed) = (0, 0, 0)
    let residents = policy.residentCount
    var position = start
    while position < end, policy.canServeBlock {
        let ids = columns.ids.baseAddress.unsafelyUnwrapped + position
        let block = ObjectBlock(ids: ids, count: min(end &- position, ObjectBlock.limit), ahead: ahead)
        var misses = policy.serveBlock(block)
        missed &+= misses.nonzeroBitCount
        if !sizes.isUniform {
            for request in 0..<block.count { bytesRequested &+= sizes.size(at: position &+ request) }
            while misses != 0 {
                bytesMissed &+= sizes.size(at: position &+ block.count &- 1 &- misses.trailingZeroBitCount)
                misses &= misses &- 1
            }
        }
        position &+= block.count
    }
    if sizes.isUniform {
        bytesRequested = (position &- start) &* sizes.size(at: start)
        bytesMissed = missed &* sizes.size(at: start)
    }
    counts.hits &+= (position &- start) &- missed
    counts.evictions &+= missed &- (policy.residentCount &- residents)
    counts.bytesRequested &+= bytesRequested
    counts.bytesHit &+= bytesRequested &- bytesMissed
    counts.bytesWritten &+= bytesMissed
    return position
}
