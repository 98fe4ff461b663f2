public import CacheCore
public import CacheEngine

/// How a cache of methods behaves, besides its policy.
public struct MethodCacheOptions: Sendable {
    /// When results expire, unless a function's ``MethodRules/expiry`` says otherwise.
    public enum Expiry: Sendable, Hashable {
        /// They do not.
        case never
        /// So long after they were computed.
        case afterWrite(Duration)
        /// So long after they were last asked for; for results in memory alone.
        case afterAccess(Duration)
    }

    /// How much it may hold: results, or the sum of what the functions' ``MethodRules/weigher`` say.
    public var capacity: Capacity
    /// When results expire.
    public var expiry = Expiry.never
    /// What may enter: a registered admission policy; nil for everything.
    public var admission: AdmissionSelection?
    /// The seed of everything random in the policy.
    public var seed: UInt64 = 1
    /// Where the time comes from.
    public var clock: any CacheClock = SystemClock()
    /// Is told what became of each call, on the caller's thread; nil, the default, costs nothing.
    public var monitor: (@Sendable (MethodEvent) -> Void)?

    /// The defaults for a capacity.
    public init(capacity: Capacity) { self.capacity = capacity }

    func cacheOptions<Key: Hashable & Sendable, Value: Sendable>(
        weighing weigher: @escaping @Sendable (Key, Value) -> Int
    ) -> CacheOptions<Key, Value> {
        var options = CacheOptions<Key, Value>(capacity: capacity)
        if capacity.unit == .bytes { options.weigher = weigher }
        options.admission = admission
        options.seed = seed
        options.clock = clock
        switch expiry {
        case .never: break
        case .afterWrite(let time): options.expiry = .afterWrite(time)
        case .afterAccess(let time): options.expiry = .afterAccess(time)
        }
        return options
    }
}
