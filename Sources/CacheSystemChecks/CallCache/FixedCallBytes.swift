internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import CacheSystems
internal import Foundation

/// An open CallCache for the shared checks: one function from keys to values, which asks an origin.
final class FixedCallBytes: SystemBytes {
    let gate: SystemGate
    private let cache: CallCache
    private let function: CachedFunction<Data, Data>

    init(_ cache: CallCache, _ clock: VirtualClock) {
        self.cache = cache
        gate = SystemGate(clock)
        function = cache.function("bytes") { (_: Data) async throws -> Data in throw NoValue() }
    }

    func closeCache() throws { try cache.close() }

    func ask(_ operation: CacheOperation) throws -> OperationResult {
        switch operation {
        case .put(let key, _, _, let terms) where terms.tags.isEmpty: try put(operation.entry!.value, key)
        case .get(let key): return .entry(try get(key))
        case .contains(let key): return .flag(try function.isCached(Data(key)))
        case .remove(let key): return .flag(try function.remove(Data(key)))
        case .removeAll: try cache.removeAll()
        case .count: return .number(try cache.count())
        case .load(let key, let origin):
            return try load(key, origin) { fetch in
                Array(try function.blockingAnswer(to: Data(key), .cacheElseNetwork) { Data(try fetch()) }.value)
            }
        case .maintain: try cache.removeExpired()
        case .flush: try cache.flush()
        default: throw StoreError.unsupported(operation)
        }
        return .done
    }

    private func put(_ value: [UInt8], _ key: [UInt8]) throws {
        do { try SystemGate.requireShort(value) } catch {
            // As a store that refuses a value does: the old one goes too.
            try function.remove(Data(key))
            throw error
        }
        try function.store(Data(value), for: Data(key))
    }

    private func get(_ key: [UInt8]) throws -> StoredEntry? {
        do {
            let answer = try function.blockingAnswer(to: Data(key), .cacheOnly) { throw NoValue() }
            return StoredEntry(Array(answer.value))
        } catch is CallError { return nil }
    }
}
