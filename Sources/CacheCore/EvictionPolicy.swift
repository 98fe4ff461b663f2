/// A rule that decides which object leaves a full cache.
///
/// ### Purpose
/// A policy works on dense object ids alone: it never sees keys or values. The same type drives a simulation and a live
/// cache, where ids are recycled once the policy has forgotten them.
///
/// ### When each method is called
/// For each request the caller calls ``touch(_:)``. If that returns false the request is a miss, and the caller calls
/// ``insert(_:evicting:)`` at once with the same request. ``remove(_:)`` may come at any moment between requests. A replay
/// calls ``serveBlock(_:)`` instead while ``canServeBlock`` is true, and nothing but ``contains(_:)`` once ``isFrozen`` is.
///
/// ### Implementers' notes
/// Use a `struct` that is `~Copyable` and owns flat buffers (``ObjectLists``, ``SlotTable``, ``FixedBuffer``): no class nodes, no
/// `Dictionary`, no existential in these methods. Make it generic over ``SizeStore`` so that runs in objects and runs in
/// bytes are both specialised. Keep to these rules, which the policy suite checks after every request:
/// - the resident objects' weights never exceed the capacity once a call has returned;
/// - an object larger than the capacity is never admitted and evicts nothing (only a bound that declares itself
///   ``PolicyDescriptor/isUnbounded`` is exempt from this rule and the one above);
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
/// the module that defines it, so that the replay loop is specialised there. A policy that has no meaning in bytes says
/// why in ``PolicyDescriptor/objectsOnly`` and is registered by `PolicyEntry(unit: ClockProPolicy.self)`.
public protocol EvictionPolicy: ~Copyable, SendableMetatype {
    /// The name, parameters and source of this policy.
    static var descriptor: PolicyDescriptor { get }

    /// Whether ``Request/nextIndex`` must be filled. The default is false.
    static var needsFuture: Bool { get }

    /// Whether ``Request/cost`` must be filled from a trace that states costs. The default is false.
    static var needsCost: Bool { get }

    /// Whether the request's time and time to live must be filled from a trace that states them. The default is false.
    static var needsTime: Bool { get }

    /// An empty cache.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together or with the capacity.
    init(_ configuration: PolicyConfiguration) throws(AssayError)

    /// Records a hit and returns true if the object is resident; otherwise changes nothing that evicts.
    ///
    /// A rule by which a hit pushes other objects out drops them here, reports them at the next insertion, and is declared:
    /// ``PolicyDeviations/evictsOnHit``. A live cache may tell any other policy of a hit later, but before anything else.
    mutating func touch(_ request: Request) -> Bool

    /// Offers a missed object, makes room for it, and returns whether it is resident afterwards.
    mutating func insert<Sink: EvictionSink & ~Copyable>(_ request: Request, evicting sink: inout Sink) -> Bool

    /// Whether a block can be served at once: as a rule, whether the cache is full of objects that weigh 1, so that each miss
    /// exchanges victims for the newcomer.
    ///
    /// Asked before each block, so it must cost little; while it is false, requests are served one by one. The default is
    /// false: then ``serveBlock(_:)`` is never called.
    var canServeBlock: Bool { get }

    /// Serves a block of requests while ``canServeBlock`` is true, and returns a bit for each, the lowest for the last, set
    /// where it missed.
    ///
    /// The same as a touch of each and, after a miss, an insertion that leaves the newcomer resident; but for a policy that
    /// can do both without a branch it is several times faster, because to the processor a hit is the toss of a coin. It
    /// fetches what it needs for ``ObjectBlock/upcoming(_:)`` itself. Replays call it; live caches, which must know the
    /// victim, do not.
    mutating func serveBlock(_ block: ObjectBlock) -> UInt64

    /// Whether no request changes anything any more that can be seen: what is resident stays, and every miss is refused.
    ///
    /// Once true it stays so until ``remove(_:)``. A replay then asks for each object once whether the policy
    /// ``contains(_:)`` it, and serves the rest itself. The default is false.
    var isFrozen: Bool { get }

