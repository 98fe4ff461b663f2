/// A policy as a registry holds it: erased once a run, never once a request.
public struct PolicyEntry: Sendable {
    /// What the policy is.
    public let descriptor: PolicyDescriptor
    /// The policy of which this is a preset, nil for a policy in its own right.
    public let presetOf: String?
    /// Whether the policy must know the future.
    public let needsFuture: Bool
    /// Whether it is a bound that is computed from a whole trace, by which no cache can be driven.
    public let isBound: Bool
    @usableFromInline
    let simulateBody: Simulation
    /// Replays a whole trace through a new cache, noting its counts where parts end.
    @usableFromInline
    typealias Simulation =
        @Sendable (RequestColumns, PolicyConfiguration, ReplayMonitor, ReplayParts)
        throws(AssayError) -> ReplayCounts?
    @usableFromInline let openBody: @Sendable (PolicyConfiguration) throws(AssayError) -> AnyEvictionPolicy

    /// An entry from the two specialisations of one policy: every object weighs 1, every object weighs its size.
    @inlinable
    public init<Unit: EvictionPolicy & ~Copyable, Bytes: EvictionPolicy & ~Copyable>(
        unit: Unit.Type, bytes: Bytes.Type
    ) {
        descriptor = Unit.descriptor
        presetOf = nil
        needsFuture = Unit.needsFuture
        isBound = false
        simulateBody = { (columns, configuration, monitor, parts) throws(AssayError) in
            switch configuration.capacity.unit {
            case .objects: try simulated(Unit.self, columns, configuration, monitor, parts)
            case .bytes: try simulated(Bytes.self, columns, configuration, monitor, parts)
            }
        }
        openBody = { (configuration) throws(AssayError) in
            switch configuration.capacity.unit {
            case .objects: try opened(Unit.self, configuration)
            case .bytes: try opened(Bytes.self, configuration)
            }
        }
    }

    /// An entry from the two specialisations of one policy, which live caches run, and a faster form that replays traces in objects.
    @inlinable
    public init<Unit: EvictionPolicy & ~Copyable, Bytes: EvictionPolicy & ~Copyable, Fast: ReplayForm & ~Copyable>(
        unit: Unit.Type, bytes: Bytes.Type, replay: Fast.Type
    ) {
        let entry = PolicyEntry(unit: unit, bytes: bytes)
        self.init(entry) { (columns, configuration, monitor, parts) throws(AssayError) in
            guard configuration.capacity.unit == .objects, Fast.serves(configuration) else {
                return try entry.simulateBody(columns, configuration, monitor, parts)
            }
            return try simulated(Fast.self, columns, configuration, monitor, parts)
        }
    }

    /// An entry from the two specialisations of one policy, and a way of its own to replay whole traces in objects.
    @inlinable
    public init<Unit: EvictionPolicy & ~Copyable, Bytes: EvictionPolicy & ~Copyable, Whole: WholeTraceReplay>(
        unit: Unit.Type, bytes: Bytes.Type, wholeTrace: Whole.Type
    ) {
        let entry = PolicyEntry(unit: unit, bytes: bytes)
        self.init(entry) { (columns, configuration, monitor, parts) throws(AssayError) in
            guard configuration.capacity.unit == .objects else {
                return try entry.simulateBody(columns, configuration, monitor, parts)
            }
            precondition(!Unit.needsFuture || columns.next != nil, "this policy needs the future")
            return Whole.replay(columns, configuration, monitor: monitor, parts: parts)
        }
    }

    @usableFromInline
    init(_ entry: PolicyEntry, simulate: @escaping Simulation) {
        descriptor = entry.descriptor
        presetOf = entry.presetOf
        needsFuture = entry.needsFuture
        isBound = entry.isBound
        simulateBody = simulate
        openBody = entry.openBody
    }

