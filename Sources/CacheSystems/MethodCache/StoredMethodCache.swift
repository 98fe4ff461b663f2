public import CacheCore
public import CacheEngine
internal import Synchronization

/// Remembers the results of functions in a backend, so that they survive the process, with those used lately in memory.
///
/// ```swift
/// let files = try BackendEntry(FileStorage.self).open(directory: "/var/cache/thumbnails")
/// let cache = try StoredMethodCache(MethodCacheOptions(capacity: .objects(100)), policy: lru, over: files)
/// let thumbnail = cache.memoize("thumbnail", version: 2) { (path: String, width: Int) in draw(path, width) }
/// ```
///
/// As ``MethodCache``, with these differences. Arguments and results are `Codable`, and arguments are known by their
/// ``CanonicalKey``, which is the same in every process. A function has a name, under which another process, or a later one,
/// finds its results; raise its version when its results change, and those of other versions are not found any more. The
/// capacity and the policy are those of memory; how much the backend holds, and by which policy, is the backend's own matter:
/// put a `BoundedStorage` below to limit it.
///
/// A backend that fails, or whose entries are damaged, costs calls of the functions and nothing else.
public final class StoredMethodCache: Invalidatable {
    private let results: TieredCache<[UInt8], StoredResult>
    private let monitor: (@Sendable (MethodEvent) -> Void)?
    private let state = Atomic(true)

    /// A cache over a backend, with whatever results are in it. The cache closes the backend.
    ///
    /// - Throws: `AssayError` with code `usage` for options that do not go together: a backend cannot keep results for so long
    ///   after they were last asked for, and must be one for several threads.
    public init(
        _ options: MethodCacheOptions, policy: PolicyEntry, parameters: ParameterValues? = nil,
        over backend: any StorageBackend
    ) throws(AssayError) {
        results = try TieredCache(
            options.cacheOptions { $0.count + $1.bytes.count }, policy: policy, parameters: parameters, over: backend,
            codec: StoredResult.codec)
        monitor = options.monitor
    }

    /// Whether this cache works, as ``MethodSwitch`` says for all. True unless set.
    public var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }

    /// Forgets every result of every function, in the backend too. O(results).
    ///
    /// If the backend fails to remove them, they are forgotten in memory alone.
    public func invalidate() { if (try? results.removeAll()) == nil { results.forgetInMemory { _ in true } } }
    /// Empties memory alone, as when it gets scarce: results are read from the backend again.
    public func dropMemory() { results.dropMemory() }
    /// Removes every result whose time is over; returns how many the backend held. O(results) of reading.
    @discardableResult
    public func removeExpired() throws(StoreError) -> Int { try results.removeExpired() }
    /// What memory has done.
    public var memoryStatistics: CacheStatistics { results.upperStatistics }
    /// What the backend has done: its failures are here.
    public var backendStatistics: LowerTierStatistics { results.lowerStatistics }
    /// Makes every result durable at the backend's claimed level.
    public func flush() throws(StoreError) { try results.flush() }
    /// Ends the cache's use and closes the backend: its functions are called every time from now on.
    public func close() throws(StoreError) { try results.close() }

    func calls<Input: Sendable, Chosen: Encodable & Sendable, Output: Codable & Sendable>(
        _ name: String, version: Int, _ rules: MethodRules<Output>, _ choose: @escaping @Sendable (Input) -> Chosen
    ) -> MethodCalls<Input, Output> {
        let prefix = CanonicalKey.prefix(name, version: version)
        // Nil for arguments that no key can be made of; a call with these goes past the cache.
        let key: @Sendable (Input) throws -> [UInt8] = { prefix + (try CanonicalKey(of: choose($0)).digest) }
        let results = results
        var rules = rules
        if rules.name.isEmpty { rules.name = name }
        let set = rules
        // What the backend fails to remove is forgotten in memory alone.
        let forget: @Sendable ([UInt8]) -> Bool = { key in
            do { return try results.remove(key) } catch { return results.forgetInMemory { $0 == key } > 0 }
        }
        return MethodCalls(
            recall: { input, body in
                let key = try key(input)
                let found = try results.blockingValue(for: key) { order in set.stored(try body(), &order) }
                return try set.output(found, key, results) ?? body()
            },
            recallLater: { input, body in
                let key = try key(input)
                let found = try await results.value(for: key) { order in set.stored(try await body(), &order) }
                if let output = set.output(found, key, results) { return output }
                return try await body()
            },
            cached: { input in
                guard let key = try? key(input), let found = try? results.value(for: key) else { return nil }
                return set.output(found, key, results)
            },
            holds: { input in (try? results.contains(key(input))) ?? false },
            store: { output, input, expiry in
                guard let key = try? key(input) else { return false }
                var order = LoadOrder(nil, [])
                let result = set.stored(output, &order)
                guard order.isKept else {
                    _ = forget(key)
                    return false
                }
                return (try? results.put(result, for: key, expiring: expiry ?? order.expiry)) != nil
            },
            forget: { input in (try? key(input)).map(forget) ?? false },
            forgetAll: {
                do { try results.removeAll { $0.starts(with: prefix) } } catch {
                    results.forgetInMemory { $0.starts(with: prefix) }
                }
            },
            isOn: { [self] in isOn && MethodSwitch.isOn }, counter: MethodCounter(set.name, monitor))
    }
}
