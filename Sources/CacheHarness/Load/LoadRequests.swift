internal import CacheCore
internal import Synchronization

/// The requests of a load: those of a trace, over and over.
struct LoadRequests: Sendable {
    let columns: RequestColumns
    /// The size of every value, for a trace without sizes.
    private let valueBytes: Int?
    /// Requests whose number is below this share of 2^32 are removals.
    private let removalsBelow: UInt64
    private let seed: UInt64
    /// Whether a read that misses is followed by a load, and so by a write.
    let loadsMisses: Bool
    /// Whether a read of a value that has another length than it asks for is followed by a write.
    let reweighs: Bool
    private let obeysTrace: Bool

    /// The requests of a trace, which do what it says. Of a trace of reads a share, drawn from the seed, are removals.
    ///
    /// - Parameters:
    ///   - onMiss: What a read does that finds nothing, on a trace that states operations; nil as in replays.
    ///   - reweighs: Whether values whose length changes are written anew, as they are where capacities count bytes.
    init(
        _ columns: RequestColumns, valueBytes: Int?, removeShare: Double = 0, onMiss: ReplayRules.MissedRead? = nil,
        reweighs: Bool = false, seed: UInt64 = 1
    ) {
        obeysTrace = columns.operations != nil
        loadsMisses = columns.fills(ReplayRules(onMiss: onMiss))
        self.reweighs = reweighs && loadsMisses && valueBytes == nil && columns.sizeChanges > 0
        self.columns = columns
        self.valueBytes = valueBytes
        self.seed = seed
        removalsBelow = UInt64(removeShare * 0x1p32)
    }

    /// The same requests as reads alone, by which the harness measures itself.
    var readsAlone: LoadRequests {
        let reads = RequestColumns(
            ids: columns.ids, sizes: columns.sizes, uniformSize: columns.uniformSize, costs: columns.costs,
            sizeChanges: columns.sizeChanges, objects: columns.objects, owner: columns.owner)
        return LoadRequests(reads, valueBytes: valueBytes, seed: seed)
    }
    /// Requests of the trace.
    var traceCount: Int { columns.ids.count }

    /// The place in the trace of a request of the load.
    @inline(__always)
    func place(_ position: Int) -> Int { position < traceCount ? position : position % traceCount }

    /// The size of the value that a request at a place asks for.
    @inline(__always)
    func valueBytes(at place: Int) -> Int { valueBytes ?? columns.sizes?.size(at: place) ?? columns.uniformSize }

    /// What a request of the load does, which is the trace's request at a place.
    @inline(__always)
    func operation(_ position: Int, at place: Int) -> TraceOperation {
        if obeysTrace { return columns.operation(at: place) }
        let isRemoval = removalsBelow > 0 && mix64(seed ^ UInt64(truncatingIfNeeded: position)) >> 32 < removalsBelow
        return isRemoval ? .remove : .read
    }
}

/// Deals out the positions of a load to threads, in order.
final class LoadCursor: Sendable {
    private let next: Atomic<Int>
    private let end: Atomic<Int>
    private let blockCount: Int

    /// How many positions a thread takes at a time in a closed loop: taking them costs nothing then, and threads stay
    /// close to the order of the trace.
    static var blockRequests: Int { 64 }

    /// Deals out `positions`, at most `block` at a time.
    init(_ positions: Range<Int>, block: Int = LoadCursor.blockRequests) {
        next = Atomic(positions.lowerBound)
        end = Atomic(positions.upperBound)
        blockCount = block
    }

    /// The positions that nobody else has; nil when there are no more.
    func nextBlock() -> Range<Int>? {
        let end = end.load(ordering: .relaxed)
        let start = next.wrappingAdd(blockCount, ordering: .relaxed).oldValue
        return start < end ? start..<min(start + blockCount, end) : nil
    }

    /// The first position that nobody has yet.
    var position: Int { min(next.load(ordering: .relaxed), end.load(ordering: .relaxed)) }

    /// Deals out no more.
    func stop() { end.store(0, ordering: .relaxed) }
}

/// What happened to the requests of a load.
struct LoadCounts: Sendable, Hashable {
    /// Reads, writes and removals.
    var requests = 0
    var reads = 0
    /// Reads that were answered with a value.
    var hits = 0
    /// By reads.
    var bytesRequested = 0
    var bytesHit = 0
    var bytesWritten = 0
    /// Objects that were resident and removed on request.
    var removals = 0
    /// Values that were offered.
    var offers = 0
    /// Offers of them that evicted others.
    var evictingOffers = 0
    /// Removals that were asked for.
    var removalCalls = 0
    /// Requests that write.
    var writes = 0

    static func += (total: inout LoadCounts, part: LoadCounts) {
        total.requests += part.requests
        total.reads += part.reads
        total.hits += part.hits
        total.bytesRequested += part.bytesRequested
        total.bytesHit += part.bytesHit
        total.bytesWritten += part.bytesWritten
        total.removals += part.removals
        total.offers += part.offers
        total.evictingOffers += part.evictingOffers
        total.removalCalls += part.removalCalls
        total.writes += part.writes
    }
}
