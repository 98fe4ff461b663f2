/// A policy as a registry holds it: erased once a run, never once a request.
public struct PolicyEntry: Sendable {
    /// What the policy is.
    public let descriptor: PolicyDescriptor
    /// Whether the policy must know the future.
    public let needsFuture: Bool
    @usableFromInline
    let simulateBody: @Sendable (RequestColumns, PolicyConfiguration, ReplayMonitor) throws(AssayError) -> ReplayCounts?
    @usableFromInline let openBody: @Sendable (PolicyConfiguration) throws(AssayError) -> any SteppedPolicy

    /// An entry from the two specialisations of one policy: every object weighs 1, every object weighs its size.
    @inlinable
    public init<Unit: EvictionPolicy & ~Copyable, Bytes: EvictionPolicy & ~Copyable>(
        unit: Unit.Type, bytes: Bytes.Type
    ) {
        descriptor = Unit.descriptor
        needsFuture = Unit.needsFuture
        simulateBody = { (columns, configuration, monitor) throws(AssayError) in
            switch configuration.capacity.unit {
            case .objects: try simulated(Unit.self, columns, configuration, monitor)
            case .bytes: try simulated(Bytes.self, columns, configuration, monitor)
            }
        }
        openBody = { (configuration) throws(AssayError) in
            switch configuration.capacity.unit {
            case .objects: PolicyBox<Unit>(try Unit(configuration))
            case .bytes: PolicyBox<Bytes>(try Bytes(configuration))
            }
        }
    }

    /// Replays a whole trace through a new cache. Returns nil if the monitor asked to stop before the end.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity.
    public func simulate(
        _ columns: RequestColumns, _ configuration: PolicyConfiguration, monitor: ReplayMonitor = ReplayMonitor()
    ) throws(AssayError) -> ReplayCounts? {
        try simulateBody(columns, configuration, monitor)
    }

    /// Opens a new cache that is driven request by request.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity.
    public func open(_ configuration: PolicyConfiguration) throws(AssayError) -> any SteppedPolicy {
        try openBody(configuration)
    }
}

@inlinable
func simulated<Policy: EvictionPolicy & ~Copyable>(
    _: Policy.Type, _ columns: RequestColumns, _ configuration: PolicyConfiguration, _ monitor: ReplayMonitor
) throws(AssayError) -> ReplayCounts? {
    var policy = try Policy(configuration)
    if let sizes = columns.sizes { return replay(&policy, columns, sizes: sizes, monitor: monitor) }
    return replay(&policy, columns, sizes: UniformSizes(columns.uniformSize), monitor: monitor)
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
    /// The number of resident objects.
    var residentCount: Int { get }
    /// The total weight of the resident objects, in the capacity's unit.
    var residentWeight: Int { get }
}

/// Collects what a policy gives up, in order.
public struct VictimList: EvictionSink {
    /// The resident objects that left for space, in order.
    public private(set) var evicted: [ObjectID] = []
    /// The ids that are neither resident nor ghosts any more, in order.
    public private(set) var forgotten: [ObjectID] = []

    /// An empty list.
    public init() {}
    /// Appends a victim.
    public mutating func evicted(_ id: ObjectID) { evicted.append(id) }
    /// Appends a forgotten id.
    public mutating func forgotten(_ id: ObjectID) { forgotten.append(id) }
    /// Empties the list and keeps its memory.
    public mutating func clear() {
        evicted.removeAll(keepingCapacity: true)
        forgotten.removeAll(keepingCapacity: true)
    }
}

@usableFromInline
final class PolicyBox<Policy: EvictionPolicy & ~Copyable>: SteppedPolicy {
    @usableFromInline var policy: Policy
    @usableFromInline init(_ policy: consuming Policy) { self.policy = policy }
    @usableFromInline func touch(_ request: Request) -> Bool { policy.touch(request) }
    @usableFromInline func insert(_ request: Request, evicting victims: inout VictimList) -> Bool {
        policy.insert(request, evicting: &victims)
    }
    @usableFromInline func remove(_ id: ObjectID) { policy.remove(id) }
    @usableFromInline func contains(_ id: ObjectID) -> Bool { policy.contains(id) }
    @usableFromInline var residentCount: Int { policy.residentCount }
    @usableFromInline var residentWeight: Int { policy.residentWeight }
}
