/// An eviction policy behind a front: a filter that says what may enter, and a clock that says what has expired.
///
/// A refused object is not offered to the policy, so that a ghost of it stays; it is reported forgotten at once unless the
/// policy still holds something of it. An object larger than the cache is left to the policy to refuse, and is counted
/// as no refusal. An expired object leaves before the request that comes at or after its deadline is served, as by
/// ``EvictionPolicy/remove(_:)``: it frees its space, leaves no ghost, and a request for it is a miss. It is counted as an
/// expiration, not as an eviction, and reported forgotten at the next insertion. Its time to live runs from the request
/// by which it entered; hits do not extend it, and one that enters again starts again.
///
/// Each object that enters leaves by eviction, by expiry or by ``remove(_:)``, or is resident at the end. Memory over the
/// policy's own: 1 byte an object of the trace, and with expiry what ``ExpiryClock`` takes.
@frozen
public struct FrontedPolicy<Policy: EvictionPolicy & ~Copyable>: ~Copyable, EvictionPolicy {
    @usableFromInline var policy: Policy
    @usableFromInline let gate: AdmissionGate?
    @usableFromInline var clock: ExpiryClock?
    @usableFromInline let capacity: Capacity
    /// Whether the policy holds something of an object: was offered it, and has neither reported it forgotten nor been
    /// told to remove it.
    @usableFromInline let held: FixedBuffer<Bool>
    /// Whether the policy refuses nothing, whatever it weighs.
    @usableFromInline let isUnbounded: Bool
    /// What tells objects apart whose ids were the same, where that can be.
    @usableFromInline let identities: ObjectKeys?
    @usableFromInline var lastVictim: LastVictim?
    /// What has expired since the last insertion, to be reported forgotten.
    @usableFromInline var expired: [ObjectID] = []
    @usableFromInline var expirations = 0
    @usableFromInline var refusals = 0

    /// The policy's.
    @inlinable public static var descriptor: PolicyDescriptor { Policy.descriptor }
    /// True: a filter may look into it, where the trace has it.
    @inlinable public static var needsFuture: Bool { true }
    /// True.
    @inlinable public static var needsCost: Bool { true }
    /// True.
    @inlinable public static var needsTime: Bool { true }

