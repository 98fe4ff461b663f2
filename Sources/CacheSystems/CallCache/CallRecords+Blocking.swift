internal import CacheCore
internal import CacheEngine

// Each step on the caller's thread, which may have to wait.
extension CallRecords {
    /// The answer in the cache that is younger than the limit. A store that fails has none.
    func read(_ key: [UInt8], _ limit: Duration?) -> CallRecord? {
        guard let record = (try? tiers.value(for: key)) ?? nil else { return nil }
        return record.isYounger(than: limit, at: nowNanoseconds) ? record : nil
    }

    /// Asks the origin and stores what it answers, as the request that has begun or as one that begins now.
    func ask(
        _ key: [UInt8], _ function: String, as begun: Int? = nil, _ origin: () throws -> CallRecord
    ) throws -> CallRecord {
        let number = begun ?? begin(key)
        monitor.note(.asked, function)
        let record: CallRecord
        do { record = try origin() } catch {
            end(number, key, error, isCancelled: Task.isCancelled)
            monitor.note(.originFailed, function)
            throw error
        }
        monitor.note(store(record, key, from: number), function)
        return record
    }

    /// Asks the origin, or waits for who does.
    ///
    /// - Parameter seen: for a call that an answer from the cache suffices for, the number of ``stores(_:)`` before it looked there in
    ///   vain: if it has changed since, it looks again before it asks.
    func askShared(
        _ key: [UInt8], _ function: String, limit: Duration?, seen: Int?, _ origin: () throws -> CallRecord
    ) throws -> Finding {
        while true {
            var leads = false
            let found = try flights.loadHere(key, false, LoadOrder(nil, [])) { order in
                leads = true
                order.isKept = false
                let (number, record) = try beginShared(key, function, limit: limit, seen: seen)
                if let record { return Finding(record: record, isCached: true) }
                return Finding(record: try ask(key, function, as: number, origin), isCached: false)
            }
            guard let found, let mine = own(found, leads, key, function, limit, seen) else { continue }
            return mine
        }
    }

    /// Enters a request that others may share, unless there is an answer by now: then it is withdrawn again.
    ///
    /// Entering comes first: what is stored from then on strikes the request out, and what was stored before is seen.
    ///
    /// - Throws: the error of an origin that has failed a moment ago, instead of asking it.
    func beginShared(
        _ key: [UInt8], _ function: String, limit: Duration?, seen: Int?
    ) throws -> (number: Int, answer: CallRecord?) {
        let number = begin(key)
        if let seen, seen != stores(key), let record = read(key, limit) {
            withdraw(number, key)
            return (number, record)
        }
        if let error = recentError(key) {
            withdraw(number, key)
            monitor.note(.spared, function)
            throw error
        }
        return (number, nil)
    }

    /// What a shared request gives one who took part in it; nil if that must be repeated.
    ///
    /// What another found in the cache was there before this one came, perhaps, and may be too old for it: it looks itself.
    func own(
        _ found: Finding, _ leads: Bool, _ key: [UInt8], _ function: String, _ limit: Duration?, _ seen: Int?
    ) -> Finding? {
        if leads, !found.isCached { return found }
        if !leads, found.isCached {
            guard seen != nil, let record = read(key, limit) else { return nil }
            monitor.note(.joined, function)
            return Finding(record: record, isCached: true)
        }
        monitor.note(.joined, function)
        return found
    }
}
