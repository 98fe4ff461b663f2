public import CacheConformance
public import CacheCore

/// A correct cache with every capability that the suite knows, as a subject: the example of a full one.
public struct ReferenceSubject: CacheSubject {
    /// Capabilities that exclude each other or need a disk: one reference has one of these.
    public enum Flavour: String, CaseIterable, Sendable {
        /// Everything in memory; writes go through to the writer.
        case plain
        /// Writes go to the writer later.
        case behind
        /// There is a second tier below memory.
        case tiered
        /// Everything is in a file too, and survives the process.
        case persistent
        /// As `persistent`, and every change waits for the device.
        case durable

        package var isOnDisk: Bool { self == .persistent || self == .durable }
    }

    /// The order of eviction: `lru`, `fifo` or `lfu`; or `aged-lfu`, which no policy is compared with.
    public let order: String
    /// The policy of that order, for comparison; nil leaves checks of the order blocked.
    public let orderPolicy: PolicyEntry?
    /// Which of the exclusive capabilities it has.
    public let flavour: Flavour

    /// The reference, whose order may be compared with one of the policies.
    public init(order: String = "lru", flavour: Flavour = .plain, policies: [PolicyEntry]) {
        self.order = order
        self.flavour = flavour
        orderPolicy = policies.first { $0.descriptor.name == order }
    }

    /// `reference`, with its flavour if that is not plain.
    public var name: String { flavour == .plain ? "reference" : "reference:\(flavour.rawValue)" }

    /// Everything that goes together, with limits small enough to try.
    public func claims() throws(StoreError) -> Claims {
        var features = Set(Claims.Feature.allCases).subtracting(Self.exclusive)
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
                keyBytesMax: ReferenceContents.keyBytesMax, valueBytesMax: ReferenceContents.valueBytesMax,
                durability: flavour == .durable ? .power : flavour == .persistent ? .kill : .volatile),
            features: features,
            room: CapacityClaim(.objects(1 << 20), units: [.objects, .bytes]),
            order: order == "aged-lfu" ? nil : order)
        if flavour.isOnDisk { claims.formats = Claims.Formats(newest: ReferenceJournal.newest, older: [1]) }
        return claims
    }

    /// What only a flavour or an order has.
    private static let exclusive: Set<Claims.Feature> = [
        .writeBehind, .tiers, .frequencyAware, .ages, .diskUsage, .keepsOrder, .compacts, .detectsDamage, .recovers,
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
        try Self.check(setup)
        var contents = ReferenceContents(setup, order: order, flavour: flavour)
        guard flavour.isOnDisk, let directory else { return ReferenceCache(contents) }
        let journal = ReferenceJournal(
            directory: directory, format: setup.format ?? ReferenceJournal.newest, isDurable: flavour == .durable)
        try journal.open()
        contents.restore(journal.records)
        return ReferenceCache(contents, journal: journal)
    }

    /// Refuses settings that make no sense.
    package static func check(_ setup: CacheSetup) throws(StoreError) {
        let numbers = [
            setup.capacity.map { Int64($0.amount) }, setup.timeToIdleNanoseconds, setup.staleNanoseconds,
            setup.refreshNanoseconds, setup.format.map { Int64($0 - 1) },
        ]
        guard numbers.allSatisfy({ $0 ?? 0 >= 0 }) else {
            throw StoreError(.unavailable, "a capacity, a time or a version is below what there is; leave it out")
        }
    }
}
