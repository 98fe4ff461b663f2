/// A replay that goes request by request and does with each what a live cache does: a read asks, a write puts, a delete removes,
/// and a resident whose size changes enters anew.
///
/// Slower than ``PolicyEntry/simulate(_:_:monitor:parts:)`` on traces of reads, which takes this way only where it has to. What the policy
/// is told, and in which order, is what `CacheEngine` tells it:
/// - a read of what is not resident is not told; the fill that may follow is a touch and an insertion;
/// - a write of a resident that keeps its weight is a touch; of one whose weight changes, a removal, a touch and an insertion;
/// - what can never fit is refused, and what the cache had of it removed, without a touch;
/// - a delete of what is not resident is not told.
///
/// The policy's logical clock counts what it is told, unless it knows the future, which is in positions.
///
/// With a prefetcher, what it names is inserted after each request as a miss would be, without being asked of an admission policy. Before
/// a victim leaves it may be kept: it then enters anew before the newcomer, or after it where the policy cannot tell its victims beforehand or
/// something filters newcomers.
///
/// Memory over the policy's: 1 byte an object of the trace, and 8 more where weights may change.
public final class SteppedReplay {
    let policy: AnyEvictionPolicy
    private let columns: RequestColumns
    let capacity: Capacity
    private let fills: Bool
    private let countsWrites: Bool
    private let countsCosts: Bool
    /// Whether residents take new weights; only where capacities count bytes.
    private let reweighs: Bool
    /// Whether the policy is told at a hit what the object weighs, rather than what the read states.
    private let tellsWeights: Bool
    /// Whether a live cache is followed in what the policy is told, rather than the loop for traces of reads.
    private let obeys: Bool
    private let keepsPositions: Bool
    let isUnbounded: Bool
    /// Whether the cache takes an object for resident: until the policy has told otherwise.
    let held: FixedBuffer<Bool>
    /// What each held object weighs; empty where ``tellsWeights`` is false.
    let weights: FixedBuffer<Int>
    var victims = VictimList()
    private var tick = 0
    /// What was touched and found gone, until it is inserted: the read and the write that follows are one request to the policy.
    private var lostAtTouch = ObjectID.max
    var sums = ReplayCounts()
    let prefetching: PrefetchStage?
    /// Since the warm-up.
    private var costs = (requested: 0.0, missed: 0.0)
    private let parts: ReplayParts
    private let tenants: UnsafeBufferPointer<UInt16>?

    /// Whether a trace needs this way: for its operations, for sizes that change weights, for costs that are to be counted, or for a
    /// front or a prefetcher, which would be compiled into the loop of every policy.
    static func isNeeded(_ columns: RequestColumns, _ configuration: PolicyConfiguration) -> Bool {
        columns.operations != nil || configuration.isFronted || reweighs(columns, configuration)
            || configuration.prefetcher != nil || (configuration.countsCosts && columns.costs != nil)
    }

    private static func reweighs(_ columns: RequestColumns, _ configuration: PolicyConfiguration) -> Bool {
        columns.sizeChanges > 0 && configuration.capacity.unit == .bytes
            && configuration.rules.resizing(configuration.parameters.description) == .reweigh
    }

    /// A replay through a new cache that has not begun. A policy that knows the future needs `columns.next`.
    ///
    /// - Parameter parts: The parts that are counted apart, not used before; tenants among them only if the trace states them.
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity, and for operations
    ///   that the policy cannot obey.
    public init(
        _ entry: PolicyEntry, _ columns: RequestColumns, _ configuration: PolicyConfiguration,
        _ parts: ReplayParts = ReplayParts()
    ) throws(AssayError) {
        try entry.requireReplayable(columns, configuration)
        var configuration = configuration
        PrefetchStage.prepare(&configuration, columns)
        configuration.statesCosts = configuration.isFronted || columns.costs != nil
        configuration.statesTimes = columns.times?.contains { $0 != 0 } == true
        policy = try entry.open(configuration)
        let weighs = configuration.capacity.unit == .bytes
        let objects = configuration.objects.count
        let prefetcher = try configuration.prefetcher?.open(configuration)
        prefetching = prefetcher.map { PrefetchStage($0, objects: objects, weighs: weighs) }
        self.columns = columns
        self.parts = parts
        tenants = parts.tenants.isEmpty ? nil : columns.tenants
        capacity = configuration.capacity
        let rules = configuration.rules
        fills = columns.fills(rules)
        countsWrites = rules.counted == .all
        countsCosts = configuration.countsCosts && columns.costs != nil
        reweighs = Self.reweighs(columns, configuration)
        tellsWeights = reweighs || ((!fills || prefetching != nil) && weighs)
        obeys = columns.operations != nil || reweighs
        // What is fetched is told in a moment of its own.
        keepsPositions =
            (!obeys && prefetching == nil) || entry.needsFuture || configuration.admission?.entry.needsFuture == true
        isUnbounded = entry.descriptor.isUnbounded
        held = FixedBuffer(repeating: false, count: objects)
        weights = FixedBuffer(repeating: 0, count: tellsWeights ? objects : 0)
    }

