import CacheConformance
import CacheCore

/// What the reference cache holds, under its lock.
struct ReferenceContents {
    struct Place: Hashable {
        var group: String?
        var key: [UInt8]
    }

    struct Entry {
        var name: [UInt8]
        var stored: StoredEntry
        var terms: PutTerms
        var deadline: Int64?
        /// Its place in the order of arrival or use.
        var stamp: Int
        var reads = 1
    }

    let bug: Mutant?
    let order: String
    let timeToIdle: Int64?
    var capacity: Int
    let unit: Capacity.Unit
    var entries: [Place: Entry] = [:]
    var absent: Set<Place> = []
    var counters = CacheCounters()
    var told: [CacheEvent] = []
    var written: [WrittenEntry] = []
    var failsWrites = false
    var now: Int64 = 0
    var wall: Int64 = 0
    var clock = 0
    var cost = 0
    /// Loads that have begun and that no write has overtaken.
    var loading: [Place: Int] = [:]
    var isClosed = false
    /// What some defects remember.
    var newest: Place?
    var failed: Set<Place> = []
    var removals = 0
    var wasCleared = false
    var isNested = false

    init(_ setup: CacheSetup, order: String, bug: Mutant?) {
        self.bug = bug
        self.order = order
        timeToIdle = setup.timeToIdleNanoseconds
        capacity = setup.capacity?.amount ?? 1 << 20
        unit = setup.capacity?.unit ?? .objects
        (counters.hits, counters.misses, counters.evictions, counters.expirations) = (0, 0, 0, 0)
        (counters.loads, counters.loadFailures) = (0, 0)
        if bug == .startsAtOne { counters.misses = 1 }
    }

    mutating func perform(_ operation: Operation) -> OperationResult {
        if case .close = operation {
            isClosed = true
            return .done
        }
        if isClosed { return .failure(.closed) }
        if case .within(let group, let inner) = operation { return performOne(inner, in: map(group)) }
        return performOne(operation, in: nil)
    }

    private mutating func performOne(_ operation: Operation, in group: String?) -> OperationResult {
        if let key = operation.key {
            if key.count > 5_000 { return .failure(StorageError(.keyRefused, "use a shorter key")) }
            let place = place(key, in: group)
            switch operation {
            case .put(_, _, _, let terms): return put(place, key, operation.entry!, terms)
            case .get: return .entry(read(place))
            case .contains: return .flag(looks(place))
            case .remove: return remove(place, key)
            default: return performConditional(operation, place, key)
            }
        }
        switch operation {
        case .removeAll: clear(group)
        case .count: return .number(listed(group).count)
        case .keys: return .keys(listed(group).map(\.value.name).sorted { $0.lexicographicallyPrecedes($1) })
        default: return performWhole(operation)
        }
        return .done
    }

    private mutating func performWhole(_ operation: Operation) -> OperationResult {
        switch operation {
        case .getMany(let keys): return .entries(readMany(keys.map { place($0, in: nil) }))
        case .removeMany(let keys):
            let removed = keys.count { remove(place($0, in: nil), $0) == .flag(true) }
            return .number(bug == .countsAsked ? keys.count : removed)
        case .advance(let step):
            now = now.addingReportingOverflow(step).overflow ? .max : now + step
            wall += min(step, 1 << 50)
        case .moveWallClock(let step): wall += step
        case .cost:
            sweep()
            return .number(unit == .bytes ? cost : entries.count)
        case .resize(let amount):
            capacity = amount
            if bug != .shrinkKeeps { makeRoom(sparing: nil) }
        case .maintain: sweep()
        case .statistics: return .statistics(counters)
        case .events: return .events(takeEvents())
        case .writes:
            defer { written = [] }
            return .writes(written)
        case .failWrites(let fails): failsWrites = fails
        case .removeTagged(let tag):
            for (place, entry) in entries where entry.terms.tags.contains(tag) { leave(place, .removed) }
        case .flush, .pause: break
        default: return .failure(.unsupported(operation))
        }
        return .done
    }

    // MARK: Time and keys

    private func map(_ group: String) -> String { bug == .fewGroups ? String(group.prefix(8)) : group }

    func place(_ key: [UInt8], in group: String?) -> Place {
        var key = key
        if bug == .foldsCase { key = Array(String(decoding: key, as: UTF8.self).lowercased().utf8) }
        if bug == .collides {
            let hash = key.reduce(UInt32(0)) { $0 &* 31 &+ UInt32($1) }
            key = (0..<4).map { UInt8(truncatingIfNeeded: hash >> (8 * $0)) }
        }
        if bug == .joinsNames, let group { return Place(group: "", key: Array(group.utf8) + Array("/".utf8) + key) }
        return Place(group: group, key: key)
    }

    func isOver(_ entry: Entry) -> Bool {
        guard let deadline = entry.deadline else { return false }
        switch bug {
        case .deadlineLate: return now > deadline
        case .endsEarly: return now + 1 >= deadline
        case .followsWallClock: return wall >= deadline
        default: return now >= deadline
        }
    }

    func deadline(_ terms: PutTerms) -> Int64? {
        var time = terms.timeToLiveNanoseconds ?? timeToIdle
        if bug == .ruleWins, let timeToIdle { time = timeToIdle }
        guard let time else { return nil }
        if bug == .zeroIsForever, time <= 0 { return nil }
        let sum = now.addingReportingOverflow(time)
        return sum.overflow ? nil : sum.partialValue
    }

    /// The live entry at a place; what has expired leaves.
    mutating func find(_ place: Place) -> Entry? {
        guard let entry = entries[place] else { return nil }
        if isOver(entry) {
            leave(place, .expired)
            return nil
        }
        return entry
    }

    mutating func sweep() {
        for (place, entry) in entries where isOver(entry) { leave(place, .expired) }
        if bug == .staleTimer {
            for (place, entry) in entries where entry.terms.tags.contains("timer") { leave(place, .removed) }
        }
    }
}
