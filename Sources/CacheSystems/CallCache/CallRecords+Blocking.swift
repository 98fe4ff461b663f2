internal import CacheCore
internal import CacheEngine

// Each step on the caller's thread, which may have to wait.
extension CallRecords {
    /// The answer in the cache that is younger than the limit. A store that fails has none.
    func read(_ key: [UInt8], _ limit: Duration?) -> CallRecord? {
        guard let record = (try? tiers.value(for: key)) ?? nil else { return nil }
        return record.isYounger(than: limit, at: nowNanoseconds) ? record : nil
    }

    /// Asks the origin and stores what it answers.
    func ask(
        _ key: [UInt8], _ function: String, _ origin: () throws -> CallRecord
    ) throws -> CallRecord {
        let number = begin(key)
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
                if let record = lookAgain(key, limit, seen) { return Finding(record: record, isCached: true) }
                try requireNoError(key, function)
                return Finding(record: try ask(key, function, origin), isCached: false)
            }
            guard let found, let mine = own(found, leads, key, function, limit, seen) else { continue }
            return mine
        }
    }

    /// Throws the error of an origin that has failed a moment ago, instead of asking it.
    func requireNoError(_ key: [UInt8], _ function: String) throws {
        guard let error = recentError(key) else { return }
        monitor.note(.spared, function)
        throw error
    }

    func lookAgain(_ key: [UInt8], _ limit: Duration?, _ seen: Int?) -> CallRecord? {
        guard let seen, seen != stores(key) else { return nil }
        return read(key, limit)
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
