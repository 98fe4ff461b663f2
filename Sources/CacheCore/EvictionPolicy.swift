/// A rule that decides which object leaves a full cache.
///
/// ### Purpose
/// A policy works on dense object ids alone: it never sees keys or values. The same type drives a simulation and a live
/// cache, where ids are recycled once the policy has forgotten them.
///
/// ### When each method is called
/// For each request the caller calls ``touch(_:)``. If that returns false the request is a miss, and the caller calls
/// ``insert(_:evicting:)`` at once with the same request. ``remove(_:)`` may come at any moment between requests.
///
/// ### Implementers' notes
/// Use a `struct` that is `~Copyable` and owns flat buffers (``SlotTable``, ``FixedBuffer``): no class nodes, no
/// `Dictionary`, no existential in these methods. Make it generic over ``SizeStore`` so that runs in objects and runs in
/// bytes are both specialised. Keep to these rules, which the policy suite checks after every request:
/// - the resident objects' weights never exceed the capacity once a call has returned;
/// - an object larger than the capacity is never admitted and evicts nothing;
/// - an object's size is taken when it is admitted and holds until it leaves;
/// - every resident object that leaves for space is reported once by ``EvictionSink/evicted(_:)``;
/// - ``contains(_:)`` changes nothing.
///
/// In `init`, compute with local values and use no stored property in `||`, `&&` or a closure before the last one is set:
/// Swift 6.3.1 otherwise destroys noncopyable properties before they are initialised. Take ``VictimPolicy`` for the usual
/// way to make room.
///
/// ### Using
/// Register the type in one line: `PolicyEntry(unit: LRUPolicy<UnitSizes>.self, bytes: LRUPolicy<ByteSizes>.self)`, in
/// the module that defines it, so that the replay loop is specialised there.
public protocol EvictionPolicy: ~Copyable, SendableMetatype {
    /// The name, parameters and source of this policy.
    static var descriptor: PolicyDescriptor { get }

    /// Whether ``Request/nextIndex`` must be filled. The default is false.
    static var needsFuture: Bool { get }

    /// An empty cache.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity.
    init(_ configuration: PolicyConfiguration) throws(AssayError)

    /// Records a hit and returns true if the object is resident; otherwise changes nothing that evicts.
    ///
    /// A rule by which a hit pushes other objects out drops them here and reports them at the next insertion.
    mutating func touch(_ request: Request) -> Bool

    /// Offers a missed object, makes room for it, and returns whether it is resident afterwards.
    mutating func insert<Sink: EvictionSink & ~Copyable>(_ request: Request, evicting sink: inout Sink) -> Bool

    /// Forgets an object wholly, resident or ghost; does nothing for any other.
    mutating func remove(_ id: ObjectID)

    /// Whether the object is resident. Has no side effect.
    func contains(_ id: ObjectID) -> Bool

    /// The number of resident objects.
    var residentCount: Int { get }

    /// The total weight of the resident objects, in the capacity's unit.
    var residentWeight: Int { get }

    /// Hints that `id` will be asked for soon. The default does nothing; it must not change any result.
    func prefetch(_ id: ObjectID)
}

extension EvictionPolicy where Self: ~Copyable {
    /// Most policies know nothing of the future.
    @inlinable public static var needsFuture: Bool { false }
    /// Does nothing.
    @inlinable @inline(__always) public func prefetch(_ id: ObjectID) {}
}

/// Receives what a policy gives up while it makes room.
public protocol EvictionSink: ~Copyable {
    /// A resident object left to make room, or was refused after it had been admitted.
    ///
    /// Reported once for each time it leaves, and never for an object that ``EvictionPolicy/remove(_:)`` took away.
    mutating func evicted(_ id: ObjectID)
    /// The policy keeps nothing of an object any more: it is neither resident nor a ghost, and its id may be used for
    /// another object.
    ///
    /// Reported once for every object that a policy was offered and let go by itself: a victim that leaves no ghost, a
    /// ghost that is dropped, an object that is refused. It follows ``evicted(_:)`` where both are due. An object that
    /// ``EvictionPolicy/remove(_:)`` took away is not reported, because the caller knows.
    mutating func forgotten(_ id: ObjectID)
}

/// What a policy is built from.
public struct PolicyConfiguration: Sendable {
    /// How much the cache may hold.
    public var capacity: Capacity
    /// The ids that will be asked for.
    public var objects: ObjectSpace
    /// The policy's parameters.
    public var parameters: ParameterValues
    /// The seed of everything random in the policy.
    public var seed: UInt64

    /// A configuration. The seed matters only to policies that draw random numbers.
    public init(capacity: Capacity, objects: ObjectSpace, parameters: ParameterValues, seed: UInt64 = 1) {
        self.capacity = capacity
        self.objects = objects
        self.parameters = parameters
        self.seed = seed
    }

    /// The most objects that can be resident together: bounded by the capacity, by the ids, and by the smallest size.
    public var residentLimit: Int { objectLimit(of: capacity.amount) }

    /// The most objects that `amount` of the capacity's unit can hold together, at least 1.
    public func objectLimit(of amount: Int) -> Int {
        let smallest = capacity.unit == .objects ? 1 : objects.smallestSize
        guard smallest > 0 else { return max(1, objects.count) }
        return max(1, min(objects.count, amount / smallest))
    }
}

/// The ids that a policy will see: `0..<count`.
public struct ObjectSpace: Sendable, Hashable {
    /// The number of ids.
    public var count: Int
    /// A lower bound of the objects' sizes, in bytes. Used only to keep buffers small.
    public var smallestSize: Int

    /// Ids `0..<count` whose sizes are at least `smallestSize` bytes.
    public init(count: Int, smallestSize: Int = 0) {
        self.count = count
        self.smallestSize = smallestSize
    }
}

/// What a policy is: the words that `assay list policies` prints.
public struct PolicyDescriptor: Sendable, Hashable {
    /// The name on the command line, lower-case.
    public var name: String
    /// Other names for the same policy.
    public var aliases: [String]
    /// The family it belongs to: `recency`, `frequency`, `segmented`, `adaptive`, `sketch`, `random`, `bound`.
    public var family: String
    /// One sentence that says how it chooses.
    public var summary: String
    /// Where it was published.
    public var citation: String
    /// What can be tuned.
    public var parameters: [ParameterSpecification]
    /// Whether equal input gives equal results whatever the seed, for every value of the parameters.
    public var isDeterministic: Bool

    /// A descriptor; a policy without parameters leaves them out.
    public init(
        name: String, aliases: [String] = [], family: String, summary: String, citation: String,
        parameters: [ParameterSpecification] = [], isDeterministic: Bool = true
    ) {
        self.name = name
        self.aliases = aliases
        self.family = family
        self.summary = summary
        self.citation = citation
        self.parameters = parameters
        self.isDeterministic = isDeterministic
    }
}
