package import CacheConformance
package import CacheCore

// Writing, removing, and the writer that is told of both.
extension ReferenceContents {
    /// Stores an entry if it may be stored. What is refused for itself takes the old entry with it: that is out of date.
    package mutating func put(_ id: EntryID, _ entry: StoredEntry, _ terms: PutTerms) -> OperationResult {
        if entry.value.count > Self.valueBytesMax { return refuse(id, "use a shorter value") }
        if let failure = failure(of: id.key) { return .failure(failure) }
        if terms.cost < 0 { return refuse(id, "it costs less than nothing") }
        if hasPins, entries.count(where: { $0.value.isPinned && $0.key != id }) >= capacity {
            return refuse(id, "all that is there is pinned")
        }
        note(id.key, entry.value)
        if weight(of: terms) > capacity {
            loading[id] = nil
            return refuse(id, "it costs more than the capacity")
        }
        set(id, entry, terms)
        return .done
    }

    private mutating func refuse(_ id: EntryID, _ reason: String) -> OperationResult {
        leave(id, .replaced)
        return .failure(StoreError(.valueRefused, reason))
    }

    /// Stores an entry in the place of the old one, and makes room.
    package mutating func set(_ id: EntryID, _ stored: StoredEntry, _ terms: PutTerms, isLoaded: Bool = false) {
        if !isLoaded { (loading[id], refreshing[id]) = (nil, nil) }
        absent.remove(id)
        stale[id] = nil
        let old = find(id)
        if let time = terms.timeToLiveNanoseconds, time <= 0 { return leave(id, .replaced) }
        clock += 1
        writes += 1
        var entry = Entry(
            stored: stored, terms: terms, deadline: deadline(terms), stamp: clock, version: writes, writtenAt: now)
        if let object = objects.removeValue(forKey: id) { departed.append(object) }
        if let old {
            tell(id, old.stored.value, .replaced)
            cost -= old.terms.cost
            entry.reads = old.reads + 1
            entry.isPinned = old.isPinned
            if order == "fifo" { entry.stamp = old.stamp }
        }
        while unit == .bytes, cost.addingReportingOverflow(terms.cost).overflow, let victim = victim(sparing: id),
            entries[victim] != nil
        {
            leave(victim, .evicted)
        }
        cost += terms.cost
        entries[id] = entry
        changed.insert(id)
        inMemory.insert(id)
        makeRoom(sparing: id)
        limitGroup(of: id)
    }

    package mutating func remove(_ id: EntryID) -> OperationResult {
        if let failure = failure(of: id.key) { return .failure(failure) }
        note(id.key, nil)
        let isThere = find(id) != nil
        loading[id] = nil
        absent.remove(id)
        leave(id, .removed)
        return .flag(isThere)
    }

    /// Gives an entry another key, with everything that belongs to it.
    mutating func rename(_ id: EntryID, _ other: EntryID) -> OperationResult {
        if other.key.count > Self.keyBytesMax { return .failure(StoreError(.keyRefused, "use a shorter key")) }
        guard let entry = find(id) else { return .flag(false) }
        guard id != other else { return .flag(true) }
        loading[other] = nil
        absent.remove(other)
        leave(other, .replaced)
        entries[id] = nil
        entries[other] = entry
        changed.formUnion([id, other])
        inMemory.insert(other)
        return .flag(true)
    }

    package mutating func clear(_ group: String?) {
        func isMeant(_ id: EntryID) -> Bool { group == nil || id.group == group }
        loading = loading.filter { !isMeant($0.key) }
        refreshing = refreshing.filter { !isMeant($0.key) }
        absent = absent.filter { !isMeant($0) }
        for id in entries.keys where isMeant(id) && find(id) != nil { leave(id, .removed) }
        // What was found to have expired is cleared too.
        stale = stale.filter { !isMeant($0.key) }
    }

    /// Takes an entry away, and tells.
    package mutating func leave(_ id: EntryID, _ cause: CacheEvent.Cause) {
        if cause != .expired { (stale[id], refreshing[id]) = (nil, nil) }
        guard let entry = entries.removeValue(forKey: id) else { return }
        if let object = objects.removeValue(forKey: id) { departed.append(object) }
        changed.insert(id)
        cost -= entry.terms.cost
        if cause == .evicted { counters.evictions! += 1 }
        if cause == .expired { counters.expirations! += 1 }
        tell(id, entry.stored.value, cause)
    }

    package mutating func tell(_ id: EntryID, _ value: [UInt8], _ cause: CacheEvent.Cause) {
        guard listener != .none else { return }
        events.append(CacheEvent(group: id.group, key: id.key, value: value, cause: cause))
    }

    // MARK: The writer

    /// Why a change of a key is refused: the writer fails for it and somebody waits for that, or the lower tier does.
    private func failure(of key: [UInt8]) -> StoreError? {
        if flavour != .behind, failsWrites || failingKeys.contains(key) {
            return StoreError(.unavailable, "the writer failed")
        }
        return lowerFails ? StoreError(.unavailable, "the disk failed") : nil
    }

    /// The error of an operation with a condition that the writer fails for; it is tried on a copy, since the writer is only
    /// asked where something is written.
    func refusedByWriter(_ operation: CacheOperation) -> OperationResult? {
        guard failsWrites || !failingKeys.isEmpty, flavour != .behind else { return nil }
        switch operation {
        case .putIfAbsent, .replace, .compareAndSet, .exchange, .take, .setIfMarked, .removeIfMarked, .update,
            .increment, .removeMany:
            var trial = self
            trial.failsWrites = false
            trial.failingKeys = []
            _ = trial.perform(operation)
            let isFailing = trial.written[written.count...].contains { failsWrites || failingKeys.contains($0.key) }
            return isFailing ? .failure(StoreError(.unavailable, "the writer failed")) : nil
        default: return nil
        }
    }

    /// Gives a change to the writer, or to what waits for it.
    package mutating func note(_ key: [UInt8], _ value: [UInt8]?) {
        let change = WrittenEntry(key: key, value: value)
        if flavour == .behind { behind.append(change) } else { written.append(change) }
    }

    /// Gives the writer what waits for it, the last change of each key; what it fails for waits on.
    package mutating func drain() {
        let waiting = behind.filter { failsWrites || failingKeys.contains($0.key) }
        let due = behind.filter { !failsWrites && !failingKeys.contains($0.key) }
        let last = Dictionary(due.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { $1 })
        written += due.enumerated().filter { last[$1.key] == $0 }.map(\.element)
        behind = waiting
    }

    mutating func takeWritten() -> OperationResult {
        defer { written = [] }
        return .writes(written)
    }
}