    /// Forgets an object wholly, resident or ghost; does nothing for any other.
    mutating func remove(_ id: ObjectID)

    /// Says that a write has replaced the value of a resident object that keeps its weight, after its ``touch(_:)``.
    ///
    /// For what runs from the moment of writing, such as a time to live. The default does nothing.
    mutating func renew(_ request: Request)

    /// Whether the object is resident. Has no side effect.
    func contains(_ id: ObjectID) -> Bool

    /// The number of resident objects.
    var residentCount: Int { get }

    /// The total weight of the resident objects, in the capacity's unit.
    var residentWeight: Int { get }

    /// The object that would leave first to make room for a missed object; nil if the policy cannot tell beforehand, as by
    /// default.
    ///
    /// An admission policy compares the newcomer with it. It is the newcomer itself where the rule would let that in and
    /// evict it at once. May move a clock's hand or draw random numbers as the eviction would, so that an insertion of the
    /// same object that follows at once evicts this one; changes nothing that is resident, and no ghost.
    mutating func nextVictim(for newcomer: Request) -> ObjectID?

    /// The object that will probably leave next, whose key and value can be fetched; nil, as by default, if finding it costs more
    /// than a look. Has no side effect, and may be wrong.
    var likelyVictim: ObjectID? { get }

    /// Adds to the counts of a replay what only the policy knows. The default adds nothing.
    func report(into counts: inout ReplayCounts)

    /// Hints that `id` will be asked for soon: its place in an index can be fetched. The default does nothing; no hint may
    /// change any result.
    func prefetch(_ id: ObjectID)

    /// Hints that `id`, of which ``prefetch(_:)`` has told, will be asked for sooner still: what the index leads to can be
    /// fetched. The default does nothing.
    func prefetchEntry(_ id: ObjectID)

    /// Hints that `id`, of which ``prefetchEntry(_:)`` has told, is nearly there: what its entry leads to can be fetched, such
    /// as its neighbours in a list. The default does nothing.
    func prefetchNeighbours(_ id: ObjectID)
}

extension EvictionPolicy where Self: ~Copyable {
    /// Most policies know nothing of the future.
    @inlinable public static var needsFuture: Bool { false }
    /// Most policies treat all misses alike.
    @inlinable public static var needsCost: Bool { false }
    /// Most policies know no time but the order of requests.
    @inlinable public static var needsTime: Bool { false }
    /// Does nothing.
    @inlinable @inline(__always) public func prefetch(_ id: ObjectID) {}
    /// Does nothing.
    @inlinable @inline(__always) public func prefetchEntry(_ id: ObjectID) {}
    /// Does nothing.
    @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) {}
    /// Nil: the policy cannot tell.
    @inlinable public mutating func nextVictim(for newcomer: Request) -> ObjectID? { nil }
    /// Nil: it is not worth looking for.
    @inlinable public var likelyVictim: ObjectID? { nil }
    /// Does nothing.
    @inlinable public mutating func renew(_ request: Request) {}
    /// Adds nothing.
    @inlinable public func report(into counts: inout ReplayCounts) {}
    /// Most policies do different things for hits and misses.
    @inlinable @inline(__always) public var canServeBlock: Bool { false }
    /// Most policies go on evicting.
    @inlinable @inline(__always) public var isFrozen: Bool { false }
    /// Traps: a policy that can serve blocks says how.
    @inlinable @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        preconditionFailure("a policy whose canServeBlock is true must define serveBlock")
    }
}

/// A form of a policy that replays whole traces in objects faster than the policy itself, request for request with the same result.
///
/// The policy is its oracle: tests hold one against the other. Named in ``PolicyEntry/init(unit:bytes:replay:)``.
public protocol ReplayForm: EvictionPolicy, ~Copyable {
    /// Whether the form knows these parameters; true by default. The policy itself replays with any others.
    static func serves(_ configuration: PolicyConfiguration) -> Bool
}

extension ReplayForm where Self: ~Copyable {
    /// Most forms know every parameter.
    @inlinable public static func serves(_ configuration: PolicyConfiguration) -> Bool { true }
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
