package import CacheConformance
package import CacheCore

/// What the reference cache holds: a value, so that what it was before an operation can be kept and compared.
public struct ReferenceContents: Sendable {
    package static let keyBytesMax = 5_000
    package static let valueBytesMax = 1 << 20 + 1

    /// A key with its group; nil for the keys outside of groups.
    package struct EntryID: Hashable, Sendable {
        package var group: String?
        package var key: [UInt8]

        package init(group: String? = nil, key: [UInt8]) {
            self.group = group
            self.key = key
        }
    }

    package struct Entry: Sendable {
        package var stored: StoredEntry
        package var terms: PutTerms
        /// When it expires, by its own time to live or by the time to idle; nil for never.
        package var deadline: Int64?
        /// Its place in the order of eviction: when it arrived or was used last.
        package var stamp: Int
        package var reads = 1
        /// The number of the write that stored it.
        package var version = 0
        package var writtenAt: Int64 = 0
        package var isPinned = false

        /// One of which nothing was said.
        package static let plain = Entry(stored: StoredEntry([]), terms: .plain, stamp: 0, reads: 0)
    }

    package let setup: CacheSetup
    package let order: String
    package let flavour: ReferenceSubject.Flavour
    package let unit: Capacity.Unit
    package var capacity: Int
    package var isClosed = false

    // Entries
    package var entries: [EntryID: Entry] = [:]
    /// The sum of the entries' costs.
    package var cost = 0
    /// Counts writes and reads: the source of stamps.
    package var clock = 0
    package var writes = 0
    package var reads = 0
    /// The versions that were marked.
    package var marks: [EntryID: Int] = [:]
    /// Whether anything was ever pinned.
    package var hasPins = false
    package var groupLimits: [String: Int] = [:]
    /// The objects that are kept themselves, and those that have left and are to be released.
    package var objects: [EntryID: any AnyObject & Sendable] = [:]
    package var departed: [any AnyObject & Sendable] = []

    // Time
    package var now: Int64 = 0

    // Loads
    /// The loads that have begun and that no write has overtaken.
    package var loading: [EntryID: Int] = [:]
    /// Keys whose origin had no value.
    package var absent: Set<EntryID> = []
    /// What has expired, kept for origins that fail.
    package var stale: [EntryID: (entry: Entry, until: Int64)] = [:]
    /// Loads that wait to be done beside the cache's work.
    package var refreshing: [EntryID: Origin] = [:]

    // Events, counters and the writer
    package var counters = CacheCounters()
    package var events: [CacheEvent] = []
    package var listener = Listener.plain
    package var written: [WrittenEntry] = []
    /// Changes that the writer has not been given yet.
    package var behind: [WrittenEntry] = []
    package var failsWrites = false
    package var failingKeys: Set<[UInt8]> = []

    // The disk and the lower tier
    package var inMemory: Set<EntryID> = []
    package var lowerFails = false
    /// What has changed since the last record was written.
    package var changed: Set<EntryID> = []
    /// The size of the journal in bytes.
    package var diskBytes = 0

    package init(_ setup: CacheSetup, order: String, flavour: ReferenceSubject.Flavour) {
        self.setup = setup
        self.order = order
        self.flavour = flavour
        now = setup.nowNanoseconds ?? 0
        capacity = setup.capacity?.amount ?? 1 << 20
        unit = setup.capacity?.unit ?? .objects
        (counters.hits, counters.misses, counters.evictions, counters.expirations) = (0, 0, 0, 0)
        (counters.loads, counters.loadFailures) = (0, 0)
        if flavour == .tiered { counters.lowerHits = 0 }
    }

    package mutating func perform(_ operation: CacheOperation) -> OperationResult {
        if operation == .close {
            drain()
            isClosed = true
            return .done
        }
        if operation == .writes, flavour == .behind { return takeWritten() }
        if isClosed { return .failure(.closed) }
        if let refusal = refusedByWriter(operation) { return refusal }
        if case .within(let group, let inner) = operation { return perform(inner, in: group) }
        return perform(operation, in: nil)
    }

    private mutating func perform(_ operation: CacheOperation, in group: String?) -> OperationResult {
        if let key = operation.key {
            if key.count > Self.keyBytesMax { return .failure(StoreError(.keyRefused, "use a shorter key")) }
            return perform(operation, on: EntryID(group: group, key: key))
        }
        switch operation {
        case .removeAll: clear(group)
        case .count: return .number(listed(group).count)
        case .keys: return .keys(listed(group))
        case .firstKeys(let most): return .keys(Array(listed(group).prefix(max(0, most))))
        case .putMany(let items):
            return .flags(
                items.map { item in
                    item.key.count <= Self.keyBytesMax
                        && put(EntryID(group: group, key: item.key), StoredEntry(item.value), .plain) == .done
                })
        default: return performOnWhole(operation)
        }
        return .done
    }

    /// What does not name a key, and is asked outside of groups.
    private mutating func performOnWhole(_ operation: CacheOperation) -> OperationResult {
        switch operation {
        case .getMany(let keys): return .entries(keys.map { read(EntryID(key: $0)) })
        case .removeMany(let keys): return .number(keys.count { remove(EntryID(key: $0)) == .flag(true) })
        case .removeTagged(let tag):
            sweep()
            stale = stale.filter { !$0.value.entry.terms.tags.contains(tag) }
            for (id, entry) in entries where entry.terms.tags.contains(tag) { leave(id, .removed) }
        case .advance(let step), .sleep(let step): now = saturatingSum(now, step)
        case .moveWallClock, .pause: break
        case .cost:
            sweep()
            return .number(weight)
        case .resize(let amount):
            guard amount >= 0 else { return .failure(StoreError(.unavailable, "a capacity is not below nothing")) }
            capacity = amount
            makeRoom(sparing: nil)
        case .limitGroup(let name, let amount): groupLimits[name] = amount
        case .maintain:
            sweep()
            drain()
        case .flush: drain()
        case .statistics: return .statistics(counted())
        case .events:
            defer { events = [] }
            return .events(events)
        case .listen(let new): listener = new
        case .writes: return takeWritten()
        case .failWrites(let fails): failsWrites = fails
        case .failWritesOf(let keys): failingKeys = Set(keys)
        case .dropMemory: inMemory = []
        case .failLower(let fails): lowerFails = fails
        case .diskUsage: return .number(diskBytes)
        default: return .failure(.unsupported(operation))
        }
        return .done
    }

    /// The counters, with their ratio.
    private func counted() -> CacheCounters {
        var counters = counters
        let reads = counters.hits! + counters.misses!
        counters.hitRatio = reads > 0 ? Double(counters.hits!) / Double(reads) : 0
        return counters
    }
}
