public import CacheCore

// What is done under the cache's lock, and by readers who share it. Values that leave end, and listeners are told, after the lock
// has been given back; one thread at a time tells, in the order in which values left.
extension Cache {
    /// The half of a key's hash that the table knows it by.
    @inlinable @inline(__always)
    func shortHash(_ key: Key) -> UInt32 { UInt32(truncatingIfNeeded: hash(key) &>> 32) }

    /// The value of a key if there is one, which counts as a hit; a miss is left to whoever goes on to load.
    func hit(_ key: Key) -> Value? { get(key, countsMiss: false) }

    /// Serves a read; `countsMiss` is false where a load follows that counts it.
    @inlinable @inline(__always)
    func get(_ key: Key, countsMiss: Bool) -> Value? {
        let hash = shortHash(key)
        guard sharesReads, let stripe = lock.enter() else { return getAlone(key, hash, countsMiss) }
        let id = core.pointee.table.find(key, hash: hash)
        guard id != ObjectID.max, core.pointee.table.states[Int(id)].hasValue else {
            if countsMiss { stripe.notes.pointee.misses &+= 1 }
            lock.leave(stripe)
            return nil
        }
        // A read that moves a deadline, or finds that it has come, needs the lock.
        guard core.pointee.deadlines == nil || !core.pointee.table.states[Int(id)].slides && core.pointee.isLive(id)
        else {
            lock.leave(stripe)
            return getAlone(key, hash, countsMiss)
        }
        let value = core.pointee.table.values[Int(id)]
        stripe.notes.pointee.hits &+= 1
        let count = stripe.notes.pointee.count
        stripe.ids[count] = id
        stripe.notes.pointee.count = count &+ 1
        lock.leave(stripe)
        if count &+ 1 >= ReaderStripe.plenty, (count &+ 1) % ReaderStripe.step == 0 {
            settleReads(stripe, isFull: count &+ 1 == ReaderStripe.room)
        }
        return value
    }

    /// Serves a read under the lock.
    @inlinable @inline(never)
    func getAlone(_ key: Key, _ hash: UInt32, _ countsMiss: Bool) -> Value? {
        update { core in
            if sharesReads { lock.addStripe() }
            return core.get(key, hash, countsMiss: countsMiss)
        }
    }

    /// The value of a key that may be served now, of which the policy is not told.
    @inlinable @inline(__always)
    func look(_ key: Key) -> Value? {
        let hash = shortHash(key)
        guard sharesReads, let stripe = lock.enter() else { return lookAlone(key, hash) }
        let id = core.pointee.table.find(key, hash: hash)
        var value: Value?
        if id != ObjectID.max, core.pointee.table.states[Int(id)].hasValue,
            core.pointee.deadlines == nil || core.pointee.isLive(id)
        {
            value = core.pointee.table.values[Int(id)]
        }
        lock.leave(stripe)
        return value
    }

    /// The value of a key that may be served now, under the lock.
    @inlinable @inline(never)
    func lookAlone(_ key: Key, _ hash: UInt32) -> Value? {
        update { core in
            if sharesReads { lock.addStripe() }
            return core.liveValue(key, hash)
        }
    }

    /// Tells the policy of what this thread has read; a writer may have done so in the meantime. Others may read meanwhile.
    @usableFromInline @inline(never)
    func settleReads(_ stripe: ReaderStripe, isFull: Bool) {
        lock.withNotes(waiting: isFull) { core.pointee.takeNotes(stripe) }
    }

    /// Tells the policy what readers have noted. Under the lock, before anything else is done with the core.
    @inlinable @inline(__always)
    func takeNotes() {
        lock.forEachStripe { takeNotes($0) }
    }

    @inlinable @inline(__always)
    func takeNotes(_ stripe: ReaderStripe) {
        if stripe.notes.pointee.hits | stripe.notes.pointee.misses != 0 { core.pointee.takeNotes(stripe) }
    }

    /// Does something for a key under the lock.
    @inlinable @inline(__always)
    func update<Result, Failure: Error>(
        _ key: Key, _ body: (inout CacheState<Key, Value>, UInt32) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let hash = shortHash(key)
        return try update { (core) throws(Failure) in try body(&core, hash) }
    }

    /// Does something under the lock, and afterwards whatever follows from what left.
    @inlinable @inline(__always)
    func update<Result, Failure: Error>(
        _ body: (inout CacheState<Key, Value>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var ended: (Value?, [Value])?
        var tells = false
        // After the lock has been given back, whether the body throws or not.
        defer {
            if tells { tell() }
            withExtendedLifetime(ended) {}
        }
        return try lock.withLock(takingOwn: { takeNotes($0) }) { () throws(Failure) -> Result in
            takeNotes()
            defer { if !core.pointee.leaving.isEmpty { (ended, tells) = takeLeaving() } }
            return try body(&core.pointee)
        }
    }

    /// As ``update(_:)`` for callers with a lock of their own, under which no value may end and nobody be told: that waits for
    /// whoever updates the cache next.
    func updateKeepingLeft<Result, Failure: Error>(
        _ body: (inout CacheState<Key, Value>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock(takingOwn: { takeNotes($0) }) { () throws(Failure) -> Result in
            takeNotes()
            return try body(&core.pointee)
        }
    }

    /// What is to end outside of the lock, and whether this thread is to tell the listeners.
    @inlinable @inline(__always)
    func takeLeaving() -> ((Value?, [Value])?, Bool) {
        var ended: (Value?, [Value])?
        if core.pointee.leaving.first != nil {
            ended = (core.pointee.leaving.first.take(), [])
            if !core.pointee.leaving.others.isEmpty { swap(&ended!.1, &core.pointee.leaving.others) }
        }
        guard !core.pointee.leaving.events.isEmpty, !core.pointee.leaving.isTelling else { return (ended, false) }
        core.pointee.leaving.isTelling = true
        return (ended, true)
    }

    /// Tells the listeners until there is nothing left to tell. A listener may use the cache: what it makes leave comes
    /// after what it was told of.
    @usableFromInline
    func tell() {
        while true {
            let events = lock.withLock {
                let events = core.pointee.leaving.events
                core.pointee.leaving.events = []
                if events.isEmpty { core.pointee.leaving.isTelling = false }
                return events
            }
            if events.isEmpty { return }
            for event in events { listeners.tell(event) }
        }
    }
}