    /// An entry from a policy in which every object weighs 1 and that has no meaning in bytes.
    @inlinable
    public init<Unit: EvictionPolicy & ~Copyable>(unit: Unit.Type) {
        descriptor = Unit.descriptor
        presetOf = nil
        needsFuture = Unit.needsFuture
        isBound = false
        precondition(Unit.descriptor.objectsOnly != nil, "a policy without a meaning in bytes says why")
        simulateBody = { (columns, configuration, monitor, parts) throws(AssayError) in
            try requireObjects(configuration, Unit.descriptor)
            return try simulated(Unit.self, columns, configuration, monitor, parts)
        }
        openBody = { (configuration) throws(AssayError) in
            try requireObjects(configuration, Unit.descriptor)
            return try opened(Unit.self, configuration)
        }
    }

    /// An entry from a bound on what policies can reach.
    public init<Bound: OfflineBound>(bound: Bound.Type) {
        descriptor = Bound.descriptor
        presetOf = nil
        needsFuture = true
        isBound = true
        simulateBody = { (columns, configuration, monitor, parts) throws(AssayError) in
            try requireObjects(configuration, Bound.descriptor)
            guard parts.isWhole else {
                throw AssayError(.usage, "\(Bound.descriptor.name): \(PolicyEntry.boundsWholeTraces)")
            }
            precondition(columns.next != nil, "a bound needs the future")
            return try Bound.bound(columns, configuration, monitor: monitor)
        }
        openBody = { (_) throws(AssayError) in
            throw AssayError(
                .usage,
                "\(Bound.descriptor.name) is a bound on what policies can reach and cannot drive a cache. "
                    + "Compute it for a trace with 'assay run', or choose a policy.")
        }
    }

    /// Why a bound knows no parts of a trace.
    package static var boundsWholeTraces: String {
        "A bound is of the whole trace: it has no warm-up, windows or tenants."
    }

    /// Whether the policy has a meaning for capacities in that unit.
    public func isApplicable(to unit: Capacity.Unit) -> Bool { unit == .objects || descriptor.objectsOnly == nil }

    /// Whether a trace is replayed request by request, which takes several times as long as a policy's own loop.
    package func isStepped(
        _ columns: RequestColumns, _ configuration: PolicyConfiguration, _ parts: ReplayParts = ReplayParts()
    ) -> Bool {
        !isBound && (SteppedReplay.isNeeded(columns, configuration) || !parts.tenants.isEmpty)
    }

    /// Replays a whole trace through a new cache. Returns nil if the monitor asked to stop before the end.
    ///
    /// A trace that states operations, or sizes that change what residents weigh, and one for a policy behind a front, is replayed
    /// request by request, as a live cache serves it: see ``SteppedReplay``. So is one whose tenants are told apart, or that a prefetcher watches.
    ///
    /// - Parameter parts: The parts of the trace that are counted apart too, not used before. The counts are those of the whole
    ///   trace; ``ReplayParts/counted(_:)`` takes the warm-up off.
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity, for operations
    ///   that the policy cannot obey, and for parts with a bound; the failure of a policy that has one
    ///   (``PolicyContext/failure``).
    public func simulate(
        _ columns: RequestColumns, _ configuration: PolicyConfiguration, monitor: ReplayMonitor = ReplayMonitor(),
        parts: ReplayParts = ReplayParts()
    ) throws(AssayError) -> ReplayCounts? {
        try requireReplayable(columns, configuration)
        guard isStepped(columns, configuration, parts) else {
            return try simulateBody(columns, configuration, monitor, parts)
        }
        let replay = try SteppedReplay(self, columns, configuration, parts)
        return try replay.run(0..<columns.ids.count, monitor) ? replay.counts : nil
    }

    /// Why the policy, behind an admission policy, cannot replay a trace with these operations; nil if it can.
    public func hindrance(by columns: RequestColumns, admission: AdmissionSelection? = nil) -> String? {
        guard columns.operations != nil else { return nil }
        let name = needsFuture ? descriptor.name : admission?.entry.needsFuture == true ? admission?.text : nil
        return name.map {
            "The trace writes or deletes objects, and \($0) knows the future only where every request is a read."
        }
    }

    /// Refuses a trace that the policy cannot replay behind what the configuration names.
    func requireReplayable(_ columns: RequestColumns, _ configuration: PolicyConfiguration) throws(AssayError) {
        let reason =
            hindrance(by: columns, admission: configuration.admission)
            ?? hindrance(
                by: columns, prefetcher: configuration.prefetcher, admission: configuration.admission,
                honoursExpiry: configuration.honoursExpiry)
        guard let reason else { return }
        throw AssayError(.usage, "\(descriptor.name) cannot replay this trace. \(reason)")
    }

