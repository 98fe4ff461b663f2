import CacheConformance
import CacheCore
import Dispatch
import Synchronization

// Loads: one for each key at a time, while nothing is locked.
extension ReferenceCache {
    final class Flight: Sendable {
        let outcome = Mutex<LoadOutcome?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        let isGivenUp = Mutex(false)

        func wait() -> LoadOutcome {
            isOver.wait()
            isOver.signal()
            return outcome.withLock { $0! }
        }
    }

    func load(_ id: ReferenceContents.EntryID, _ origin: Origin, _ operation: CacheOperation) -> OperationResult {
        if let known = step(of: operation, { $0.beginLoad(id, origin) }).result { return known }
        let mine = Flight()
        let other = flights.withLock { flights -> Flight? in
            if let other = flights[id] { return other }
            flights[id] = mine
            return nil
        }
        if let other { return .loaded(other.wait(), calls: 0) }
        // Another load may have ended between the look and the flight, and nobody may write between this look and the load.
        let (known, started) = step(of: operation) { contents in
            let known = contents.find(id).map { LoadOutcome.value($0.stored) }
            return (known, known == nil ? contents.startLoad(id) : 0)
        }.result
        if let known {
            finish(mine, id, known)
            return .loaded(known, calls: 0)
        }
        let result = Result { () throws(Origin.Failure) in try origin.fetch(id.key, for: self) }
        let outcome = step(of: operation) { $0.endLoad(id, result, origin, started) }.result
        finish(mine, id, outcome)
        return .loaded(mine.isGivenUp.withLock { $0 } ? .failed : outcome, calls: 1)
    }

    private func finish(_ flight: Flight, _ id: ReferenceContents.EntryID, _ outcome: LoadOutcome) {
        flight.outcome.withLock { $0 = outcome }
        flights.withLock { $0[id] = nil }
        flight.isOver.signal()
    }

    /// Does the loads that wait to be done beside the cache's work.
    func refresh() {
        let due = contents.withLock { contents in
            let all = contents.refreshing
            contents.refreshing = [:]
            return all.map { ($0.key, $0.value, contents.numberLoad($0.key)) }
        }
        for (id, origin, started) in due {
            let load = CacheOperation.load(id.key, origin)
            let value = try? origin.fetch(id.key, for: self)
            _ = step(of: id.group.map { .within(group: $0, load) } ?? load) { contents in
                guard contents.loading[id] == started else { return }
                contents.loading[id] = nil
                if let value = value ?? nil { contents.set(id, StoredEntry(value), origin.terms, isLoaded: true) }
            }
        }
    }
}

extension ReferenceContents {
    /// What a read that loads answers without loading; nil if it must.
    mutating func beginLoad(_ id: EntryID, _ origin: Origin) -> OperationResult? {
        if isClosed { return .failure(.closed) }
        if absent.contains(id) { return .loaded(.nothing, calls: 0) }
        guard let entry = find(id) else { return nil }
        if let age = setup.refreshNanoseconds, now - entry.writtenAt >= age, refreshing[id] == nil {
            refreshing[id] = origin
        }
        return read(id).map { .loaded(.value($0), calls: 0) }
    }

    /// Begins a load; answers its number.
    mutating func startLoad(_ id: EntryID) -> Int {
        counters.misses! += 1
        return numberLoad(id)
    }

    /// Tells a load from those before it; a write takes the number away.
    mutating func numberLoad(_ id: EntryID) -> Int {
        clock += 1
        loading[id] = clock
        return clock
    }

    /// Ends a load; what it brought is stored unless somebody has written meanwhile.
    mutating func endLoad(
        _ id: EntryID, _ result: Result<[UInt8]?, Origin.Failure>, _ origin: Origin, _ started: Int
    ) -> LoadOutcome {
        let isNewest = loading[id] == started
        loading[id] = nil
        switch result {
        case .failure:
            counters.loadFailures! += 1
            if let old = stale[id], now < old.until { return .value(old.entry.stored) }
            return .failed
        case .success(nil):
            counters.loads! += 1
            if isNewest { absent.insert(id) }
            return .nothing
        case .success(let value?):
            counters.loads! += 1
            let entry = StoredEntry(value)
            if isNewest, weight(of: origin.terms) <= capacity { set(id, entry, origin.terms, isLoaded: true) }
            return .value(entry)
        }
    }

    /// Reads several keys, and loads what is missing in one call.
    mutating func loadMany(_ keys: [[UInt8]], _ lacking: Set<[UInt8]>, _ first: Int) -> OperationResult {
        if isClosed { return .failure(.closed) }
        var outcomes: [[UInt8]: LoadOutcome] = [:]
        var asked: [[UInt8]] = []
        for (index, key) in keys.enumerated() where outcomes[key] == nil {
            let id = EntryID(key: key)
            if let entry = read(id) {
                outcomes[key] = .value(entry)
                continue
            }
            asked.append(key)
            guard !lacking.contains(key) else {
                outcomes[key] = .nothing
                continue
            }
            let entry = StoredEntry(Payload.described(sequence: first + index, byteCount: 32).bytes(for: key))
            set(id, entry, .plain, isLoaded: true)
            outcomes[key] = .value(entry)
        }
        return .loadedMany(keys.map { outcomes[$0]! }, asked: asked)
    }
}
