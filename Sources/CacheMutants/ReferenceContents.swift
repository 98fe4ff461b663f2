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
        /// The number of the write that stored it.
        var version = 0
        var writtenAt: Int64 = 0
        var isPinned = false
    }

    let bug: Mutant?
    let order: String
    let timeToIdle: Int64?
    let setup: CacheSetup
    let flavour: ReferenceSubject.Flavour
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
    var marks: [Place: Int] = [:]
    var writes = 0
    var reads = 0
    /// What has expired, kept for origins that fail.
    var stale: [Place: (entry: Entry, until: Int64)] = [:]
    /// Loads that wait to be done beside the cache's work.
    var refreshing: [Place: Origin] = [:]
    var failingKeys: Set<[UInt8]> = []
    var groupLimits: [String: Int] = [:]
    var listener = Listener.plain
    /// Changes that the writer has not been given yet.
    var behind: [WrittenEntry] = []
    var inMemory: Set<Place> = []
    var lowerFails = false
    /// Whether anything was ever pinned.
    var hasPins = false
    /// Places that have changed since they were last written to disk.
    var changed: Set<Place> = []
    var lastReadWasLower = false
    /// The bytes of the journal.
    var diskBytes = 0
    var names: [String: [UInt8]] = [:]
    /// Keys whose records were damaged, and how many entries a defect does not count.
    var stuck: Set<[UInt8]> = []
    var uncounted = 0
    var lost: Set<Place> = []
    /// What some defects keep in memory alone.
    var memoryOnly: [Place: StoredEntry] = [:]
    var beforeNewest: StoredEntry?
    var lastExpired: Entry?
    /// What some defects remember.
    var newest: Place?
    var failed: Set<Place> = []
    var removals = 0
    var wasCleared = false
    var isNested = false
    var addresses: [Place: (address: UInt, count: Int)] = [:]
    var orphans: Set<Place> = []
    var clearedGroups: Set<String> = []
    var replaced: Set<Place> = []
    /// Removals that a defect remembers, and those that it remembers beyond a clear.
    var tombstones: Set<Place> = []
    var buried: Set<Place> = []
    /// Keys that a defect goes on holding.
    var held: Set<Place> = []
    var slips = Slips()
    /// The objects that are kept themselves.
    var objects: [Place: any AnyObject & Sendable] = [:]
    /// Objects that have left and are let go of when the lock is free.
    var departed: [any AnyObject & Sendable] = []

    init(_ setup: CacheSetup, order: String, bug: Mutant?, flavour: ReferenceSubject.Flavour) {
        self.bug = bug
        self.setup = setup
        self.flavour = flavour
        now = setup.nowNanoseconds ?? 0
        wall = now
        self.order = order
        timeToIdle = setup.timeToIdleNanoseconds ?? (bug == .idlesByDefault ? 1 << 54 : nil)
        capacity = setup.capacity?.amount ?? 1 << 20
        unit = setup.capacity?.unit ?? .objects
        (counters.hits, counters.misses, counters.evictions, counters.expirations) = (0, 0, 0, 0)
        (counters.loads, counters.loadFailures) = (0, 0)
        if flavour == .tiered { counters.lowerHits = 0 }
        if bug == .zeroIsNoLimit, capacity == 0 { capacity = .max }
        if bug == .startsAtOne { counters.misses = 1 }
    }

    mutating func perform(_ operation: CacheOperation) -> OperationResult {
        if case .close = operation {
            if bug != .closeDrops { drain() }
            isClosed = true
            return .done
        }
        if operation == .writes, flavour == .behind { return .writes(takeWritten()) }
        if isClosed, !staysOpen(for: operation) { return .failure(.closed) }
        return slip(operation) ?? performSoundly(operation)
    }

    /// Does an operation, whatever is wrong around it.
    mutating func performSoundly(_ operation: CacheOperation) -> OperationResult {
        if let refusal = refusedByWriter(operation) { return refusal }
        if case .within(let group, let inner) = operation { return performOne(inner, in: map(group)) }
        return performOne(operation, in: nil)
    }

    /// What comes of a change that the writer fails for: an error, and nothing else.
    private func refusedByWriter(_ operation: CacheOperation) -> OperationResult? {
        guard failsWrites || !failingKeys.isEmpty, flavour != .behind, bug != .failedStepHidden else { return nil }
        switch operation {
        case .putIfAbsent, .replace, .compareAndSet, .exchange, .take, .setIfMarked, .removeIfMarked, .update,
            .increment, .removeMany:
            var trial = self
            trial.failsWrites = false
            trial.failingKeys = []
            _ = trial.performSoundly(operation)
            let failing = trial.written[written.count...].contains { failsWrites || failingKeys.contains($0.key) }
            return failing ? .failure(StoreError(.unavailable, "the writer failed")) : nil
        default: return nil
        }
    }

    private mutating func performOne(_ operation: CacheOperation, in group: String?) -> OperationResult {
        if let key = operation.key {
            if key.count > 5_000 { return .failure(StoreError(.keyRefused, "use a shorter key")) }
            let place = place(key, in: group)
            switch operation {
            case .put(_, _, _, var terms):
                if bug == .groupForgetsTime, group != nil { terms.timeToLiveNanoseconds = nil }
                return put(place, key, operation.entry!, terms)
            case .get where bug == .groupReadKeepsOrder && group != nil:
                let stamp = entries[place]?.stamp
                defer { if let stamp { entries[place]?.stamp = stamp } }
                return .entry(read(place))
            case .get: return .entry(read(place))
            case .contains: return .flag(looks(place))
            case .remove: return remove(place, key)
            case .rename(_, let other):
                if other.count > 5_000 { return .failure(StoreError(.keyRefused, "use a shorter key")) }
                return rename(place, self.place(other, in: group), other)
            default: return performConditional(operation, place, key)
            }
        }
        switch operation {
        case .removeAll:
            if group == nil { slips.clears += 1 }
            clear(group)
        case .count:
            let count = max(0, listed(group).count - uncounted)
            return .number(bug == .countOf16Bits ? count % (1 << 16) : count)
        case .keys:
            var all = listed(group).map(\.value)
            if bug == .listsShortOfPower, all.count >= 4, all.count & (all.count - 1) == 0 { all.removeLast() }
            let again = bug == .listsTouchedTwice ? all.filter { $0.reads > 1 } : []
            let names = (all + again).map(\.name).sorted { $0.lexicographicallyPrecedes($1) }
            return .keys(bug == .listsFirstThousand ? Array(names.prefix(1_000)) : names)
        case .firstKeys(let most):
            let names = listed(group).map(\.value.name).sorted { $0.lexicographicallyPrecedes($1) }
            return .keys(Array(names.prefix(max(0, most))))
        case .putMany(let items): return putMany(items, in: group)
        default: return performWhole(operation)
        }
        return .done
    }

    private mutating func performWhole(_ operation: CacheOperation) -> OperationResult {
        switch operation {
        case .getMany(let keys):
            let places = keys.map { mapped($0, in: nil) }
            return .entries(readMany(places))
        case .removeMany(let keys):
            let before = told.count
            defer { if bug == .bulkRemoveTellsNothing { told.removeSubrange(min(before, told.count)...) } }
            let asked = keys.prefix(bug == .bulkRemovesHundred ? 100 : .max)
            let removed = asked.count { remove(mapped($0, in: nil), $0) == .flag(true) }
            return .number(bug == .countsAsked ? keys.count : removed)
        case .advance(let step):
            now = now.addingReportingOverflow(step).overflow ? .max : now + step
            wall &+= min(step, 1 << 50)
        case .sleep(let step):
            wall &+= min(step, 1 << 50)
            if bug != .sleepStopsClock { now += step }
            slipClock(operation)
        case .moveWallClock(let step):
            wall &+= step
            slipClock(operation)
        case .cost:
            sweep()
            return .number(unit == .bytes ? cost : entries.count)
        case .resize(let amount):
            guard amount >= 0 else { return .failure(StoreError(.unavailable, "a capacity is not below nothing")) }
            let (old, before) = (capacity, told.count)
            capacity = amount
            let evictions = counters.evictions
            defer { if bug == .resizeCountsNothing { counters.evictions = evictions } }
            while bug == .shrinkEvictsNewest, entries.count > capacity {
                leave(entries.max { $0.value.stamp < $1.value.stamp }!.key, .evicted)
            }
            if bug != .shrinkKeeps { makeRoom(sparing: nil) }
            if bug == .resizeForgotten { capacity = old }
            if bug == .resizeTellsNothing { told.removeSubrange(min(before, told.count)...) }
        case .maintain:
            sweep()
            drain()
        case .statistics: return .statistics(counted())
        case .events: return .events(takeEvents())
        case .writes: return .writes(takeWritten())
        case .failWrites(let fails): failsWrites = fails
        case .failWritesOf(let keys): failingKeys = Set(keys)
        case .listen(let new): listener = new
        case .limitGroup(let name, let amount): groupLimits[name] = amount
        case .dropMemory: dropMemory()
        case .failLower(let fails): lowerFails = fails
        case .diskUsage: return .number(diskBytes)
        case .removeTagged(let tag):
            sweep()
            stale = stale.filter { !has($0.value.entry, tag) }
            let tagged = entries.filter { has($0.value, tag) }
            for (place, entry) in tagged.prefix(bug == .tagRemovesHundred ? 100 : .max) {
                if bug == .tagsOnlyFirst, entry.terms.tags[0] != tag { continue }
                let before = told.count
                leave(place, .removed)
                if bug == .tagRemovalTellsNothing { told.removeSubrange(min(before, told.count)...) }
            }
        case .flush: drain()
        case .pause: break
        default: return .failure(.unsupported(operation))
        }
        return .done
    }
}