    /// The counts so far, with what the policy knows. Costs are those since the warm-up.
    public var counts: ReplayCounts {
        var counts = sums
        counts.residentObjects = policy.residentCount
        counts.residentWeight = policy.residentWeight
        if countsCosts { (counts.costRequested, counts.costMissed) = costs }
        (counts.prefetched, counts.prefetchHits) = (prefetching?.fetches, prefetching?.hits)
        policy.report(into: &counts)
        return counts
    }

    /// The counted requests so far that were hits.
    public var hits: Int { sums.hits }

    /// Replays the requests at some positions. Returns false if the monitor asked to stop before the end.
    ///
    /// - Throws: The policy's failure, if it has one.
    public func run(_ positions: Range<Int>, _ monitor: ReplayMonitor) throws(AssayError) -> Bool {
        var start = positions.lowerBound
        while start < positions.upperBound {
            if monitor.isStopping { return false }
            let stop = parts.nextEnd(before: positions.upperBound)
            let end = min(start + blockRequests, stop)
            for position in start..<end { step(position) }
            if let failure = policy.failure { throw failure }
            monitor.advance(by: end - start)
            start = end
            if end == parts.warmUpRequests { costs = (0, 0) }
            if end == stop, end < positions.upperBound { parts.note(counts) }
        }
        return true
    }

    private func step(_ position: Int) {
        let request = columns.request(at: position)
        policy.expireBody?(request.timeNanoseconds) { held[$0] = false }
        switch columns.operation(at: position) {
        case .read:
            let isHit = get(request)
            prefetching?.record(request, isHit: isHit)
            count(request, isHit)
            if !isHit {
                if fills { _ = put(request) }
            } else if reweighs, fills, weights[request.id] != request.size {
                _ = put(request)
            }
            if let prefetching { fetch(prefetching, after: request) }
        case .write:
            sums.writes += 1
            let isHit = put(request)
            if countsWrites { count(request, isHit) }
        case .remove:
            sums.deletes += 1
            remove(request.id)
        }
    }

    private func count(_ request: Request, _ isHit: Bool) {
        sums.requests += 1
        sums.bytesRequested &+= request.size
        if isHit {
            sums.hits += 1
            sums.bytesHit &+= request.size
        }
        if let tenants, request.index >= parts.warmUpRequests {
            parts.tenants[Int(tenants[request.index])].count(size: request.size, isHit: isHit)
        }
        guard countsCosts else { return }
        costs.requested += request.cost
        if !isHit { costs.missed += request.cost }
    }

    private func get(_ request: Request) -> Bool {
        guard held[request.id] else { return false }
        var request = request
        if tellsWeights { request.size = weights[request.id] }
        return touch(&request)
    }

    /// Tells the policy of a request for what is held; false if it has let it go at an earlier one.
    private func touch(_ request: inout Request) -> Bool {
        stamp(&request)
        if policy.touch(request) { return true }
        held[request.id] = false
        lostAtTouch = request.id
        return false
    }

    private func stamp(_ request: inout Request) {
        if !keepsPositions { request.index = tick }
        tick &+= 1
    }

    /// Stores an object if it may enter; returns whether it was resident before.
    private func put(_ request: Request) -> Bool {
        var request = request
        let id = request.id
        let changes = held[id] && reweighs && weights[id] != request.size
        if obeys, !isUnbounded, (capacity.unit == .objects ? 1 : request.size) > capacity.amount {
            let wasResident = held[id] && policy.contains(id)
            if changes { sums.resized += 1 }
            held[id] = false
            policy.remove(id)
            return wasResident
        }
        var wasResident = false
        if held[id], !changes {
            wasResident = touch(&request)
            if wasResident {
                policy.renew(request)
                sums.bytesWritten &+= request.size
                return true
            }
        } else if changes {
            wasResident = policy.contains(id)
            sums.resized += 1
            held[id] = false
            policy.remove(id)
        }
        insert(&request)
        return wasResident
    }

    /// Offers what is not resident; returns whether it is then.
    @discardableResult
    func insert(_ request: inout Request) -> Bool {
        if let prefetching { makeRoom(prefetching, for: request) }
        if lostAtTouch == request.id {
            lostAtTouch = .max
            if !keepsPositions { request.index = tick &- 1 }
        } else {
            stamp(&request)
            _ = policy.touch(request)
        }
        let isStored = policy.insert(request, evicting: &victims)
        sums.evictions += victims.evicted.count
        for id in victims.evicted { held[id] = false }
        held[request.id] = isStored
        if isStored {
            sums.bytesWritten &+= request.size
            if tellsWeights { weights[request.id] = request.size }
        }
        if let prefetching { letGo(prefetching, for: request) }
        victims.clear()
        return isStored
    }

    /// Lets a resident object enter anew, at its own cost in room; what has to leave for it is appended to the victims.
    func reenter(_ id: ObjectID, like request: Request) {
        var again = request
        again.id = id
        again.size = tellsWeights ? weights[id] : request.size
        stamp(&again)
        _ = policy.touch(again)
        held[id] = policy.insert(again, evicting: &victims)
    }

    private func remove(_ id: ObjectID) {
        guard held[id] else { return }
        held[id] = false
        // A policy that has let it go keeps its ghost, as in a live cache.
        if policy.contains(id) { policy.remove(id) }
    }
}
