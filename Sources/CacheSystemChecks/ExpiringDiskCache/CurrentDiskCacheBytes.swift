internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import CacheSystems

/// An open cache of bytes, for the shared checks: keys are spelled as text, each byte in its own way.
final class CurrentDiskCacheBytes: SystemBytes {
    let gate: SystemGate
    private let cache: ExpiringDiskCache<[UInt8]>

    /// Refuses long values, so that the suite has a limit that it can try with little memory.
    static var codec: ObjectCodec<[UInt8]> {
        ObjectCodec(
            encode: { bytes in
                try SystemGate.requireShort(bytes)
                return bytes
            }, decode: { $0 })
    }

    init(_ cache: ExpiringDiskCache<[UInt8]>, _ clock: VirtualClock) {
        self.cache = cache
        gate = SystemGate(clock)
    }

    private static func expiry(_ life: Int64?) -> CacheExpiry { life.map { .seconds(Double($0) / 1e9) } ?? .never }

    func closeCache() throws { try cache.close() }

    func ask(_ operation: CacheOperation) throws -> OperationResult {
        switch operation {
        case .put(let key, _, _, let terms) where terms.tags.isEmpty:
            try cache.set(
                operation.entry!.value, forKey: KeyText.text(of: key), expires: Self.expiry(terms.timeToLiveNanoseconds)
            )
        case .get(let key): return .entry(try cache.object(forKey: KeyText.text(of: key)).map { StoredEntry($0) })
        case .contains(let key): return .flag(try cache.contains(KeyText.text(of: key)))
        case .remove(let key): return .flag(try cache.remove(KeyText.text(of: key)))
        case .removeAll: try cache.removeAll()
        case .count: return .number(try cache.allObjects().count)
        case .keys: return .keys(try cache.allObjects().keys.map(KeyText.bytes))
        case .load(let key, let origin):
            let expiry = Self.expiry(origin.terms.timeToLiveNanoseconds)
            return try load(key, origin) { try cache.object(forKey: KeyText.text(of: key), expires: expiry, load: $0) }
        case .maintain: try cache.removeExpired()
        case .flush: try cache.flush()
        default: throw StoreError.unsupported(operation)
        }
        return .done
    }
}
