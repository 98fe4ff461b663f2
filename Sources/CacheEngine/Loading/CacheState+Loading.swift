internal import CacheCore

/// What a loading read found.
enum LoadFinding<Value: Sendable>: Sendable {
    /// A value to be served.
    case value(Value)
    /// The knowledge that there is none.
    case nothing
    /// A value to be served, and a load that this caller is to start.
    case refresh(Value, Flight<Value>)
    /// A load that another has started, with a ticket for it.
    case join(Flight<Value>, ticket: Int, stale: Value?)
    /// A load that this caller is to start, with a ticket for it.
    case lead(Flight<Value>, ticket: Int, stale: Value?)
    /// For a read that may not wait for a loader: a loader is at work.
    case underLoad
    /// The cache is closed.
    case closed
}

extension CacheState {
    /// Finds a key's value, or who loads it; a read joins reads alone. O(1).
    mutating func findOrLoad(
        _ key: Key, _ hash: UInt32, acceptsNothing: Bool, tags: [String], isCancellable: Bool = true,
        isRead: Bool = false
    ) -> LoadFinding<Value> {
        guard !isClosed else { return .closed }
        var stale: Value?
        let id = table.find(key, hash: hash)
        if id != ObjectID.max, table.states[Int(id)].isResident {
            let now = deadlines == nil && writeTimes == nil ? Int64.min : settings.clock.monotonicNanoseconds()
            let deadline = deadline(id)
            if table.states[Int(id)].isNegative {
                if acceptsNothing, deadline > now, touch(id) {
                    countHit(key, weight: weight(id))
                    counts.negativeHits &+= 1
                    return .nothing
                }
            } else if saturatingSum(deadline, settings.revalidateNanoseconds) > now {
                if let finding = serve(id, key, now, isStale: deadline <= now, tags) { return finding }
            } else if saturatingSum(deadline, settings.errorNanoseconds) > now {
                stale = table.values[Int(id)]
            } else {
                drop(id, .expired)
            }
        }
        countMiss(key)
        if let flight = flights[key] {
            if isRead, !flight.isRead, !flight.isAbandoned { return .underLoad }
            if let ticket = flight.reserve() { return .join(flight, ticket: ticket, stale: stale) }
        }
        let flight = Flight<Value>(tags: tags, isBackground: !isCancellable, isRead: isRead)
        // One that is not equal to itself would never be found again.
        if key == key { flights[key] = flight }
        return .lead(flight, ticket: flight.reserve()!, stale: stale)
    }

    /// Whether a load would still be stored: its key was not written, removed or cleared since it began, and somebody waits for
    /// it still. What a load returns that was cancelled may be a part of the value. O(1).
    func isCurrent(_ load: UInt64?, of key: Key) -> Bool {
        flights[key].map { $0.number == load && !$0.isAbandoned } ?? false
    }

    /// Serves an entry that is valid, or stale but not for too long; nil if the policy has let it go.
    private mutating func serve(
        _ id: ObjectID, _ key: Key, _ now: Int64, isStale: Bool, _ tags: [String]
    ) -> LoadFinding<Value>? {
        guard touch(id) else {
            letGo(id)
            return nil
        }
        countHit(key, weight: weight(id))
        if isStale { counts.staleHits &+= 1 }
        if !isStale, table.states[Int(id)].slides {
            deadlines![Int(id)] = saturatingSum(now, settings.accessNanoseconds)
        }
        let value = table.values[Int(id)]
        var isDue = isStale
        if !isDue, let age = settings.refreshAfter { isDue = saturatingSum(writeTimes![Int(id)], age) <= now }
        guard isDue, flights[key] == nil else { return .value(value) }
        let flight = Flight<Value>(tags: tags, isBackground: true)
        flights[key] = flight
        return .refresh(value, flight)
    }

    /// Takes note of a load's end and stores its value, unless the key was written, removed or cleared meanwhile, or all who
    /// waited have left.
    mutating func finishLoad(
        _ flight: Flight<Value>, _ key: Key, _ hash: UInt32, _ outcome: Result<Value?, any Error>,
        _ details: EntryDetails, nanoseconds: Int64
    ) {
        counts.loadNanoseconds &+= Int(nanoseconds)
        let isCurrent = self.isCurrent(flight.number, of: key)
        if flights[key] === flight { flights[key] = nil }
        guard case .success(let value) = outcome else {
            if case .failure(let error) = outcome, error is OvertakenRead {
                counts.loadsOvertaken &+= 1
            } else {
                counts.loadFailures &+= 1
            }
            return
        }
        counts.loads &+= 1
        guard isCurrent else {
            counts.loadsOvertaken &+= 1
            return
        }
        if value != nil || settings.negativeNanoseconds != nil {
            _ = put(key, hash, value, details)
        } else {
            let id = table.find(key, hash: hash)
            // The origin has said that there is none: what was kept of an older value goes.
            if id != ObjectID.max, table.states[Int(id)].isResident { drop(id, .removed) }
        }
    }
}
