import CacheConformance
import CacheCore
import CacheReference
import Foundation
import Synchronization

// What is wrong with the contents after an operation, and what is made ready for that before it.
extension MutantCache {
    private func ids(_ operation: CacheOperation, _ old: ReferenceContents) -> [EntryID] {
        mutation.arguments.contains("all") ? Array(old.entries.keys) : old.subjects(of: operation)
    }

    func prepare(_ contents: inout ReferenceContents, _ operation: CacheOperation, _ old: ReferenceContents) {
        switch mutation.operator {
        case .seesDead where facts(operation, old, nil, nil):
            for id in ids(operation, old) where old.entries[id].map(old.isOver) ?? false {
                contents.entries[id]!.deadline = nil
            }
        case .unbounded where facts(operation, old, nil, nil): contents.capacity = .max
        case .applies: (contents.failsWrites, contents.failingKeys) = (false, [])
        case .evicts where mutation.arguments.contains("before") && facts(operation, old, nil, nil):
            evict(&contents, operation, old)
        // What waits for the writer is forgotten.
        case .writes where mutation.argument == "forgets" && facts(operation, old, nil, nil): contents.behind = []
        case .tells where operation == .events && mutation.argument == "backwards": contents.events.reverse()
        default: break
        }
    }

    func bend(
        _ contents: inout ReferenceContents, _ operation: CacheOperation, _ old: ReferenceContents,
        _ answer: OperationResult?
    ) {
        guard facts(operation, old, contents, answer) else { return restoreBounds(&contents, old) }
        switch mutation.operator {
        case .keeps, .adds: inherit(&contents, operation, old)
        case .loses, .renews: renew(&contents, operation, old)
        case .shifts: shift(&contents, operation, old)
        case .restores: contents.restore(mutation.argument, from: old)
        case .empties: contents.empty(mutation.argument)
        case .once: keepFirst(&contents, old)
        case .tells: tell(&contents, operation, old)
        case .counts: count(&contents, old)
        case .writes: write(&contents, operation, old)
        case .ignores: contents = old
        case .applies:
            (contents.failsWrites, contents.failingKeys, contents.written) =
                (old.failsWrites, old.failingKeys, old.written)
        case .seesDead:
            for (id, entry) in old.entries where contents.entries[id]?.version == entry.version {
                contents.entries[id]!.deadline = contents.entries[id]!.deadline ?? entry.deadline
            }
        case .spares: spare(&contents, operation, old)
        case .evicts where !mutation.arguments.contains("before"): evict(&contents, operation, old)
        case .unbounded: restoreBounds(&contents, old)
        case .cost: narrowCosts(&contents)
        case .holds: memory.withLock { $0.objects += contents.departed }
        case .sticks: for _ in 0..<20_000 { usleep(1_000) }
        default: break
        }
    }

    private func restoreBounds(_ contents: inout ReferenceContents, _ old: ReferenceContents) {
        switch mutation.operator {
        case .unbounded where contents.capacity == .max: contents.capacity = old.capacity
        case .applies: (contents.failsWrites, contents.failingKeys) = (old.failsWrites, old.failingKeys)
        default: break
        }
    }

    // MARK: Facets

    private var facets: [Facet] { mutation.arguments.compactMap(Facet.init) }

    /// Gives what took the place of an entry something that the entry had.
    private func inherit(
        _ contents: inout ReferenceContents, _ operation: CacheOperation, _ old: ReferenceContents
    ) {
        var source = old.entries
        if case .rename(let key, let other) = operation.inner.operation {
            let group = operation.inner.group
            source[EntryID(group: group, key: other)] = source[EntryID(group: group, key: key)]
        }
        for id in ids(operation, old) {
            guard let before = source[id], !old.isOver(before) else { continue }
            contents.bend(id) { entry, _ in
                for facet in facets {
                    if mutation.operator == .adds {
                        facet.add(of: before, to: &entry)
                    } else {
                        facet.copy(from: before, to: &entry)
                    }
                }
            }
        }
    }

