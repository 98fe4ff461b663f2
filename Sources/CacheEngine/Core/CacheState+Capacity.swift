public import CacheCore

extension CacheState {
    /// An id for a key that has none, made free if none is. O(1) amortised.
    @inlinable
    mutating func newID(_ key: Key, _ hash: UInt32) -> ObjectID {
        // Whatever had that id was asked for under another key.
        lostAtTouch = ObjectID.max
        while true {
            let id = table.add(key, hash: hash)
            if id != ObjectID.max {
                if table.rows != sideRows { growSides() }
                if let identities {
                    identities.hashes[Int(id)] = settings.identity?(key) ?? Self.identity(key)
                }
                return id
            }
            makeRoomForIDs()
        }
    }

    /// What a policy knows a key by unless the options say otherwise.
    @usableFromInline
    static func identity(_ key: Key) -> UInt64 {
        let hash = UInt64(bitPattern: Int64(key.hashValue)) >> 32
        return hash << 32 | hash
    }

    /// Grows the id space if the residents may need it, or forgets a ghost.
    @usableFromInline
    mutating func makeRoomForIDs() {
        let wanted = settings.ids(forResidents: policy.residentCount + 1)
        if wanted > table.limit, table.limit < settings.mostIDs(capacity) {
            rebuild(capacity: capacity, ids: min(settings.mostIDs(capacity), 2 * table.limit))
        } else if !forgetGhost() {
            rebuild(capacity: capacity, ids: 2 * table.limit)
        }
    }

    /// Makes the policy forget the next ghost after the last one; false if there is none.
    private mutating func forgetGhost() -> Bool {
        for _ in 0..<table.firstUnused {
            ghostHand = ghostHand + 1 < table.firstUnused ? ghostHand + 1 : 0
            guard table.states[ghostHand] == .ghost else { continue }
            policy.remove(ObjectID(ghostHand))
            table.free(ObjectID(ghostHand))
            return true
        }
        return false
    }

    /// Changes the capacity; what no longer fits is evicted. O(entries), and what opening a policy takes.
    @usableFromInline
    mutating func resize(to newCapacity: Int) {
        guard newCapacity != capacity else { return }
        sweep()
        rebuild(capacity: newCapacity, ids: max(settings.firstIDs(newCapacity), table.limit))
    }

    /// Opens a new policy and offers it the residents, those first that the old one would have evicted first.
    ///
    /// Their order is kept, ghosts and frequencies are not: a policy is made for a fixed number of ids and a fixed capacity.
    private mutating func rebuild(capacity newCapacity: Int, ids: Int) {
        let order = drain()
        for id in 0..<table.firstUnused where table.states[id] == .ghost { table.free(ObjectID(id)) }
        if let old = identities { identities = IdentityColumn(ids: ids + 1, copying: old) }
        replacePolicy(capacity: newCapacity, ids: ids)
        capacity = newCapacity
        table.raise(limit: ids)
        // They have been let in before, by a filter that knew more.
        policy.gate?.isOpen = true
        defer { policy.gate?.isOpen = false }
        for id in order {
            let request = request(id, weight: weight(id))
            var isAdmitted = false
            // Again, since LARC lets in only what is asked for while its ghost is remembered, as each of these was.
            for _ in 0..<2 where !isAdmitted {
                settleVictims(of: id, false)
                _ = policy.touch(request)
                isAdmitted = policy.insert(request, evicting: &victims)
            }
            if !isAdmitted { lose(id, .evicted) }
            settleVictims(of: id, isAdmitted)
            if !isAdmitted, table.states[Int(id)] == .ghost {
                policy.remove(id)
                table.free(id)
            }
        }
    }

    private mutating func replacePolicy(capacity: Int, ids: Int) {
        formerFailure = formerFailure ?? policy.failure
        policy = settings.reopenPolicy(capacity: capacity, ids: ids, identities)
    }

    /// Empties the policy and returns what was resident in the order of eviction, as far as the policy can tell.
    private mutating func drain() -> [ObjectID] {
        var order: [ObjectID] = []
        order.reserveCapacity(policy.residentCount)
        // An id that no key ever has stands for the newcomer.
        let newcomer = Request(id: ObjectID(table.limit), index: tick)
        while policy.residentCount > 0, let id = policy.nextVictim(for: newcomer), policy.contains(id) {
            policy.remove(id)
            order.append(id)
        }
        for id in 0..<ObjectID(table.firstUnused) where policy.contains(id) { order.append(id) }
        // What the policy let go at a hit and had no chance to report.
        let kept = Set(order)
        for id in 0..<ObjectID(table.firstUnused) where !kept.contains(id) { lose(id, .evicted) }
        return order
    }

    /// Removes every entry and everything that the policy has learned; overtakes the loads unless they are to go on. O(entries),
    /// and what opening a policy takes.
    @usableFromInline
    mutating func clear(_ cause: RemovalCause, keepingLoads: Bool = false) {
        let now = timers == nil ? Int64.min : settings.now()
        if !keepingLoads { flights.removeAll() }
        for id in 0..<ObjectID(table.firstUnused) {
            lose(id, deadline(id) > now ? cause : .expired)
            if table.states[Int(id)] == .ghost { table.free(id) }
        }
        let ids = settings.firstIDs(capacity)
        identities = identities.map { _ in IdentityColumn(ids: ids + 1) }
        replacePolicy(capacity: capacity, ids: ids)
        table = EntryTable(limit: ids)
        shrinkSides()
    }

    /// Empties the cache for good; again it does nothing. O(ids).
    mutating func close() {
        guard !isClosed else { return }
        clear(.closed)
        isClosed = true
    }

    private mutating func shrinkSides() {
        weights?.deallocate()
        writeTimes?.deallocate()
        deadlines?.deallocate()
        weights = settings.isWeighed ? .allocate(capacity: 0) : nil
        heavyWeights = [:]
        writeTimes = settings.refreshAfter != nil ? .allocate(capacity: 0) : nil
        deadlines = nil
        timers = nil
        tags = nil
        sideRows = 0
    }
}
