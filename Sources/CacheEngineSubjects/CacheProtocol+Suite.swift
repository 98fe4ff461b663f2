internal import CacheConformance
internal import CacheCore
internal import CacheEngine

/// A key of the suite's in a cache of the engine.
protocol SuiteKey {
    init(bytes: [UInt8])
    var bytes: [UInt8] { get }
}

/// A value of the suite's in a cache of the engine.
protocol SuiteValue {
    init(bytes: [UInt8], cost: Int)
    var bytes: [UInt8] { get }
}

extension [UInt8]: SuiteKey, SuiteValue {
    init(bytes: [UInt8]) { self = bytes }
    init(bytes: [UInt8], cost: Int) { self = bytes }
    var bytes: [UInt8] { self }
}

extension GroupedKey<[UInt8]>: SuiteKey {
    init(bytes: [UInt8]) { self.init(path: [], key: bytes) }
    var bytes: [UInt8] { key }
}

extension CostedValue: SuiteValue {
    init(bytes: [UInt8], cost: Int) { self.init(bytes: bytes, cost: cost, object: nil) }
}

// What the suite asks of every cache of the engine, by the face that all of them have.
extension CacheProtocol where Key: SuiteKey, Value: SuiteValue {
    /// Does an operation; nil for one that is not of the face.
    func answer(_ operation: CacheOperation) throws(Failure) -> OperationResult? {
        switch operation {
        case .put(let key, let payload, _, let terms) where terms.tags.isEmpty:
            let value = Value(bytes: payload.bytes(for: key), cost: terms.cost)
            return try put(value, for: Key(bytes: key), expiring: terms.expiry).result
        case .get(let key): return .entry(try value(for: Key(bytes: key)).map { StoredEntry($0.bytes) })
        case .contains(let key): return .flag(try contains(Key(bytes: key)))
        case .remove(let key): return .flag(try remove(Key(bytes: key)))
        case .count: return .number(try count)
        case .keys: return .keys(try keys.map(\.bytes))
        case .statistics: return .statistics(CacheCounters(statistics))
        case .removeAll: try removeAll()
        case .maintain: _ = try removeExpired()
        case .flush: try flush()
        case .close: try close()
        case .pause: break
        default: return nil
        }
        return .done
    }

    /// Does an operation without blocking a task's thread, where there is such a one; nil where there is none.
    func suspendingAnswer(_ operation: CacheOperation) async throws(Failure) -> OperationResult? {
        switch operation {
        case .put(let key, let payload, _, .plain):
            return try await put(Value(bytes: payload.bytes(for: key), cost: 1), for: Key(bytes: key), expiring: nil)
                .result
        case .get(let key): return .entry(try await value(for: Key(bytes: key)).map { StoredEntry($0.bytes) })
        case .remove(let key): return .flag(try await remove(Key(bytes: key)))
        default: return nil
        }
    }
}

/// That an origin has no value.
private struct Nothing: Error {}

extension CacheProtocol where Key == [UInt8], Value == [UInt8] {
    /// Reads a key, which an origin loads if it is missing.
    func answer(
        load key: [UInt8], _ origin: Origin, for instance: any CacheInstance
    ) throws(StoreError) -> OperationResult {
        let calls = EventCounter()
        do {
            let value = try blockingValue(for: key, expiring: origin.terms.expiry) { key in
                calls.add()
                guard let value = try origin.fetch(key, for: instance) else { throw Nothing() }
                return value
            }
            return .loaded(.value(StoredEntry(value)), calls: calls.count)
        } catch is Nothing {
            return .loaded(.nothing, calls: calls.count)
        } catch is Origin.Failure {
            return .loaded(.failed, calls: calls.count)
        } catch {
            throw error as? CacheError == .closed ? .closed : StoreError(.inputOutput, "\(error)")
        }
    }
}

extension SuspendingInstance {
    /// Does an operation by the asynchronous face of a cache, where it has one.
    func suspend<C: CacheProtocol>(_ operation: CacheOperation, _ cache: C) async -> OperationResult
    where C.Key == [UInt8], C.Value == [UInt8], C.Failure == StoreError {
        do throws(StoreError) { return try await cache.suspendingAnswer(operation) ?? perform(operation) } catch {
            return .failure(error)
        }
    }
}

extension PutTerms {
    /// When an entry expires; nil for the cache's rule.
    var expiry: EntryExpiry? { timeToLiveNanoseconds.map { .after(.nanoseconds($0)) } }
}

extension PutOutcome {
    /// What the suite is told of a write.
    var result: OperationResult {
        switch self {
        case .refused(.closed): .failure(.closed)
        case .refused(.tooHeavy): .failure(StoreError(.valueRefused, "it weighs more than the cache holds"))
        // Not to keep a value is a cache's right.
        case .refused, .stored, .replaced: .done
        }
    }
}

extension CacheCounters {
    init(_ counted: CacheStatistics) {
        self.init()
        (hits, misses) = (counted.hits, counted.misses)
        (loads, loadFailures) = (counted.loads, counted.loadFailures)
        (evictions, expirations) = (counted.removals(.evicted), counted.removals(.expired))
        hitRatio = counted.hitRatio
    }
}
