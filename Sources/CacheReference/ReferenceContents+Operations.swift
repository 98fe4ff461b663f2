package import CacheConformance
import CacheCore

// The operations on one key: plain ones, those with a condition, versions, counters and pins.
extension ReferenceContents {
    package mutating func perform(_ operation: CacheOperation, on id: EntryID) -> OperationResult {
        switch operation {
        case .put(_, _, _, let terms): return put(id, operation.entry!, terms)
        case .get: return .entry(read(id))
        case .contains: return .flag(find(id) != nil)
        case .remove: return remove(id)
        case .rename(_, let other): return rename(id, EntryID(group: id.group, key: other))
        default: return performConditionally(operation, id, find(id))
        }
    }

    private mutating func performConditionally(
        _ operation: CacheOperation, _ id: EntryID, _ old: Entry?
    ) -> OperationResult {
        switch operation {
        case .putIfAbsent(_, _, let terms):
            guard old == nil else { return .flag(false) }
            if case .failure(let error) = put(id, operation.entry!, terms) { return .failure(error) }
            return .flag(true)
        case .replace(_, _, let terms):
            guard old != nil else { return .flag(false) }
            if case .failure(let error) = put(id, operation.entry!, terms) { return .failure(error) }
            return .flag(true)
        case .compareAndSet(let key, let expected, _):
            guard let old, old.stored.value == expected.bytes(for: key) else { return .flag(false) }
            _ = put(id, operation.entry!, .plain)
            return .flag(true)
        case .exchange:
            _ = put(id, operation.entry!, .plain)
            return .entry(old?.stored)
        case .take:
            _ = remove(id)
            return .entry(old?.stored)
        case .touch(_, let time):
            guard old != nil else { return .flag(false) }
            entries[id]!.terms.timeToLiveNanoseconds = time
            entries[id]!.deadline = deadline(entries[id]!.terms)
            changed.insert(id)
            return .flag(true)
        case .remainingTime: return .time(old?.deadline.map { $0 - now })
        case .mark:
            marks[id] = old?.version
            return .flag(old != nil)
        case .setIfMarked:
            guard let old, marks[id] == old.version else { return .flag(false) }
            _ = put(id, operation.entry!, .plain)
            return .flag(true)
        case .removeIfMarked:
            guard let old, marks[id] == old.version else { return .flag(false) }
            _ = remove(id)
            return .flag(true)
        case .update(let key, let change):
            guard let new = change.result(for: key, old: old?.stored.value) else {
                _ = remove(id)
                return .entry(nil)
            }
            _ = put(id, StoredEntry(new), .plain)
            return .entry(StoredEntry(new))
        case .increment(_, let step): return increment(id, old, step)
        case .pin(let key), .unpin(let key):
            entries[id]?.isPinned = operation == .pin(key)
            hasPins = true
            return .flag(old != nil)
        default: return .failure(.unsupported(operation))
        }
    }

    /// Counts on; a counter that begins has the time that the cache gives, one that goes on keeps its own.
    private mutating func increment(_ id: EntryID, _ old: Entry?, _ step: Int) -> OperationResult {
        guard let number = old.map({ DecimalText.number($0.stored.value) }) ?? 0 else {
            return .failure(StoreError(.valueRefused, "it holds no number"))
        }
        let sum = number.addingReportingOverflow(step)
        if sum.overflow { return .failure(StoreError(.valueRefused, "it would pass the greatest number")) }
        let result = max(0, sum.partialValue)
        _ = put(id, StoredEntry(DecimalText.bytes(result)), old?.terms ?? .plain)
        if let old { entries[id]?.deadline = old.deadline }
        return .number(result)
    }
}
