public import CacheConformance
public import CacheCore
internal import CacheEngine

/// The engine's cache in memory as a subject: any policy, as `cache:s3fifo`, or with reads that share the lock
/// `cache:s3fifo+relaxed`.
///
/// What the engine can do is claimed, but for refreshing: its blocking face loads in the caller, while the suite waits for a load
/// that goes on beside. The order of eviction is claimed where the policy is deterministic and keeps nothing of what has left.
public struct EngineSubject: CacheSubject {
    /// The room of a cache of the engine that is opened with nothing said: more than the suite fills, and no more, because checks
    /// open thousands of caches, and a policy is made for its whole capacity.
    static let roomUnsaid = Capacity.objects(1 << 16)

    /// What the cache is made of.
    public struct Options: Sendable, Hashable {
        /// Whether it is remembered that a key has no value.
        public var isNegative = false
        /// Whether reads share the lock.
        public var isRelaxed = false

        /// In strict order, and no knowledge of what there is not.
        public init(isNegative: Bool = false, isRelaxed: Bool = false) {
            self.isNegative = isNegative
            self.isRelaxed = isRelaxed
        }
    }

    /// What `cache:POLICY` begins with.
    public static let prefix = "cache:"

    /// `cache:` and the policy, with its parameters and the options.
    public let name: String
    let policy: PolicyEntry
    let parameters: ParameterValues
    let options: Options

    /// The engine's cache with a policy.
    public init(_ policy: PolicyEntry, parameters: ParameterValues? = nil, options: Options = Options()) {
        let values = parameters ?? ParameterValues(defaults: policy.descriptor.parameters)
        self.policy = policy
        self.parameters = values
        self.options = options
        name =
            Self.prefix + selectionText(policy.descriptor.name, values)
            + (options.isNegative ? "+negative" : "") + (options.isRelaxed ? "+relaxed" : "")
    }

    /// The policies whose order can be foretold from what the suite sees: those that no sketch, no draw and no size enters.
    private static let ordered: Set<String> = ["lru", "fifo"]

    /// Whether the order of a policy can be foretold.
    static func isOrdered(_ policy: PolicyEntry, _ parameters: ParameterValues) -> Bool {
        parameters.givenDescription.isEmpty && ordered.contains(policy.descriptor.name)
    }

    private var isOrdered: Bool { Self.isOrdered(policy, parameters) }

    /// The policy, where its order is claimed.
    public var orderPolicy: PolicyEntry? { isOrdered ? policy : nil }

    /// All that the engine can do.
    public func claims() throws(StoreError) -> Claims {
        var features: Set<Claims.Feature> = [
            .putIfAbsent, .replace, .compareAndSet, .take, .bulk, .bulkPut, .update, .timeToLive, .timeToIdle, .touch,
            .remainingTime, .expiredFirst,
            .resize, .loader, .coalesce, .events, .listener, .statistics, .tags, .groups, .staleServe, .walks,
            .references, .defaults, .validates,
        ]
        var units = [Capacity.Unit.objects]
        if policy.isApplicable(to: .bytes) {
            features.insert(.cost)
            units.append(.bytes)
        }
        if options.isNegative { features.insert(.negative) }
        return Claims(
            StorageClaims(keyBytesMax: EngineInstance.keyBytesMax, retains: isOrdered), features: features,
            room: CapacityClaim(Self.roomUnsaid, units: units, isStrict: isOrdered),
            order: isOrdered ? policy.descriptor.name : nil)
    }

    /// An empty cache.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        do throws(AssayError) { return try EngineInstance(setup, self) } catch {
            throw StoreError(.unavailable, error.description)
        }
    }
}

/// A value with what it costs, or an object in its place.
struct CostedValue: Sendable, Equatable {
    var bytes: [UInt8]
    var cost = 1
    var object: (any AnyObject & Sendable)?

    static func == (a: CostedValue, b: CostedValue) -> Bool { a.bytes == b.bytes }
}
