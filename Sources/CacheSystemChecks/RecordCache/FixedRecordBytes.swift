internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import CacheSystems

/// An open RecordCache of bytes for the shared checks. Under half of the keys writes are of an older version than the reads that find them, so
/// that all that is checked goes through migrations and their writing back.
final class FixedRecordBytes: SystemBytes {
    private struct Written: CacheRecord {
        static let recordName = "Bytes"
        var bytes: [UInt8]
    }

    private struct Read: CacheRecord {
        static let recordName = "Bytes"
        static let timeline = RecordTimeline(version: 2).migrating(from: 1) { $0.rename("bytes", to: "value") }
        var value: [UInt8]
    }

    let gate: SystemGate
    private let cache: RecordCache

    init(_ cache: RecordCache, _ clock: VirtualClock) {
        self.cache = cache
        gate = SystemGate(clock)
    }

    func closeCache() throws { try cache.close() }

    func ask(_ operation: CacheOperation) throws -> OperationResult {
        switch operation {
        case .within(let name, let inner): return try ask(inner, in: cache.group(name))
        case .removeAll: try cache.removeAll()
        case .count: return .number(try cache.count())
        case .keys: return .keys(try allKeys(of: cache.root))
        case .flush: try cache.flush()
        case .maintain: break
        default: return try ask(operation, in: cache.root)
        }
        return .done
    }

    private func ask(_ operation: CacheOperation, in group: RecordGroup) throws -> OperationResult {
        switch operation {
        case .put(let key, _, _, let terms) where terms.tags.isEmpty:
            try put(operation.entry!.value, KeyText.text(of: key), group)
        case .get(let key):
            return .entry(try group.value(forKey: KeyText.text(of: key), as: Read.self).map { StoredEntry($0.value) })
        case .contains(let key): return .flag(try group.contains(KeyText.text(of: key)))
        case .remove(let key): return .flag(try group.remove(KeyText.text(of: key)))
        case .removeAll: try group.clear()
        case .count: return .number(try group.keys().count)
        case .keys: return .keys(try group.keys().map(KeyText.bytes))
        default: throw StoreError.unsupported(operation)
        }
        return .done
    }

    private func allKeys(of group: RecordGroup) throws -> [[UInt8]] {
        try group.keys().map(KeyText.bytes) + group.groupNames().flatMap { try allKeys(of: group.group($0)) }
    }

    private func put(_ value: [UInt8], _ key: String, _ group: RecordGroup) throws {
        do { try SystemGate.requireShort(value) } catch {
            // As a store that refuses a value does: the old one goes too.
            try group.remove(key)
            throw error
        }
        if key.utf8.reduce(UInt8(0), &+) % 2 == 0 {
            try group.set(Written(bytes: value), forKey: key)
        } else {
            try group.set(Read(value: value), forKey: key)
        }
    }
}
