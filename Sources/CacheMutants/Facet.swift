import CacheConformance
import CacheCore
import CacheReference

typealias EntryID = ReferenceContents.EntryID
typealias Entry = ReferenceContents.Entry

/// What belongs to an entry and can be lost, kept or changed by mistake.
enum Facet: String, CaseIterable {
    case deadline, life, cost, tags, version, stamp, reads, pin, value, storedExpiry, age

    func copy(from old: Entry, to new: inout Entry) {
        switch self {
        case .deadline: new.deadline = old.deadline
        case .life: new.terms.timeToLiveNanoseconds = old.terms.timeToLiveNanoseconds
        case .cost: new.terms.cost = old.terms.cost
        case .tags: new.terms.tags = old.terms.tags
        case .version: new.version = old.version
        case .stamp: new.stamp = old.stamp
        case .reads: new.reads = old.reads
        case .pin: new.isPinned = old.isPinned
        case .value: new.stored.value = old.stored.value
        case .storedExpiry: new.stored.expiresAtNanoseconds = old.stored.expiresAtNanoseconds
        case .age: new.writtenAt = old.writtenAt
        }
    }

    /// Makes the facet what it is of an entry of which nothing was said.
    func reset(_ entry: inout Entry) { copy(from: .plain, to: &entry) }

    /// Makes the deadline or the stamp what it is when an entry is stored or used now.
    func renew(_ entry: inout Entry, in contents: inout ReferenceContents) {
        if self == .deadline {
            entry.deadline = contents.deadline(entry.terms)
        } else {
            contents.clock += 1
            entry.stamp = contents.clock
        }
    }

    /// Puts the tags or the end of the value that the old entry had to what the new one has.
    func add(of old: Entry, to new: inout Entry) {
        if self == .tags {
            new.terms.tags += old.terms.tags
        } else {
            new.stored.value += old.stored.value.dropFirst(new.stored.value.count)
        }
    }
}

extension ReferenceContents {
    /// Gives an entry other facets; the total of costs follows.
    mutating func bend(_ id: EntryID, _ body: (inout Entry, inout ReferenceContents) -> Void) {
        guard var entry = entries[id] else { return }
        let before = entry.terms.cost
        body(&entry, &self)
        cost += entry.terms.cost - before
        entries[id] = entry
        if flavour.isOnDisk { changed.insert(id) }
    }

    /// The entry under a key, if it is live.
    func live(_ id: EntryID) -> Entry? { entries[id].flatMap { isOver($0) ? nil : $0 } }

    /// The entries that an operation is about: those of its keys, those of its group, or all.
    func subjects(of operation: CacheOperation) -> [EntryID] {
        let (inner, group) = operation.inner
        switch inner {
        case .rename(_, let other): return [EntryID(group: group, key: other)]
        case .putMany(let items): return items.map { EntryID(group: group, key: $0.key) }
        case .getMany(let keys), .removeMany(let keys), .loadMany(let keys, _, _): return keys.map { EntryID(key: $0) }
        default:
            if let key = inner.key { return [EntryID(group: group, key: key)] }
            return entries.keys.filter { group == nil || $0.group == group }
        }
    }

    /// Evicts an entry other than the newcomer.
    mutating func evict(sparing newcomer: EntryID?, newest: Bool = false, in group: String? = nil) {
        let others = entries.filter { $0.key != newcomer && (group == nil || $0.key.group == group) }
        let victim =
            newest
            ? others.max { $0.value.stamp < $1.value.stamp } : others.min { $0.value.stamp < $1.value.stamp }
        if let victim { leave(victim.key, .evicted) }
    }

    /// A table that is kept beside the entries.
    mutating func restore(_ table: String, from old: ReferenceContents) {
        func merge<Value>(_ path: WritableKeyPath<ReferenceContents, [EntryID: Value]>) {
            self[keyPath: path].merge(old[keyPath: path]) { new, _ in new }
        }
        switch table {
        case "loading": merge(\.loading)
        case "absent": absent.formUnion(old.absent)
        case "stale":
            merge(\.stale)
            // What was there and dead may be served too.
            for (id, entry) in old.entries where old.isOver(entry) {
                stale[id] = (entry, saturatingSum(entry.deadline!, setup.staleNanoseconds ?? 0))
            }
        case "refreshing": merge(\.refreshing)
        case "capacity": capacity = old.capacity
        case "order": for (id, entry) in old.entries { entries[id]?.stamp = entry.stamp }
        default: preconditionFailure("no table \(table)")
        }
    }

    mutating func empty(_ table: String) {
        switch table {
        case "absent": absent = []
        case "stale": stale = [:]
        case "versions": writes = 0
        case "pins": for id in entries.keys { entries[id]!.isPinned = false }
        case "listener": listener = .plain
        default: preconditionFailure("no table \(table)")
        }
    }
}
