/// A policy with its type forgotten that is driven one request at a time: what a live cache holds.
///
/// The type is forgotten once, when the policy is opened; what is left for each request is one call through a function
/// pointer into code that is specialised for the concrete policy, as in a replay. Not thread-safe: its owner locks.
public final class AnyEvictionPolicy: SteppedPolicy {
    @usableFromInline let touchBody: (Request) -> Bool
    @usableFromInline let touchAllBody: (UnsafeBufferPointer<ObjectID>, UnsafePointer<UInt32>?, Int) -> Void
    @usableFromInline let insertBody: (Request, inout VictimList) -> Bool
    @usableFromInline let renewBody: (Request) -> Void
    @usableFromInline let removeBody: (ObjectID) -> Void
    @usableFromInline let containsBody: (ObjectID) -> Bool
    @usableFromInline let nextVictimBody: (Request) -> ObjectID?
    @usableFromInline let likelyVictimBody: () -> ObjectID?
    @usableFromInline let residentCountBody: () -> Int
    @usableFromInline let residentWeightBody: () -> Int
    @usableFromInline let reportBody: (inout ReplayCounts) -> Void
    /// Lets expire what is due at a moment, and names it; nil where nothing expires.
    @usableFromInline let expireBody: ((Int64, (ObjectID) -> Void) -> Void)?

    /// The filter that stands before the policy, nil for none.
    public let gate: AnyAdmissionPolicy?
    @usableFromInline let context: (any PolicyContext)?

    /// Takes a policy over, with its context if there is one.
    @inlinable
    public init<Policy: EvictionPolicy & ~Copyable>(
        _ policy: consuming Policy, context: (any PolicyContext)? = nil
    ) {
        gate = nil
        self.context = context
        // One owner, which each body has for its context: a pointer would take each body an allocation of its own.
        let owner = PolicyOwner(policy)
        touchBody = { owner.place.pointee.touch($0) }
        touchAllBody = { ids, weights, first in
            for (position, id) in ids.enumerated() {
                _ = owner.place.pointee.touch(
                    Request(id: id, size: weights.map { Int($0[Int(id)]) } ?? 1, index: first &+ position))
            }
        }
        insertBody = { owner.place.pointee.insert($0, evicting: &$1) }
        renewBody = { owner.place.pointee.renew($0) }
        removeBody = { owner.place.pointee.remove($0) }
        containsBody = { owner.place.pointee.contains($0) }
        nextVictimBody = { owner.place.pointee.nextVictim(for: $0) }
        likelyVictimBody = { owner.place.pointee.likelyVictim }
        residentCountBody = { owner.place.pointee.residentCount }
        residentWeightBody = { owner.place.pointee.residentWeight }
        reportBody = { owner.place.pointee.report(into: &$0) }
        expireBody = nil
    }

    /// A policy behind its front.
    @usableFromInline
    init(_ front: AdmissionExpiryPolicy) {
        gate = front.gate
        context = front.policy.context
        touchBody = { front.touch($0) }
        touchAllBody = { ids, weights, first in
            for (position, id) in ids.enumerated() {
                _ = front.touch(Request(id: id, size: weights.map { Int($0[Int(id)]) } ?? 1, index: first &+ position))
            }
        }
        insertBody = { front.insert($0, evicting: &$1) }
        renewBody = { front.renew($0) }
        removeBody = { front.remove($0) }
        containsBody = { front.policy.contains($0) }
        nextVictimBody = { front.policy.nextVictim(for: $0) }
        likelyVictimBody = { front.policy.likelyVictim }
        residentCountBody = { front.policy.residentCount }
        residentWeightBody = { front.policy.residentWeight }
        reportBody = { front.report(into: &$0) }
        expireBody = front.expires ? { front.expire(at: $0, $1) } : nil
    }

    /// Records a hit and returns true if the object is resident.
    @inlinable @inline(__always)
    public func touch(_ request: Request) -> Bool { touchBody(request) }

    /// Records hits of resident objects one after the other, the first at that moment; each weighs what `weights` says, or 1.
    @inlinable @inline(__always)
    public func touchAll(
        _ ids: UnsafeBufferPointer<ObjectID>, weights: UnsafePointer<UInt32>?, firstIndex: Int
    ) { touchAllBody(ids, weights, firstIndex) }

    /// Offers a missed object and appends what left; returns whether the object is resident afterwards.
    @inlinable @inline(__always)
    public func insert(_ request: Request, evicting victims: inout VictimList) -> Bool { insertBody(request, &victims) }

    /// Says that a write has replaced the value of a resident object that keeps its weight, after its touch.
    @inlinable public func renew(_ request: Request) { renewBody(request) }
    /// Forgets an object wholly.
    @inlinable public func remove(_ id: ObjectID) { removeBody(id) }
    /// Whether the object is resident.
    @inlinable public func contains(_ id: ObjectID) -> Bool { containsBody(id) }
    /// The object that would leave first to make room for a missed one; nil if the policy cannot tell.
    @inlinable public func nextVictim(for newcomer: Request) -> ObjectID? { nextVictimBody(newcomer) }
    /// The object that will probably leave next; nil if that is not worth looking for.
    @inlinable public var likelyVictim: ObjectID? { likelyVictimBody() }
    /// The number of resident objects.
    @inlinable public var residentCount: Int { residentCountBody() }
    /// The total weight of the resident objects, in the capacity's unit.
    @inlinable public var residentWeight: Int { residentWeightBody() }
    /// Adds to the counts of a run what only the policy knows.
    @inlinable public func report(into counts: inout ReplayCounts) { reportBody(&counts) }
    /// Why the policy decides nothing any more; nil while it works.
    public var failure: AssayError? { context?.failure }
}

/// A policy of a known type.
@usableFromInline
final class PolicyOwner<Policy: EvictionPolicy & ~Copyable> {
    // Behind a pointer rather than in a property: a class would check exclusive access at every call.
    @usableFromInline let place: UnsafeMutablePointer<Policy>

    @inlinable
    init(_ policy: consuming Policy) {
        place = .allocate(capacity: 1)
        place.initialize(to: policy)
    }

    @inlinable
    deinit {
        place.deinitialize(count: 1)
        place.deallocate()
    }
}
