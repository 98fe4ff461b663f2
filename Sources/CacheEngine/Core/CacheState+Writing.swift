public import CacheCore

/// What is written beside a value.
@usableFromInline
struct EntryDetails: Sendable {
    @usableFromInline var weight: Int
    /// When it expires, `.max` for never.
    @usableFromInline var deadline: Int64
    /// Whether reads extend it.
    @usableFromInline var slides: Bool
    @usableFromInline var tags: [String]

    @inlinable
    init(weight: Int = 1, deadline: Int64 = .max, slides: Bool = false, tags: [String] = []) {
        self.weight = weight
        self.deadline = deadline
        self.slides = slides
        self.tags = tags
    }
}

extension CacheState {
    /// Writes a value, or nil for the knowledge that there is none, and tells of it. O(1) amortised, and O(1) for each entry that
    /// makes room.
    @inlinable
    mutating func put(_ key: Key, _ hash: UInt32, _ value: consuming Value?, _ details: EntryDetails) -> PutOutcome {
        let outcome = store(key, hash, value, details)
        if settings.onRequest != nil { tell(key, outcome, details) }
        return outcome
    }

    /// Tells of a write.
    @usableFromInline
    func tell(_ key: Key, _ outcome: PutOutcome, _ details: EntryDetails) {
        var timeToLive: Int64?
        if details.deadline != .max {
            let now = settings.now()
            timeToLive = details.deadline > now ? saturatingSum(details.deadline, -now) : 1
        }
        tell(
            key, .write, outcome.isStored ? .stored : .refused, weight: details.weight,
            timeToLiveNanoseconds: timeToLive)
    }

    /// Writes a value, or nil for the knowledge that there is none.
    @inlinable
    mutating func store(_ key: Key, _ hash: UInt32, _ value: consuming Value?, _ details: EntryDetails) -> PutOutcome {
        guard !isClosed else { return .refused(.closed) }
        // Whoever loads this key has been overtaken.
        if !flights.isEmpty { flights.removeValue(forKey: key) }
        var now = Int64.min
        if details.deadline != .max || timers != nil || writeTimes != nil {
            now = settings.now()
            sweep(now)
        }
        var id = table.find(key, hash: hash)
        let refusal: RefusalReason? =
            details.weight > capacity ? .tooHeavy : details.deadline <= now ? .expired : nil
        if let refusal {
            if id != ObjectID.max, table.states[Int(id)].isResident, details.weight != weight(id) {
                counts.resized &+= 1
            }
            if id != ObjectID.max { drop(id, deadline(id) > now ? .rejected : .expired) }
            counts.refusals &+= 1
            return .refused(refusal)
        }
        var old: (value: Value, cause: RemovalCause)?
        if id != ObjectID.max, table.states[Int(id)].isResident {
            if details.weight == weight(id), touch(id) {
                return overwrite(id, value, details, now)
            }
            old = takeForRewrite(id, details, now)
        }
        if id == ObjectID.max { id = newID(key, hash) }
        return insert(id, value, details, replacing: old, now)
    }

    /// Puts a value in the place of another that weighs the same.
    @inlinable
    mutating func overwrite(_ id: ObjectID, _ value: consuming Value?, _ details: EntryDetails, _ now: Int64)
        -> PutOutcome
    {
        let state = table.states[Int(id)]
        let wasLive = deadline(id) > now
        if tags != nil { tags!.removeAll(of: id) }
        if state.hasValue {
            counts.count(wasLive ? .replaced : .expired)
            leave(id, (table.values + Int(id)).move(), wasLive ? .replaced : .expired)
        } else {
            negatives &-= 1
        }
        settle(id, value, details, now)
        return state.hasValue && wasLive ? .replaced : .stored
    }