    /// The policy with its front, both new.
    ///
    /// - Throws: what the policy and its filter throw.
    @inlinable
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let objects = configuration.objects.count
        let filter = try configuration.admission?.open(configuration)
        policy = try Policy(configuration)
        gate = filter
        clock = configuration.honoursExpiry ? ExpiryClock(objects: objects) : nil
        capacity = configuration.capacity
        held = FixedBuffer(repeating: false, count: objects)
        isUnbounded = Policy.descriptor.isUnbounded
        identities = configuration.identities
    }

    /// The number of resident objects.
    @inlinable public var residentCount: Int { policy.residentCount }
    /// The total weight of the resident objects.
    @inlinable public var residentWeight: Int { policy.residentWeight }

    // Called and not inlined into the replay's loop: Swift 6.3.1 crashes while it moves parts of a front out of the loop.

    /// Lets expire what is due, tells the filter of the request, and touches.
    @inlinable @inline(never)
    public mutating func touch(_ request: Request) -> Bool {
        if clock != nil { expire(at: request.timeNanoseconds) }
        if let gate, gate.needsRecord { gate.record(request) }
        return policy.touch(request)
    }

    /// Asks the filter, and inserts.
    @inlinable @inline(never)
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        if !expired.isEmpty { reportExpired(sparing: request.id, into: &sink) }
        guard isAdmitted(request, evicting: &sink) else {
            refusals &+= 1
            if !held[request.id] { sink.forgotten(request.id) }
            return false
        }
        held[request.id] = true
        let entered = withUnsafeMutablePointer(to: &sink) { base in
            var tracking = TrackingSink(
                base: base, held: held.base, identities: identities, lastVictim: lastVictim)
            let entered = policy.insert(request, evicting: &tracking)
            lastVictim = tracking.lastVictim
            return entered
        }
        if entered, clock != nil {
            clock?.start(request.id, at: request.timeNanoseconds, for: request.timeToLiveNanoseconds)
        }
        return entered
    }

    /// Forgets an object wholly.
    @inlinable
    public mutating func remove(_ id: ObjectID) {
        policy.remove(id)
        held[id] = false
        if !expired.isEmpty { expired.removeAll { $0 == id } }
    }

    /// Lets the object's time to live run from now on.
    @inlinable
    public mutating func renew(_ request: Request) {
        policy.renew(request)
        guard clock != nil else { return }
        clock?.start(request.id, at: request.timeNanoseconds, for: request.timeToLiveNanoseconds)
    }

    /// Whether the object is resident. One whose deadline has come stays so until the next request.
    @inlinable public func contains(_ id: ObjectID) -> Bool { policy.contains(id) }
    /// The policy's victim, whatever the filter says of the newcomer.
    @inlinable
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? { policy.nextVictim(for: newcomer) }
    /// The policy's hint.
    @inlinable @inline(__always) public func prefetch(_ id: ObjectID) { policy.prefetch(id) }
    /// The policy's hint.
    @inlinable @inline(__always) public func prefetchEntry(_ id: ObjectID) { policy.prefetchEntry(id) }
    /// The policy's hint.
    @inlinable @inline(__always) public func prefetchNeighbours(_ id: ObjectID) { policy.prefetchNeighbours(id) }

    /// Adds what the front has done.
    @inlinable
    public func report(into counts: inout ReplayCounts) {
        policy.report(into: &counts)
        counts.expirations = expirations
        counts.refusals = refusals
    }

    @inlinable @inline(never)
    mutating func expire(at now: Int64) {
        while let id = clock?.nextExpired(at: now) {
            // It may have been evicted since.
            guard policy.contains(id) else { continue }
            policy.remove(id)
            held[id] = false
            expired.append(id)
            expirations &+= 1
        }
    }

    /// Reports what has expired; the newcomer, if it is among it, is not forgotten but comes back.
    @inlinable @inline(never)
    mutating func reportExpired<Sink: EvictionSink & ~Copyable>(sparing newcomer: ObjectID, into sink: inout Sink) {
        for id in expired where id != newcomer { sink.forgotten(id) }
        expired.removeAll(keepingCapacity: true)
    }

    @inlinable
    mutating func isAdmitted<Sink: EvictionSink & ~Copyable>(_ request: Request, evicting sink: inout Sink) -> Bool {
        guard let gate, !gate.isOpen else { return true }
        let weight = capacity.unit == .objects ? 1 : request.size
        guard !isUnbounded else { return gate.admits(request, over: nil) }
        // What can never fit is the policy's to refuse; no victim would make way for it.
        guard weight <= capacity.amount else { return true }
        guard policy.residentWeight + weight > capacity.amount else { return gate.admits(request, over: nil) }
        guard gate.comparesEachVictim, capacity.unit != .objects else {
            return gate.admits(request, over: policy.nextVictim(for: request), or: lastVictim)
        }
        return isAdmittedOverEach(request, weight, evicting: &sink)
    }

    /// Asks the filter about one victim after another, each of which leaves if it loses.
    @inlinable @inline(never)
    mutating func isAdmittedOverEach<Sink: EvictionSink & ~Copyable>(
        _ request: Request, _ weight: Int, evicting sink: inout Sink
    ) -> Bool {
        guard let gate else { return true }
        while policy.residentWeight + weight > capacity.amount {
            guard let victim = policy.nextVictim(for: request) else {
                return gate.admits(request, over: nil, or: lastVictim)
            }
            guard gate.admits(request, over: victim), victim != request.id else { return false }
            remove(victim)
            lastVictim = LastVictim(victim, identities)
            sink.evicted(victim)
            sink.forgotten(victim)
        }
        return true
    }
}

/// The object that was evicted last. Its id may be another object's by now.
@frozen @usableFromInline
struct LastVictim: BitwiseCopyable {
    @usableFromInline let id: ObjectID
    /// What tells it from others that had its id; nil where ids are always the same object's.
    @usableFromInline let identity: UInt64?

    @inlinable
    init(_ id: ObjectID, _ identities: ObjectKeys?) {
        self.id = id
        identity = identities?[id]
    }
}

extension AdmissionGate {
    /// Whether a missed object may enter over the policy's victim, for which the object that was evicted last stands in.
    @inlinable
    func admits(_ request: Request, over victim: ObjectID?, or last: LastVictim?) -> Bool {
        if victim == nil, let identity = last?.identity { return admits(request, overIdentity: identity) }
        return admits(request, over: victim ?? last?.id)
    }
}

/// Passes reports on, and takes note of what the policy holds and whom it evicted last.
@frozen @usableFromInline
struct TrackingSink<Base: EvictionSink & ~Copyable>: EvictionSink {
    @usableFromInline let base: UnsafeMutablePointer<Base>
    @usableFromInline let held: UnsafeMutablePointer<Bool>
    @usableFromInline let identities: ObjectKeys?
    @usableFromInline var lastVictim: LastVictim?

    @inlinable
    init(
        base: UnsafeMutablePointer<Base>, held: UnsafeMutablePointer<Bool>, identities: ObjectKeys?,
        lastVictim: LastVictim?
    ) {
        self.base = base
        self.held = held
        self.identities = identities
        self.lastVictim = lastVictim
    }

    @inlinable
    mutating func evicted(_ id: ObjectID) {
        lastVictim = LastVictim(id, identities)
        base.pointee.evicted(id)
    }

    @inlinable
    mutating func forgotten(_ id: ObjectID) {
        held[Int(id)] = false
        base.pointee.forgotten(id)
    }
}