    private func renew(_ contents: inout ReferenceContents, _ operation: CacheOperation, _ old: ReferenceContents) {
        for id in ids(operation, contents) {
            contents.bend(id) { entry, contents in
                for facet in facets {
                    if mutation.operator == .loses {
                        facet.reset(&entry)
                    } else {
                        facet.renew(&entry, in: &contents)
                    }
                }
            }
        }
    }

    /// Moves the end of an entry, its stamp, or the total of costs.
    private func shift(_ contents: inout ReferenceContents, _ operation: CacheOperation, _ old: ReferenceContents) {
        let ids = ids(operation, old)
        let number = mutation.number
        switch mutation.argument {
        case "deadline":
            for id in ids {
                contents.bend(id) { entry, _ in entry.deadline = entry.deadline.map { $0 &+ Int64(number) } }
            }
        case "stamp": for id in ids { contents.bend(id) { entry, _ in entry.stamp = -entry.stamp } }
        // The cost of what was replaced, of what has left, or of what was evicted stays in the total or leaves it twice.
        case "total":
            let gone = old.entries.filter { id, entry in contents.entries[id]?.version != entry.version }
            contents.cost += number * gone.values.reduce(0) { $0 + $1.terms.cost }
        case "total32": contents.cost = Int(Int32(truncatingIfNeeded: contents.cost))
        // Counts that are halved for all stay as they were.
        case "reads":
            for (id, entry) in old.entries where contents.entries[id] != nil {
                contents.entries[id]!.reads = max(contents.entries[id]!.reads, entry.reads)
            }
        default: preconditionFailure("\(mutation.id) shifts nothing")
        }
    }

    private func narrowCosts(_ contents: inout ReferenceContents) {
        for id in contents.entries.keys { contents.bend(id) { entry, _ in entry.terms.cost %= 1 << mutation.number } }
    }

    // MARK: Tables, events, counters, writes

    /// Lets a table have the first thing alone that was ever put into it.
    private func keepFirst(_ contents: inout ReferenceContents, _ old: ReferenceContents) {
        let added = Set(contents.refreshing.keys).subtracting(old.refreshing.keys)
        guard !added.isEmpty else { return }
        let isFirst = memory.withLock { memory in
            defer { memory.seen.formUnion(added) }
            return memory.seen.isEmpty
        }
        if !isFirst { for id in added { contents.refreshing[id] = nil } }
    }

    private func tell(_ contents: inout ReferenceContents, _ operation: CacheOperation, _ old: ReferenceContents) {
        guard operation != .events, contents.events.count >= old.events.count else { return }
        let cause = mutation.arguments.dropFirst().first.flatMap(CacheEvent.Cause.init)
        var new = Array(contents.events.dropFirst(old.events.count))
        new = new.flatMap { event -> [CacheEvent] in
            guard cause == nil || event.cause == cause else { return [event] }
            var bent = event
            switch mutation.argument {
            case "nothing": return []
            case "twice": return [event, event]
            case "nogroup": bent.group = nil
            case "asEvicted": bent.cause = .evicted
            case "newValue":
                bent.value = contents.entries[EntryID(group: event.group, key: event.key)]?.stored.value ?? []
            default: break
            }
            return [bent]
        }
        // Something that left nothing is told all the same.
        if mutation.argument == "put", let key = operation.key, let entry = operation.entry {
            new.append(CacheEvent(group: operation.inner.group, key: key, value: entry.value, cause: .removed))
        }
        contents.events.replaceSubrange(old.events.count..., with: new)
    }

    /// The counter that the defect is about.
    private var counter: WritableKeyPath<CacheCounters, Int?>? {
        switch mutation.argument {
        case "hits": \.hits
        case "misses": \.misses
        case "evictions": \.evictions
        case "expirations": \.expirations
        case "loads": \.loads
        case "lowerHits": \.lowerHits
        default: nil
        }
    }

