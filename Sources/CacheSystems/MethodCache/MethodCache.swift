public import CacheCore
public import CacheEngine
internal import Synchronization

/// Remembers the results of functions and methods in memory, so that they are not computed twice.
///
/// ```swift
/// let cache = try MethodCache(MethodCacheOptions(capacity: .objects(1000)), policy: lru)
/// let area = cache.memoize { (shape: Shape, scale: Int) in shape.area(scaledBy: scale) }
/// let a = area(square, 2)  // computed
/// let b = area(square, 2)  // remembered
/// ```
///
/// One cache may serve one function or many: they share its capacity, its policy and its expiry, and never a result, not even
/// when the same function is memoised twice, so that methods of two instances are never mixed. A method is memoised as a
/// closure over its instance, or with the instance among its arguments, whose equality then decides.
///
/// Arguments are compared by their own `==`, and results are kept as they are: nil is a result, and so is an error's absence.
/// A type that cannot be kept does not compile.
///
/// ### Concurrency
/// Every operation may be called from any thread and any task. Of calls with equal arguments at the same time one computes.
public final class MethodCache: Invalidatable {
    private let results: Cache<MethodKey, MethodResult>
    private let monitor: (@Sendable (MethodEvent) -> Void)?
    private let lastMethod = Atomic(0)
    private let state = Atomic(true)

    /// An empty cache with a registered policy.
    ///
    /// - Throws: `AssayError` with code `usage` for options or parameters that do not go together, and for a policy that
    ///   needs the future.
    public init(
        _ options: MethodCacheOptions, policy: PolicyEntry, parameters: ParameterValues? = nil
    ) throws(AssayError) {
        results = try Cache(options.cacheOptions { $1.weight }, policy: policy, parameters: parameters)
        monitor = options.monitor
    }

    /// Whether this cache works, as ``MethodSwitch`` says for all. True unless set.
    public var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }

    /// Forgets every result of every function. O(results).
    public func invalidate() { results.removeAll() }
    /// Removes every result whose time is over, without waiting for a call to do it.
    public func removeExpired() { results.removeExpired() }
    /// The results that could be served. O(1).
    public var count: Int { results.count }
    /// What the results weigh, in the capacity's unit. O(1).
    public var weight: Int { results.weight }
    /// Changes how much it may hold. As `Cache.resize(to:)`.
    public func resize(to amount: Int) throws(AssayError) { try results.resize(to: amount) }
    /// What the cache has done for all its functions. O(1).
    public var statistics: CacheStatistics { results.statistics }
    /// Ends the cache's use: its functions are called every time from now on.
    public func close() { results.close() }

    /// How a function with these rules and this choice of arguments reaches its results here.
    func calls<Input: Sendable, Chosen: Hashable & Sendable, Output: Sendable>(
        _ rules: MethodRules<Output>, _ choose: @escaping @Sendable (Input) -> Chosen
    ) -> MethodCalls<Input, Output> {
        let method = lastMethod.wrappingAdd(1, ordering: .relaxed).newValue
        let tag = String(method)
        let key: @Sendable (Input) -> MethodKey = { MethodKey(method: method, chosen: choose($0)) }
        let results = results
        return MethodCalls(
            recall: { input, body in
                let found = try results.loadHere(key(input), false, LoadOrder(nil, [tag])) { order in
                    rules.result(try body(), &order)
                }
                return rules.output(found!)
            },
            recallLater: { input, body in
                let found = try await results.load(key(input), false, LoadOrder(nil, [tag])) { order in
                    rules.result(try await body(), &order)
                }
                return rules.output(found!)
            },
            cached: { results.value(for: key($0)).map(rules.output) },
            holds: { results.contains(key($0)) },
            store: { output, input, expiry in
                guard rules.admits?(output) ?? true else {
                    results.remove(key(input))
                    return false
                }
                let result = MethodResult(output, weight: rules.weigher?(output) ?? 1)
                return results.put(result, for: key(input), expiring: expiry ?? rules.expiry(of: output), tags: [tag])
                    .isStored
            },
            forget: { results.remove(key($0)) },
            forgetAll: { results.removeAll(taggedWith: tag) },
            isOn: { [self] in rules.isMemoised && isOn && MethodSwitch.isOn },
            counter: MethodCounter(rules.name, monitor))
    }
}

extension MethodRules {
    /// What is kept of an output, if it is kept.
    func result(_ output: Output, _ order: inout LoadOrder) -> MethodResult {
        order.expiry = expiry(of: output)
        order.isKept = admits?(output) ?? true
        return MethodResult(output, weight: weigher?(output) ?? 1)
    }

    /// The output that was kept.
    func output(_ result: MethodResult) -> Output {
        guard let output = result.value(as: Output.self) else {
            preconditionFailure("a result of another function was found under this one's key")
        }
        return output
    }
}
