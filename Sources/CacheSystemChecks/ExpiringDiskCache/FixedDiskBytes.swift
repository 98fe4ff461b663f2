internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import CacheSystems
internal import Synchronization

/// An open cache of bytes, for the shared checks: keys are spelled as text, each byte in its own way.
final class FixedDiskBytes: CacheInstance {
    private let cache: ExpiringDiskCache<[UInt8]>
    private let clock: VirtualClock
    private let isClosed = Atomic(false)
    /// A key's bytes take up to three each in the text, and the store takes 65536.
    static let keyBytesMax = 20_000
    /// The codec takes no more, so that the suite has a limit that it can try with little memory.
    static let valueBytesMax = 1 << 20

    static var codec: ObjectCodec<[UInt8]> {
        ObjectCodec(
            encode: { bytes in
                guard bytes.count <= valueBytesMax else {
                    throw StorageError(.valueRefused, "the subject takes values up to \(valueBytesMax) bytes")
                }
                return bytes
            }, decode: { $0 })
    }

    init(_ cache: ExpiringDiskCache<[UInt8]>, _ clock: VirtualClock) {
        self.cache = cache
        self.clock = clock
    }

    /// ASCII as it is, so that "/" and ".." reach the names of files; other bytes in the area for private use.
    private static func text(_ key: [UInt8]) -> String {
        var text = String.UnicodeScalarView()
        for byte in key { text.append(Unicode.Scalar(byte < 0x80 ? UInt16(byte) : 0xE000 + UInt16(byte))!) }
        return String(text)
    }

    private static func bytes(_ text: String) -> [UInt8] {
        text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    private static func expiry(_ life: Int64?) -> CacheExpiry { life.map { .seconds(Double($0) / 1e9) } ?? .never }

    func perform(_ operation: Operation) -> OperationResult {
        do throws(StorageError) { return try ask(operation) } catch { return .failure(error) }
    }

    private func ask(_ operation: Operation) throws(StorageError) -> OperationResult {
        if isClosed.load(ordering: .acquiring), operation != .close { throw .closed }
        if let key = operation.key, key.count > Self.keyBytesMax {
            throw StorageError(.keyRefused, "the subject takes keys up to \(Self.keyBytesMax) bytes")
        }
        switch operation {
        case .put(let key, _, _, let terms) where terms.tags.isEmpty:
            try cache.set(
                operation.entry!.value, forKey: Self.text(key), expires: Self.expiry(terms.timeToLiveNanoseconds))
        case .get(let key): return .entry(try cache.object(forKey: Self.text(key)).map { StoredEntry($0) })
        case .contains(let key): return .flag(try cache.contains(Self.text(key)))
        case .remove(let key): return .flag(try cache.remove(Self.text(key)))
        case .removeAll: try cache.removeAll()
        case .count: return .number(try cache.allObjects().count)
        case .keys: return .keys(try cache.allObjects().keys.map(Self.bytes))
        case .load(let key, let origin): return load(key, origin)
        case .advance(let time): clock.advance(nanoseconds: time)
        case .moveWallClock(let time): clock.setWall(nanoseconds: clock.wallNanoseconds() + time)
        case .maintain: try cache.removeExpired()
        case .flush: try cache.flush()
        case .pause: break
        case .close:
            isClosed.store(true, ordering: .releasing)
            try cache.close()
        default: throw .unsupported(operation)
        }
        return .done
    }

    private func load(_ key: [UInt8], _ origin: Origin) -> OperationResult {
        let calls = EventCounter()
        let life = origin.terms.timeToLiveNanoseconds
        do {
            let value = try cache.object(forKey: Self.text(key), expires: Self.expiry(life)) {
                calls.add()
                guard let bytes = try origin.fetch(key, for: self) else { throw NoValue() }
                return bytes
            }
            return .loaded(.value(StoredEntry(value)), calls: calls.count)
        } catch is NoValue {
            return .loaded(.nothing, calls: calls.count)
        } catch { return .loaded(.failed, calls: calls.count) }
    }

    private struct NoValue: Error {}
}
