public import CacheConformance
public import CacheCore
internal import Synchronization

/// ClearCache as it was shipped in 2015, as a subject: its key text, its list of types, its three caches and its trigger.
public struct LegacyMethodCache: MethodCacheSubject {
    /// The subject.
    public init() {}

    /// `method-cache-as-shipped`.
    public var name: String { "method-cache-as-shipped" }

    /// What its README promises of a cache: values under keys, as long as there is room, an order, loads.
    public func claims() throws(StoreError) -> Claims {
        Claims(
            StorageClaims(iterates: false, isConcurrent: true), features: [.loader, .coalesce],
            room: CapacityClaim(.objects(1 << 16)))
    }

    /// Opens an empty cache with one method.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        LegacyMethodCacheBytes(LegacyMethodCacheInstance(MethodSetup(capacity: setup.capacity?.amount ?? 1 << 16)))
    }

    /// Opens an empty cache for methods.
    public func openMethods(_ setup: MethodSetup) throws -> any MethodInstance { LegacyMethodCacheInstance(setup) }
}

/// An open cache of methods, as it was shipped.
final class LegacyMethodCacheInstance: MethodInstance {
    private struct State {
        var results: ShippedResults
        var now: Int64 = 0
        var observers = 0
        var lines = 0
    }

    private let policy: String
    private let state: Mutex<State>

    init(_ setup: MethodSetup) {
        policy = setup.policy
        state = Mutex(State(results: ShippedResults(setup)))
    }

    /// The selector and the descriptions of the arguments: not the receiver, and nothing is escaped.
    private static func key(_ name: String, _ values: [MethodValue]) -> String {
        values.reduce(name) { "\($0)~\(description(of: $1))" }
    }

    private static func description(of value: MethodValue) -> String {
        switch value {
        case .nothing: "(null)"
        case .integer(let number): "\(number)"
        case .text(let text): text
        case .flag(let flag): flag ? "1" : "0"
        case .pair(let a, let b): "{\(a), \(b)}"
        case .object(_, let address): "<Object: \(address)>"
        }
    }

    /// What is kept of a result: of a type that the switch over type codes does not name, nothing.
    private static func wrapped(_ value: MethodValue) -> MethodValue {
        switch value {
        case .flag, .pair: .nothing
        default: value
        }
    }

    /// What a cached nil becomes where a value of a type was expected: a zero that nobody wrote.
    private static func unwrapped(_ value: MethodValue, like example: MethodValue?) -> MethodValue {
        guard value == .nothing else { return value }
        return switch example {
        case .flag: .flag(false)
        case .pair: .pair(0, 0)
        default: .nothing
        }
    }

    func memoize(
        _ name: String, receiver: Int, keyedBy places: [Int]?,
        _ body: @escaping @Sendable ([MethodValue]) throws -> MethodValue
    ) -> CheckedMethod {
        let key: @Sendable ([MethodValue]) -> String = { values in
            Self.key(name, places.map { $0.map { values[$0] } } ?? values)
        }
        let example = LastResult()
        return CheckedMethod(
            call: { [self] values in
                let known = state.withLock { state in
                    // Each change of a count writes a line that somebody left in.
                    state.lines += 2
                    return state.results.value(key(values), now: state.now)
                }
                if let known { return Self.unwrapped(known, like: example.value) }
                let result = try body(values)
                example.value = result
                state.withLock { $0.results.set(Self.wrapped(result), key(values), now: $0.now) }
                return result
            },
            remember: { [self] value, values in state.withLock { $0.results.set(value, key(values), now: $0.now) } },
            cached: { [self] values in state.withLock { $0.results.value(key(values), now: $0.now) } })
    }

    /// Methods that return nothing are cached too.
    func memoizeEffect(
        _ name: String, _ body: @escaping @Sendable ([MethodValue]) -> Void
    ) -> @Sendable ([MethodValue]) -> Void {
        let method = memoize(name) { values in
            body(values)
            return .nothing
        }
        return { _ = try? method.call($0) }
    }

    /// Only the LRU cache listens, and every setting adds one more observer.
    func attachTrigger() { if policy == "lru" { state.withLock { $0.observers += 1 } } }

    func fireTrigger() -> Int {
        state.withLock { state in
            for _ in 0..<state.observers { state.results.removeAll() }
            return state.observers
        }
    }

    /// The switch is one of the compiler: at run time nothing happens.
    func set(on: Bool) {}
    func advance(nanoseconds: Int64) { state.withLock { $0.now += nanoseconds } }
    var monitoredCount: Int { state.withLock { $0.lines } }
}

/// The result that a method returned last, for its type.
private final class LastResult: Sendable {
    private let state = Mutex<MethodValue?>(nil)
    var value: MethodValue? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}

/// The same cache for the shared checks: one method from keys to values.
private final class LegacyMethodCacheBytes: CacheInstance {
    private let instance: LegacyMethodCacheInstance
    private let results: CheckedMethod

    init(_ instance: LegacyMethodCacheInstance) {
        self.instance = instance
        results = instance.memoize("bytes") { _ in .nothing }
    }

    private static func text(_ bytes: [UInt8]) -> MethodValue { .text(String(decoding: bytes, as: UTF8.self)) }

    func perform(_ operation: CacheOperation) -> OperationResult {
        switch operation {
        case .put(let key, _, nil, let terms) where terms == .plain:
            results.remember(Self.text(operation.entry!.value), [Self.text(key)])
        case .get(let key): return .entry(entry(key))
        case .contains(let key): return .flag(entry(key) != nil)
        case .load(let key, let origin): return load(key, origin)
        case .flush, .maintain, .pause, .close: break
        default: return .failure(.unsupported(operation))
        }
        return .done
    }

    private func entry(_ key: [UInt8]) -> StoredEntry? {
        guard case .text(let text)? = results.cached([Self.text(key)]) else { return nil }
        return StoredEntry(Array(text.utf8))
    }

    private func load(_ key: [UInt8], _ origin: Origin) -> OperationResult {
        if let known = entry(key) { return .loaded(.value(known), calls: 0) }
        do throws(Origin.Failure) {
            guard let bytes = try origin.fetch(key, for: self) else { return .loaded(.nothing, calls: 1) }
            results.remember(Self.text(bytes), [Self.text(key)])
            return .loaded(.value(StoredEntry(bytes)), calls: 1)
        } catch { return .loaded(.failed, calls: 1) }
    }
}
