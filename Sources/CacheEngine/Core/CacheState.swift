public import CacheCore

/// A cache without its lock: the entries, the policy that chooses among them, and what is due when.
///
/// Everything here is called by one thread at a time. What leaves is collected in ``leaving`` and dealt with when the lock
/// has been given back, because values may do anything when they end and listeners may do anything at all.
@usableFromInline
struct CacheState<Key: Hashable & Sendable, Value: Sendable>: ~Copyable {
    @usableFromInline let settings: CacheSettings<Key, Value>
    @usableFromInline var table: EntryTable<Key, Value>
    @usableFromInline var policy: AnyEvictionPolicy
    @usableFromInline var capacity: Int
    /// What the entries weigh, `.max` for those that ``heavyWeights`` knows; nil where each weighs 1.
    @usableFromInline var weights: UnsafeMutablePointer<UInt32>?
    /// The weights of 2^32 - 1 or more: four bytes an entry for these few would be four for all.
    @usableFromInline var heavyWeights: [ObjectID: Int] = [:]
    /// When the entries expire, `.max` for never; nil until the first that does.
    @usableFromInline var deadlines: UnsafeMutablePointer<Int64>?
    /// When the entries were written; nil if nobody asks.
    @usableFromInline var writeTimes: UnsafeMutablePointer<Int64>?
    /// The rows of the three columns above.
    @usableFromInline var sideRows: Int
    /// Hashes of the keys; nil unless the policy asks.
    @usableFromInline var identities: IdentityColumn?
    @usableFromInline var timers: TimerWheel?
    @usableFromInline var tags: TagTable?
    /// Position of the policy's logical clock.
    @usableFromInline var tick = 0
    /// What a request asked for that the policy had let go at an earlier hit, until it is inserted.
    @usableFromInline var lostAtTouch = ObjectID.max
    @usableFromInline var negatives = 0
    @usableFromInline var counts = CacheCounts()
    @usableFromInline var victims = VictimList()
    @usableFromInline var passed: [ObjectID] = []
    @usableFromInline var leaving: LeavingEntries<Key, Value>
    @usableFromInline var flights: [Key: Flight<Value>] = [:]
    /// Told under the lock of each key whose value leaves without another in its place.
    @usableFromInline var onLoss: ((Key) -> Void)?
    @usableFromInline var ghostHand = 0
    @usableFromInline var isClosed = false
    /// Why a policy failed that has been replaced since.
    @usableFromInline var formerFailure: AssayError?

    /// An empty one of that capacity.
    @usableFromInline
    init(_ settings: CacheSettings<Key, Value>, capacity: Int) throws(AssayError) {
        let ids = settings.firstIDs(capacity)
        let identities = settings.needsIdentities ? IdentityColumn(ids: ids + 1) : nil
        let policy = try settings.openPolicy(capacity: capacity, ids: ids, identities)
        self.identities = identities
        self.settings = settings
        self.capacity = capacity
        self.policy = policy
        table = EntryTable(limit: ids)
        leaving = LeavingEntries()
        sideRows = 0
        weights = nil
        deadlines = nil
        writeTimes = nil
        timers = nil
        tags = nil
        if settings.isWeighed { weights = .allocate(capacity: 0) }
        if settings.refreshAfter != nil { writeTimes = .allocate(capacity: 0) }
    }

    @inlinable
    deinit {
        weights?.deallocate()
        deadlines?.deallocate()
        writeTimes?.deallocate()
    }

    /// What a resident entry weighs.
    @inlinable @inline(__always)
    func weight(_ id: ObjectID) -> Int {
        guard let weights else { return 1 }
        let weight = weights[Int(id)]
        return weight == .max ? heavyWeight(id) : Int(weight)
    }

    @usableFromInline @inline(never)
    func heavyWeight(_ id: ObjectID) -> Int { heavyWeights[id] ?? Int(UInt32.max) }

    /// Notes what an entry weighs from now on.
    @inlinable @inline(__always)
    mutating func setWeight(_ id: ObjectID, _ weight: Int) {
        guard let weights else { return }
        let narrow = UInt32(clamping: weight)
        if narrow == .max { heavyWeights[id] = weight }
        weights[Int(id)] = narrow
    }