    /// Counts so much more, not at all, from 0 again, or as evictions.
    private func count(_ contents: inout ReferenceContents, _ old: ReferenceContents) {
        if mutation.argument == "all" { return contents.counters = old.counters }
        guard let counter, let now = contents.counters[keyPath: counter] else { return }
        let before = old.counters[keyPath: counter] ?? 0
        switch mutation.arguments.dropFirst().first {
        case "nothing": contents.counters[keyPath: counter] = before
        case "more": contents.counters[keyPath: counter] = now + mutation.number
        case "zero": contents.counters[keyPath: counter] = 0
        case "asEvictions":
            contents.counters[keyPath: counter] = before
            contents.counters.evictions! += now - before
        default: break
        }
    }

    /// What the writer is given, at once or behind.
    private func write(_ contents: inout ReferenceContents, _ operation: CacheOperation, _ old: ReferenceContents) {
        let path: WritableKeyPath<ReferenceContents, [WrittenEntry]> =
            contents.flavour == .behind ? \.behind : \.written
        let key = operation.key ?? []
        let left = old.entries.keys.filter { contents.entries[$0] == nil }
        switch mutation.argument {
        case "nothing": contents[keyPath: path] = old[keyPath: path]
        case "twice": contents[keyPath: path] += contents[keyPath: path].dropFirst(old[keyPath: path].count)
        case "first": if let last = contents[keyPath: path].popLast() { contents[keyPath: path].insert(last, at: 0) }
        case "value":
            for id in contents.subjects(of: operation) {
                if let entry = contents.live(id) { contents.note(id.key, entry.stored.value) }
            }
        case "asked": contents.note(key, operation.entry?.value)
        case "removals": for id in left { contents.note(id.key, nil) }
        case "less": contents[keyPath: path].removeAll { change in left.contains { $0.key == change.key } }
        default: break
        }
    }

    // MARK: What leaves and what stays

    private func spare(_ contents: inout ReferenceContents, _ operation: CacheOperation, _ old: ReferenceContents) {
        let left = old.entries.filter { contents.entries[$0.key] == nil && !old.isOver($0.value) }
        let kept: [EntryID]
        switch mutation.argument {
        case "newest": kept = left.max { $0.value.stamp < $1.value.stamp }.map { [$0.key] } ?? []
        case "greatest":
            kept = left.count > 2 ? left.keys.max { $0.key.lexicographicallyPrecedes($1.key) }.map { [$0] } ?? [] : []
        case "pinned": kept = left.filter(\.value.isPinned).map(\.key)
        case "tick": kept = left.filter { $0.value.writtenAt >= old.now }.map(\.key)
        case "grouped": kept = left.keys.filter { $0.group != nil }
        default: kept = Array(left.keys)
        }
        // A listener or a counter knows nothing of what has stayed.
        for id in kept {
            contents.entries[id] = left[id]
            contents.cost += left[id]!.terms.cost
            contents.events.removeAll { $0.key == id.key && $0.group == id.group }
        }
    }

    private func evict(
        _ contents: inout ReferenceContents, _ operation: CacheOperation, _ old: ReferenceContents
    ) {
        let newcomer = EntryID(group: operation.inner.group, key: operation.key ?? [])
        switch mutation.argument {
        case "all": for id in contents.entries.keys where id != newcomer { contents.leave(id, .evicted) }
        case "newest":
            // The newest leaves in the place of what has been evicted.
            contents.evict(sparing: newcomer, newest: true)
        case "group": contents.evict(sparing: newcomer, in: operation.inner.group)
        case "subject": for id in contents.subjects(of: operation) { contents.leave(id, .removed) }
        case "equal":
            for (id, entry) in contents.entries
            where id != newcomer && entry.stored.value == old.entries[newcomer]?.stored.value {
                contents.leave(id, .removed)
            }
        default: contents.evict(sparing: newcomer)
        }
    }
}
