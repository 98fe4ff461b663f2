internal import CacheConformance
internal import CacheCore
internal import CacheEngine
internal import Synchronization

/// An open cache of the engine. Keys outside of groups have no path.
final class EngineInstance: ObjectInstance {
    static let keyBytesMax = 65_536
    typealias Key = GroupedKey<[UInt8]>

    let cache: Cache<Key, CostedValue>
    private let clock: VirtualClock
    private let events = EngineEvents()

    init(_ setup: CacheSetup, _ subject: EngineSubject) throws(AssayError) {
        let capacity = setup.capacity ?? EngineSubject.roomUnsaid
        clock = VirtualClock(monotonicNanoseconds: setup.nowNanoseconds ?? 0)
        var options = CacheOptions<Key, CostedValue>(capacity: capacity)
        options.order = subject.options.isRelaxed ? .relaxed : .strict
        options.expectedEntries = 64
        options.clock = clock
        if capacity.unit == .bytes { options.weigher = { _, value in value.cost } }
        if let idle = setup.timeToIdleNanoseconds { options.expiry = .afterAccess(.nanoseconds(idle)) }
        if let stale = setup.staleNanoseconds { options.staleIfError = .nanoseconds(stale) }
        if subject.options.isNegative { options.negativeTimeToLive = .seconds(1 << 30) }
        cache = try Cache(options, policy: subject.policy, parameters: subject.parameters)
        listen(.plain)
    }

    private func listen(_ listener: Listener) { events.listen(listener, to: cache, for: self) }

    func perform(_ operation: CacheOperation) -> OperationResult {
        if operation == .close {
            cache.close()
            return .done
        }
        guard !cache.isClosed else { return .failure(.closed) }
        // The engine takes keys of any length; the suite wants a limit that it can try.
        if let key = operation.key, key.count > Self.keyBytesMax {
            return .failure(StoreError(.keyRefused, "the subject takes keys up to \(Self.keyBytesMax) bytes"))
        }
        switch operation {
        case .within(let group, let inner): return perform(inner, in: cache.group(group))
        default: break
        }
        if let key = operation.key { return perform(operation, Key(path: [], key: key)) }
        return performWhole(operation)
    }

    private func performWhole(_ operation: CacheOperation) -> OperationResult {
        switch operation {
        case .firstKeys(let most): return .keys(cache.entries.prefix(max(0, most)).map(\.key.key))
        case .cost: return .number(cache.weight)
        case .advance(let step): clock.advance(nanoseconds: step)
        case .moveWallClock(let step): clock.setWall(nanoseconds: clock.wallNanoseconds() &+ step)
        case .getMany(let keys):
            return .entries(values(keys.map { Key(path: [], key: $0) }))
        case .putMany(let items):
            let short = items.filter { $0.key.count <= Self.keyBytesMax }
            let refused = cache.put(
                contentsOf: short.map { (Key(path: [], key: $0.key), CostedValue(bytes: $0.value)) })
            return .flags(
                items.map { $0.key.count <= Self.keyBytesMax && refused[Key(path: [], key: $0.key)] == nil })
        case .removeMany(let keys): return .number(cache.removeAll(keys.map { Key(path: [], key: $0) }))
        case .removeTagged(let tag): _ = cache.removeAll(taggedWith: tag)
        case .events: return .events(events.take())
        case .listen(let listener): listen(listener)
        case .resize(let amount):
            do throws(AssayError) { try cache.resize(to: amount) } catch {
                return .failure(StoreError(.unavailable, error.description))
            }
        default: return cache.answer(operation) ?? .failure(.unsupported(operation))
        }
        return .done
    }

    /// Keys that are asked for again are read again: the engine reads each once.
    private func values(_ keys: [Key]) -> [StoredEntry?] {
        let found = cache.values(for: keys)
        var seen: Set<Key> = []
        return keys.map { key in
            let value = seen.insert(key).inserted ? found[key] : cache.value(for: key)
            return value.map { StoredEntry($0.bytes) }
        }
    }

    func put(object: any AnyObject & Sendable, for key: [UInt8]) throws(StoreError) {
        if cache.isClosed { throw .closed }
        _ = cache.put(CostedValue(bytes: [], object: object), for: Key(path: [], key: key))
    }

    func object(for key: [UInt8]) throws(StoreError) -> (any AnyObject & Sendable)? {
        if cache.isClosed { throw .closed }
        return cache.value(for: Key(path: [], key: key))?.object
    }