    /// Opens a new cache that is driven request by request.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity, and for a
    ///   bound.
    public func open(_ configuration: PolicyConfiguration) throws(AssayError) -> AnyEvictionPolicy {
        try openBody(configuration)
    }
}

@usableFromInline
func requireObjects(_ configuration: PolicyConfiguration, _ descriptor: PolicyDescriptor) throws(AssayError) {
    guard configuration.capacity.unit != .objects, let reason = descriptor.objectsOnly else { return }
    throw AssayError(.usage, "\(descriptor.name) is not applicable in bytes: \(reason) Give a capacity in objects.")
}

@inlinable
func simulated<Policy: EvictionPolicy & ~Copyable>(
    _: Policy.Type, _ columns: RequestColumns, _ configuration: PolicyConfiguration, _ monitor: ReplayMonitor,
    _ parts: ReplayParts
) throws(AssayError) -> ReplayCounts? {
    precondition(!Policy.needsFuture || columns.next != nil, "this policy needs the future")
    var configuration = configuration
    configuration.statesCosts = columns.costs != nil
    configuration.statesTimes = columns.times?.contains { $0 != 0 } == true
    return replay(try Policy(configuration), columns, monitor: monitor, parts: parts)
}

@inlinable
func opened<Policy: EvictionPolicy & ~Copyable>(
    _: Policy.Type, _ configuration: PolicyConfiguration
) throws(AssayError) -> AnyEvictionPolicy {
    let policy = AnyEvictionPolicy(try Policy(configuration), context: configuration.context)
    guard configuration.isFronted else { return policy }
    return AnyEvictionPolicy(try AdmissionExpiryPolicy(policy, Policy.descriptor, configuration))
}

/// A policy driven one request at a time, for checks and live caches, where a call through a table costs little.
public protocol SteppedPolicy: AnyObject {
    /// Records a hit and returns true if the object is resident.
    func touch(_ request: Request) -> Bool
    /// Offers a missed object and appends what left; returns whether the object is resident afterwards.
    func insert(_ request: Request, evicting victims: inout VictimList) -> Bool
    /// Forgets an object wholly.
    func remove(_ id: ObjectID)
    /// Whether the object is resident.
    func contains(_ id: ObjectID) -> Bool
    /// The object that would leave first to make room for a missed one; nil if the policy cannot tell.
    func nextVictim(for newcomer: Request) -> ObjectID?
    /// The number of resident objects.
    var residentCount: Int { get }
    /// The total weight of the resident objects, in the capacity's unit.
    var residentWeight: Int { get }
    /// Adds to the counts of a run what only the policy knows.
    func report(into counts: inout ReplayCounts)
    /// Why the policy decides nothing any more; nil while it works, and by default.
    var failure: AssayError? { get }
}

extension SteppedPolicy {
    /// Most policies cannot fail.
    public var failure: AssayError? { nil }
}

/// Collects what a policy gives up, in order.
@frozen
public struct VictimList: EvictionSink {
    @usableFromInline var left: [ObjectID] = []
    @usableFromInline var gone: [ObjectID] = []

    /// The resident objects that left for space, in order.
    @inlinable public var evicted: [ObjectID] { left }
    /// The ids that are neither resident nor ghosts any more, in order.
    @inlinable public var forgotten: [ObjectID] { gone }

    /// An empty list.
    @inlinable public init() {}
    /// Appends a victim.
    @inlinable public mutating func evicted(_ id: ObjectID) { left.append(id) }
    /// Appends a forgotten id.
    @inlinable public mutating func forgotten(_ id: ObjectID) { gone.append(id) }
    /// Empties the list and keeps its memory.
    @inlinable
    public mutating func clear() {
        // One by one: mostly there is one, for which removing all at once takes ten times as long.
        while !left.isEmpty { left.removeLast() }
        while !gone.isEmpty { gone.removeLast() }
    }
}
