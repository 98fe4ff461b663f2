public import CacheConformance
public import CacheCore

/// The reference cache, with a defect or without, as a subject.
public struct ReferenceSubject: CacheSubject {
    /// What the reference is besides a cache with every feature that goes with every other.
    public enum Flavour: String, CaseIterable, Sendable {
        /// Nothing.
        case plain
        /// It writes behind instead of through.
        case behind
        /// It has a tier below memory.
        case tiered
        /// It keeps everything in a file.
        case persistent
        /// It keeps everything in a file, and waits for the device.
        case durable

        /// Whether it keeps a file.
        var isOnDisk: Bool { self == .persistent || self == .durable }
    }

    /// The defect; nil for none.
    public let bug: Mutant?
    /// The policy whose order it keeps: `lru`, `fifo` or `lfu`; or `aged-lfu`, which no policy is compared with.
    public let order: String
    /// That policy, to be compared with; nil leaves checks of the order blocked.
    public let orderPolicy: PolicyEntry?
    /// What it is besides.
    public let flavour: Flavour

    /// The reference, with the order and the flavour that its defect is about. The policies are those that may be
    /// compared with.
    public init(_ bug: Mutant? = nil, order: String? = nil, flavour: Flavour? = nil, policies: [PolicyEntry]) {
        self.bug = bug
        let order = order ?? bug?.order ?? "lru"
        self.order = order
        self.flavour = flavour ?? bug?.flavour ?? .plain
        orderPolicy = policies.first { $0.descriptor.name == order }
    }

    /// `reference`, with its flavour if that is not plain, or the defect's name.
    public var name: String {
        bug?.rawValue ?? (flavour == .plain ? "reference" : "reference:\(flavour.rawValue)")
    }

    /// Everything that goes together, with limits small enough to try.
    public func claims() throws(StoreError) -> Claims {
        var features = Set(Claims.Feature.allCases).subtracting(Self.special)
        switch flavour {
        case .plain: break
        case .behind: features = features.subtracting([.writer]).union([.writeBehind])
        case .tiered: features.insert(.tiers)
        case .persistent, .durable: features.formUnion([.diskUsage, .keepsOrder, .compacts, .detectsDamage, .recovers])
        }
        if order.hasSuffix("lfu") { features.insert(.frequencyAware) }
        if order != "lfu" { features.insert(.ages) }
        var claims = Claims(
            StorageClaims(
                keyBytesMax: 5_000, valueBytesMax: 1 << 20 + 1,
                durability: flavour == .durable ? .power : flavour == .persistent ? .kill : .volatile),
            features: features,
            room: Claims.Room(.objects(1 << 20), units: [.objects, .bytes]),
            order: order == "aged-lfu" ? nil : order)
        if flavour.isOnDisk {
            claims.formats = Claims.Formats(newest: ReferenceJournal.newest, older: [1])
        }
        return claims
    }

    /// What only a flavour or an order has.
    private static let special: Set<Claims.Feature> = [
        .writeBehind, .tiers, .frequencyAware, .ages, .diskUsage, .keepsOrder, .compacts, .detectsDamage,
        .recovers,
    ]

    /// Whether it keeps a file.
    public var needsDirectory: Bool { flavour.isOnDisk }

    /// An empty cache, or what was left in the directory.
    ///
    /// - Throws: `unavailable` for settings that make no sense.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        try openCache(setup, in: directory)
    }

    /// As the other, for clients that are interleaved step by step.
    public func open(
        _ setup: CacheSetup, in directory: String?, on executor: SteppedExecutor
    ) throws(StoreError) -> any SuspendingInstance {
        SuspendingReference(try openCache(setup, in: directory), executor)
    }

    private func openCache(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> ReferenceCache {
        let numbers = [
            setup.capacity.map { Int64($0.amount) }, setup.timeToIdleNanoseconds, setup.staleNanoseconds,
            setup.refreshNanoseconds, setup.format.map { Int64($0 - 1) },
        ]
        if numbers.contains(where: { $0 ?? 0 < 0 }), bug != .opensNonsense {
            throw StoreError(.unavailable, "a capacity, a time or a version is below what there is; leave it out")
        }
        if flavour.isOnDisk, let directory {
            return try ReferenceCache(
                setup, order: order, bug: bug, directory: directory, isDurable: flavour == .durable)
        }
        return ReferenceCache(setup, order: order, bug: bug, flavour: flavour)
    }
}