    /// A time in nanoseconds. A quotient of two times is a floating-point number, which is not exact.
    private static func nanoseconds(_ time: Duration) -> Int64 {
        let (seconds, attoseconds) = time.components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    private static func entry(_ value: CostedValue?) -> OperationResult { .entry(value.map { StoredEntry($0.bytes) }) }

    private func perform(_ operation: CacheOperation, _ key: Key) -> OperationResult {
        switch operation {
        case .put(_, let payload, _, let terms):
            if terms.cost < 0 {
                cache.remove(key)
                return .failure(StoreError(.valueRefused, "it costs less than nothing"))
            }
            let value = CostedValue(bytes: payload.bytes(for: key.key), cost: terms.cost)
            return cache.put(value, for: key, expiring: terms.expiry, tags: terms.tags).result
        case .take: return Self.entry(cache.removeValue(for: key))
        case .touch(_, let time): return .flag(cache.setExpiry(.after(.nanoseconds(time)), of: key))
        case .remainingTime: return .time(cache.remainingTime(of: key).map(Self.nanoseconds))
        case .load(_, let origin):
            return load(origin) { expiry, tags, loader in
                try cache.blockingOptionalValue(for: key, expiring: expiry, tags: tags) { try loader($0.key) }
            }
        case .update(_, let change):
            let made = cache.compute(key) { old in
                change.result(for: key.key, old: old?.bytes).map { CostedValue(bytes: $0) }
            }
            return Self.entry(made)
        default: return performConditional(operation, key)
        }
    }

    private func performConditional(_ operation: CacheOperation, _ key: Key) -> OperationResult {
        switch operation {
        case .exchange(_, let payload):
            return Self.entry(cache.exchange(CostedValue(bytes: payload.bytes(for: key.key)), for: key))
        case .putIfAbsent(_, let payload, let terms):
            let value = CostedValue(bytes: payload.bytes(for: key.key), cost: terms.cost)
            return .flag(cache.putIfAbsent(value, for: key, expiring: terms.expiry, tags: terms.tags) == nil)
        case .replace(_, let payload, let terms):
            let value = CostedValue(bytes: payload.bytes(for: key.key), cost: terms.cost)
            return .flag(cache.replace(key, with: value, expiring: terms.expiry, tags: terms.tags) != nil)
        case .compareAndSet(_, let expected, let payload):
            return .flag(
                cache.replace(
                    key, expected: CostedValue(bytes: expected.bytes(for: key.key)),
                    with: CostedValue(bytes: payload.bytes(for: key.key))))
        default: return cache.answer(operation) ?? .failure(.unsupported(operation))
        }
    }

    private func perform(_ operation: CacheOperation, in group: CacheGroup<[UInt8], CostedValue>) -> OperationResult {
        if operation.key.map({ $0.count > Self.keyBytesMax }) == true {
            return .failure(StoreError(.keyRefused, "the subject takes keys up to \(Self.keyBytesMax) bytes"))
        }
        switch operation {
        case .put(let key, let payload, _, let terms):
            let value = CostedValue(bytes: payload.bytes(for: key), cost: terms.cost)
            return group.put(value, for: key, expiring: terms.expiry, tags: terms.tags).result
        case .get(let key): return Self.entry(group.value(for: key))
        case .contains(let key): return .flag(group.contains(key))
        case .remove(let key): return .flag(group.remove(key))
        case .removeAll: group.removeAll()
        case .count: return .number(group.count)
        case .keys: return .keys(group.keys)
        case .load(_, let origin):
            return load(origin) { expiry, tags, loader in
                try group.blockingOptionalValue(for: operation.key!, expiring: expiry, tags: tags, loader: loader)
            }
        default: return .failure(.unsupported(operation))
        }
        return .done
    }

    private func load(
        _ origin: Origin, _ read: (EntryExpiry?, [String], ([UInt8]) throws -> CostedValue?) throws -> CostedValue?
    ) -> OperationResult {
        let calls = EventCounter()
        let terms = origin.terms
        do {
            let found = try read(terms.expiry, terms.tags) { key in
                calls.add()
                return try origin.fetch(key, for: self).map { CostedValue(bytes: $0, cost: terms.cost) }
            }
            return .loaded(found.map { .value(StoredEntry($0.bytes)) } ?? .nothing, calls: calls.count)
        } catch is Origin.Failure {
            return .loaded(.failed, calls: calls.count)
        } catch {
            let isClosed = error as? CacheError == .closed
            return .failure(isClosed ? .closed : StoreError(.inputOutput, "\(error)"))
        }
    }
}
