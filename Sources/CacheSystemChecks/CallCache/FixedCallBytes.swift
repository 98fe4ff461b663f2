internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import CacheSystems
internal import Foundation
internal import Synchronization

/// An open CallCache for the shared checks: one function from keys to values, which asks an origin.
final class FixedCallBytes: CacheInstance {
    static let keyBytesMax = 20_000
    static let valueBytesMax = 1 << 20

    private let cache: CallCache
    private let clock: VirtualClock
    private let function: CachedFunction<Data, Data>
    private let isClosed = Atomic(false)

    init(_ cache: CallCache, _ clock: VirtualClock) {
        self.cache = cache
        self.clock = clock
        function = cache.function("bytes") { (_: Data) async throws -> Data in throw NoValue() }
    }

    func perform(_ operation: CacheConformance.Operation) -> OperationResult {
        do { return try ask(operation) } catch let error as StorageError { return .failure(error) } catch CacheError
            .closed
        {
            return .failure(.closed)
        } catch {
            return .failure(StorageError(.inputOutput, "\(error)"))
        }
    }

    private func ask(_ operation: CacheConformance.Operation) throws -> OperationResult {
        if isClosed.load(ordering: .acquiring), operation != .close { throw StorageError.closed }
        if let key = operation.key, key.count > Self.keyBytesMax {
            throw StorageError(.keyRefused, "the subject takes keys up to \(Self.keyBytesMax) bytes")
        }
        switch operation {
        case .put(let key, _, _, let terms) where terms.tags.isEmpty: try put(operation.entry!.value, key)
        case .get(let key): return .entry(try get(key))
        case .contains(let key): return .flag(try function.isCached(Data(key)))
        case .remove(let key): return .flag(try function.remove(Data(key)))
        case .removeAll: try cache.removeAll()
        case .count: return .number(try cache.count())
        case .load(let key, let origin): return try load(key, origin)
        case .advance(let time): clock.advance(nanoseconds: time)
        case .moveWallClock(let time): clock.setWall(nanoseconds: clock.wallNanoseconds() + time)
        case .maintain: try cache.removeExpired()
        case .flush: try cache.flush()
        case .pause: break
        case .close:
            isClosed.store(true, ordering: .releasing)
            try cache.close()
        default: throw StorageError.unsupported(operation)
        }
        return .done
    }

    private func put(_ value: [UInt8], _ key: [UInt8]) throws {
        guard value.count <= Self.valueBytesMax else {
            // As a store that refuses a value does: the old one goes too.
            try function.remove(Data(key))
            throw StorageError(.valueRefused, "the subject takes values up to \(Self.valueBytesMax) bytes")
        }
        try function.store(Data(value), for: Data(key))
    }

    private func get(_ key: [UInt8]) throws -> StoredEntry? {
        do {
            let answer = try function.blockingAnswer(to: Data(key), .cacheOnly) { throw NoValue() }
            return StoredEntry(Array(answer.value))
        } catch is CallError { return nil }
    }

    private func load(_ key: [UInt8], _ origin: Origin) throws -> OperationResult {
        let calls = EventCounter()
        do {
            let answer = try function.blockingAnswer(to: Data(key), .cacheElseNetwork) {
                calls.add()
                guard let bytes = try origin.fetch(key, for: self) else { throw NoValue() }
                return Data(bytes)
            }
            return .loaded(.value(StoredEntry(Array(answer.value))), calls: calls.count)
        } catch is NoValue {
            return .loaded(.nothing, calls: calls.count)
        } catch CacheError.closed where calls.count == 0 {
            throw StorageError.closed
        } catch { return .loaded(.failed, calls: calls.count) }
    }

    private struct NoValue: Error {}
}