    /// When an entry stops being served, `.max` for never.
    @inlinable
    func deadline(_ id: ObjectID) -> Int64 { deadlines.map { $0[Int(id)] } ?? .max }

    /// The next request for an id, as the policy sees it.
    @inlinable @inline(__always)
    mutating func request(_ id: ObjectID, weight: Int) -> Request {
        tick &+= 1
        return Request(id: id, size: weight, index: tick &- 1)
    }

    /// The entries that a read could be served from. O(1).
    @inlinable var liveCount: Int { policy.residentCount - negatives }

    /// The id of a key whose value may be served now, `none` if there is none. Changes nothing that the policy knows.
    @inlinable
    mutating func findLive(_ key: Key, _ hash: UInt32) -> ObjectID {
        let id = table.find(key, hash: hash)
        guard id != ObjectID.max, table.states[Int(id)].hasValue else { return ObjectID.max }
        if let deadlines, deadlines[Int(id)] != .max {
            let now = settings.now()
            guard deadlines[Int(id)] > now else {
                dropIfSpent(id, now)
                return ObjectID.max
            }
        }
        guard policy.contains(id) else {
            letGo(id)
            return ObjectID.max
        }
        return id
    }

    /// The value of a key that may be served now. Changes nothing that the policy knows.
    @inlinable
    mutating func liveValue(_ key: Key, _ hash: UInt32) -> Value? {
        let id = findLive(key, hash)
        return id == ObjectID.max ? nil : table.values[Int(id)]
    }

    /// Serves a read; `countsMiss` is false where a load follows that counts it. O(1).
    @inlinable
    mutating func get(_ key: Key, _ hash: UInt32, countsMiss: Bool = true) -> Value? {
        let id = table.find(key, hash: hash)
        guard id != ObjectID.max, table.states[Int(id)].hasValue else {
            if countsMiss { countMiss(key) }
            return nil
        }
        if deadlines != nil, !extendOrExpire(id) {
            if countsMiss { countMiss(key) }
            return nil
        }
        guard touch(id) else {
            letGo(id)
            if countsMiss { countMiss(key) }
            return nil
        }
        countHit(key, weight: weight(id))
        return table.values[Int(id)]
    }

    /// Whether an entry's deadline has not come. Changes nothing.
    @inlinable @inline(__always)
    func isLive(_ id: ObjectID) -> Bool {
        guard let deadlines, deadlines[Int(id)] != .max else { return true }
        return deadlines[Int(id)] > settings.now()
    }

    /// Takes over what a thread has noted of its reads, and tells the policy of those that were hits.
    @usableFromInline
    mutating func takeNotes(_ stripe: ReaderStripe) {
        counts.hits &+= stripe.notes.pointee.hits
        counts.misses &+= stripe.notes.pointee.misses
        let ids = UnsafeBufferPointer(start: stripe.ids, count: stripe.notes.pointee.count)
        if heavyWeights.isEmpty {
            policy.touchAll(ids, weights: weights.map { UnsafePointer($0) }, firstIndex: tick)
            tick &+= ids.count
        } else {
            for id in ids { _ = policy.touch(request(id, weight: weight(id))) }
        }
        stripe.notes.pointee.count = 0
        stripe.notes.pointee.hits = 0
        stripe.notes.pointee.misses = 0
    }

    /// Counts a read that was served, and tells of it.
    @inlinable @inline(__always)
    mutating func countHit(_ key: Key, weight: Int) {
        counts.hits &+= 1
        tell(key, .read, .hit, weight: weight)
    }

    /// Counts a read that found nothing, and tells of it.
    @inlinable @inline(__always)
    mutating func countMiss(_ key: Key) {
        counts.misses &+= 1
        tell(key, .read, .miss)
    }

    /// Tells whoever asked for it of a request.
    @inlinable @inline(__always)
    func tell(
        _ key: Key, _ operation: TraceOperation, _ outcome: RequestOutcome, weight: Int? = nil,
        timeToLiveNanoseconds: Int64? = nil
    ) {
        guard let onRequest = settings.onRequest else { return }
        onRequest(
            RequestEvent(
                key: key, operation: operation, outcome: outcome, weight: weight,
                timeToLiveNanoseconds: timeToLiveNanoseconds))
    }

