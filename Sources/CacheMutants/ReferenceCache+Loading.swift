import CacheConformance
import CacheCore
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// Loads, one of a key at a time.
extension ReferenceCache {
    final class Flight: Sendable {
        let outcome = Mutex<LoadOutcome?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        let isGivenUp = Mutex(false)
    }

    /// Does the loads that wait to be done beside the cache's work.
    func refresh() {
        for (place, origin) in contents.withLock({ $0.takeRefreshes() }) {
            let value = try? origin.fetch(place.key, for: self)
            contents.withLock { $0.endRefresh(place, place.key, value ?? nil, origin) }
        }
    }

    func load(_ key: [UInt8], _ origin: Origin, in group: String?) -> OperationResult {
        let place = contents.withLock { $0.place(key, in: group) }
        let isExpired = contents.withLock { contents in
            guard bug == .stampedesOnExpired else { return false }
            _ = contents.find(place)
            return contents.lastExpired?.name == key
        }
        if let known = contents.withLock({ $0.beginLoad(place, origin) }) { return known }
        if bug == .deepLoadsFail, contents.withLock({ $0.loading.count }) >= 8 { return .loaded(.failed, calls: 0) }
        let isUnknown = flights.withLock { $0[place] == nil }
        if bug == .registersLate { usleep(10_000) }
        var mine = Flight()
        let isAlone =
            bug == .loadsTwice || (bug == .registersLate && isUnknown) || (bug == .stampedesOnExpired && isExpired)
        let slot = bug == .flightsIgnoreGroup ? ReferenceContents.Place(key: key) : place
        let isLeader = flights.withLock { flights in
            if let other = flights[slot], !isAlone {
                mine = other
                return false
            }
            flights[slot] = mine
            return true
        }
        guard isLeader else {
            mine.isOver.wait()
            mine.isOver.signal()
            if bug == .waitersGetNothing, mine.outcome.withLock({ $0 }) == .failed {
                return .loaded(.nothing, calls: 0)
            }
            return .loaded(mine.outcome.withLock { $0! }, calls: 0)
        }
        // Somebody may have finished between the look and the flight, and nobody may write between this look and the load.
        let (known, started, startedAt) = contents.withLock { contents in
            let known = contents.lookAgain(place)
            return (known, known == nil ? contents.startLoad(place) : 0, contents.now)
        }
        if let known {
            finish(mine, slot, known)
            return .loaded(known, calls: 0)
        }
        let isQueued = bug == .oneLoadAtATime || bug == .nestedLoadDeadlocks
        if isQueued { _ = onlyLoad.wait(timeout: .now() + 20) }
        let result = Result { () throws(Origin.Failure) in try origin.fetch(key, for: self) }
        if isQueued { onlyLoad.signal() }
        if bug == .loadChecksTooEarly, contents.withLock({ $0.loading[place] == started }) {
            usleep(200)
            contents.withLock { $0.loading[place] = started }
        }
        if bug == .loadEndsBeforeItStores {
            flights.withLock { $0[slot] = nil }
            usleep(20)
        }
        let seen = bug == .loadsLostWhenBusy ? contents.withLock { $0.counters.loads } : nil
        if seen != nil { usleep(20) }
        let outcome = contents.withLock { contents in
            let outcome = contents.endLoad(place, key, result, origin, started, startedAt)
            if let seen, case .success(.some) = result { contents.counters.loads = seen + 1 }
            return outcome
        }
        let isGivenUp = mine.isGivenUp.withLock { $0 }
        let isStuck = isGivenUp && bug == .flightStaysGivenUp
        finish(mine, slot, isStuck || isGivenUp && bug == .cancelsAll ? .failed : outcome)
        if isStuck { flights.withLock { $0[place] = mine } }
        return .loaded(isGivenUp ? .failed : outcome, calls: 1)
    }

    private func finish(_ flight: Flight, _ place: ReferenceContents.Place, _ outcome: LoadOutcome) {
        flight.outcome.withLock { $0 = outcome }
        flights.withLock { $0[place] = nil }
        flight.isOver.signal()
    }

    func loadMany(_ keys: [[UInt8]], _ lacking: Set<[UInt8]>, _ first: Int) -> OperationResult {
        // With a defect, what is missing is found out before.
        let missing = bug == .bulkLoadOverwrites ? contents.withLock { $0.missing(keys) } : []
        if bug == .bulkLoadOverwrites { usleep(20) }
        return contents.withLock { contents in
            if contents.isClosed { return .failure(.closed) }
            var outcomes: [[UInt8]: LoadOutcome] = [:]
            let counters = contents.counters
            defer { if bug == .bulkLoadUncounted { contents.counters = counters } }
            var asked: [[UInt8]] = []
            for (index, key) in keys.enumerated() where outcomes[key] == nil {
                let place = contents.place(key, in: nil)
                let old = contents.entries[place]
                if bug != .bulkAsksForAll, !missing.contains(key), let entry = contents.read(place) {
                    if bug == .bulkLoadDoesNotRefresh, let old { contents.entries[place]?.stamp = old.stamp }
                    if bug == .bulkLoadDoesNotExtend, let old { contents.entries[place]?.deadline = old.deadline }
                    outcomes[key] = .value(entry)
                    continue
                }
                asked.append(key)
                guard !lacking.contains(key) else {
                    outcomes[key] = .nothing
                    continue
                }
                let entry = StoredEntry(Payload.described(sequence: first + index, byteCount: 32).bytes(for: key))
                if bug != .bulkLoadsHundred || asked.count <= 100 {
                    contents.set(place, key, entry, .plain, isLoaded: true)
                }
                if bug == .bulkLoadWritesBack { contents.note(key, entry.value) }
                outcomes[key] = .value(entry)
            }
            return .loadedMany(keys.map { outcomes[$0]! }, asked: asked)
        }
    }
}