    /// Takes the value of an entry that must be offered anew, because its weight changes or the policy has let it go.
    @inlinable
    mutating func takeForRewrite(
        _ id: ObjectID, _ details: EntryDetails, _ now: Int64
    ) -> (value: Value, cause: RemovalCause)? {
        if details.weight == weight(id) {
            letGo(id)
            return nil
        }
        counts.resized &+= 1
        let state = table.states[Int(id)]
        let cause: RemovalCause = deadline(id) > now ? .replaced : .expired
        detach(id)
        policy.remove(id)
        table.states[Int(id)] = .ghost
        guard state.hasValue else {
            negatives &-= 1
            return nil
        }
        return ((table.values + Int(id)).move(), cause)
    }

    /// Offers an id to the policy, and stores the value if it is let in.
    @inlinable
    mutating func insert(
        _ id: ObjectID, _ value: consuming Value?, _ details: EntryDetails,
        replacing old: (value: Value, cause: RemovalCause)?, _ now: Int64
    ) -> PutOutcome {
        let request = requestToInsert(id, weight: details.weight)
        let isAdmitted = policy.insert(request, evicting: &victims)
        for place in 0..<victims.evicted.count { prefetchObjects(of: victims.evicted[place]) }
        if let old {
            let cause: RemovalCause = isAdmitted || old.cause == .expired ? old.cause : .rejected
            counts.count(cause)
            leave(id, old.value, cause)
            if !isAdmitted { onLoss?(table.keys[Int(id)]) }
        }
        if isAdmitted { settle(id, value, details, now) }
        settleVictims(of: id, isAdmitted)
        guard isAdmitted else {
            counts.refusals &+= 1
            return .refused(.notAdmitted)
        }
        return old?.cause == .replaced ? .replaced : .stored
    }

    /// Stores what belongs to an entry that the policy holds as resident; there is no value in its place.
    @inlinable
    mutating func settle(_ id: ObjectID, _ value: consuming Value?, _ details: EntryDetails, _ now: Int64) {
        if table.rows != sideRows { growSides() }
        if let value {
            (table.values + Int(id)).initialize(to: value)
            table.states[Int(id)] = .resident
            counts.writes &+= 1
        } else {
            table.states[Int(id)] = .negative
            negatives &+= 1
        }
        setWeight(id, details.weight)
        writeTimes?[Int(id)] = now
        if deadlines != nil || details.deadline != .max { setDeadline(id, details.deadline, slides: details.slides) }
        if !details.tags.isEmpty { addTags(details.tags, to: id) }
    }

    /// Deals with what the policy has given up while it made room for an id.
    @inlinable
    mutating func settleVictims(of newcomer: ObjectID, _ isAdmitted: Bool) {
        // By place, since the array is retained where its elements are gone through.
        for place in 0..<victims.evicted.count {
            let id = victims.evicted[place]
            if id == newcomer {
                counts.bounced &+= 1
            } else if table.states[Int(id)].isResident {
                lose(id, .evicted)
            } else {
                counts.evicted &+= 1
            }
        }
        // What the next write will need.
        if victims.evicted.count == 1, let next = policy.likelyVictim, Int(next) < table.rows {
            prefetchObjects(of: next)
        }
        for id in victims.forgotten where id != newcomer || !isAdmitted {
            if table.states[Int(id)] == .ghost { table.free(id) }
        }
        victims.clear()
    }

    @usableFromInline
    mutating func addTags(_ names: [String], to id: ObjectID) {
        if tags == nil { tags = TagTable() }
        for name in names { tags!.add(name, to: id) }
    }

    /// Lets the side columns have as many rows as the table.
    @inlinable @inline(never)
    mutating func growSides() {
        let rows = table.rows
        if let column = weights { weights = EntryTable<Key, Value>.grown(column, from: sideRows, to: rows) }
        if let column = writeTimes { writeTimes = EntryTable<Key, Value>.grown(column, from: sideRows, to: rows) }
        if let column = deadlines {
            let longer = EntryTable<Key, Value>.grown(column, from: sideRows, to: rows)
            (longer + sideRows).initialize(repeating: .max, count: rows - sideRows)
            deadlines = longer
            timers?.grow(ids: rows)
        }
        sideRows = rows
    }
}