    /// Tells the policy of a request for an entry; false if it let the entry go at an earlier hit, which it reports at the next
    /// insertion and not before.
    @inlinable @inline(__always)
    mutating func touch(_ id: ObjectID) -> Bool {
        if policy.touch(request(id, weight: weight(id))) { return true }
        lostAtTouch = id
        return false
    }

    /// Tells the policy of the request that inserts an entry, unless a touch has told it already: a read that finds nothing and
    /// the write that follows are one request.
    @inlinable
    mutating func requestToInsert(_ id: ObjectID, weight: Int) -> Request {
        guard lostAtTouch != id else {
            lostAtTouch = ObjectID.max
            return Request(id: id, size: weight, index: tick &- 1)
        }
        let request = request(id, weight: weight)
        _ = policy.touch(request)
        return request
    }

    /// Whether an entry is still valid for a read; if so, and if reads extend it, does.
    @inlinable
    mutating func extendOrExpire(_ id: ObjectID) -> Bool {
        guard let deadlines, deadlines[Int(id)] != .max else { return true }
        let now = settings.now()
        guard deadlines[Int(id)] > now else {
            dropIfSpent(id, now)
            return false
        }
        // The timer stays where it is: it finds the later deadline when it goes off.
        if table.states[Int(id)].slides { deadlines[Int(id)] = saturatingSum(now, settings.accessNanoseconds) }
        return true
    }

    /// Ends an entry whose deadline has come, unless it is kept for a while to be served stale.
    @usableFromInline
    mutating func dropIfSpent(_ id: ObjectID, _ now: Int64) {
        if saturatingSum(deadlines![Int(id)], settings.staleNanoseconds) <= now { drop(id, .expired) }
    }

    /// Takes an entry's value away: the policy has let it go, or is told by the caller.
    @inlinable
    mutating func lose(_ id: ObjectID, _ cause: RemovalCause) {
        let state = table.states[Int(id)]
        guard state.isResident else { return }
        detach(id)
        table.states[Int(id)] = .ghost
        guard state.hasValue else {
            negatives &-= 1
            return
        }
        counts.count(cause)
        leave(id, (table.values + Int(id)).move(), cause)
        if let onLoss { onLoss(table.keys[Int(id)]) }
    }

    /// Lets a value end when the lock has been given back. Its key is copied only for whoever is told.
    @inlinable @inline(__always)
    mutating func leave(_ id: ObjectID, _ value: consuming Value, _ cause: RemovalCause) {
        if leaving.isHeard {
            leaving.tell(RemovalEvent(key: table.keys[Int(id)], value: value, cause: cause))
        } else {
            leaving.add(value)
        }
    }

    /// Fetches what an entry's key and value refer to, whose counts of references are about to be written: both are mostly cold,
    /// and two fetched one after the other take twice as long.
    @inlinable @inline(__always)
    func prefetchObjects(of id: ObjectID) {
        prefetchObject(table.keys + Int(id))
        prefetchObject(table.values + Int(id))
    }

    /// Takes the value of an entry away that the policy let go at an earlier hit. As an eviction it is counted once the policy
    /// reports it.
    @usableFromInline
    mutating func letGo(_ id: ObjectID) {
        let counted = counts.evicted
        lose(id, .evicted)
        counts.evicted = counted
    }

    /// Takes an entry away wholly.
    @inlinable
    mutating func drop(_ id: ObjectID, _ cause: RemovalCause) {
        lose(id, cause)
        policy.remove(id)
        table.free(id)
    }

    /// Takes away what an entry has besides its value: its timer and its tags.
    @inlinable
    mutating func detach(_ id: ObjectID) {
        if deadlines != nil { cancelTimer(id) }
        if tags != nil { tags!.removeAll(of: id) }
    }

    @usableFromInline
    mutating func cancelTimer(_ id: ObjectID) { timers?.cancel(id) }
}
