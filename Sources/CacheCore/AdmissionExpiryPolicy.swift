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
///
/// The policy is driven by calls, and the front compiled once: one for each policy's own loop took a third of the compiler's time.
@usableFromInline
final class AdmissionExpiryPolicy {
    let policy: AnyEvictionPolicy
    let gate: AnyAdmissionPolicy?
    private var clock: ExpiryClock?
    private let capacity: Capacity
    /// Whether the policy holds something of an object: was offered it, and has neither reported it forgotten nor been
    /// told to remove it.
    private let held: FixedBuffer<Bool>
    /// Whether the policy refuses nothing, whatever it weighs.
    private let isUnbounded: Bool
    /// What tells objects apart whose ids were the same, where that can be.
    private let identities: ObjectKeys?
    private var lastVictim: LastVictim?
    /// What has expired since the last insertion, to be reported forgotten.
    private var expired: [ObjectID] = []
    private var expirations = 0
    private var refusals = 0

    /// A policy with its front, both new.
    ///
    /// - Throws: what the filter throws.
    @usableFromInline
    init(
        _ policy: AnyEvictionPolicy, _ descriptor: PolicyDescriptor, _ configuration: PolicyConfiguration
    ) throws(AssayError) {
        let objects = configuration.objects.count
        self.policy = policy
        gate = try configuration.admission?.open(configuration)
        clock = configuration.honoursExpiry ? ExpiryClock(objects: objects) : nil
        capacity = configuration.capacity
        held = FixedBuffer(repeating: false, count: objects)
        isUnbounded = descriptor.isUnbounded
        identities = configuration.identities
    }

    /// Lets expire what is due, tells the filter of the request, and touches.
    func touch(_ request: Request) -> Bool {
        if clock != nil { expire(at: request.timeNanoseconds) }
        if let gate, gate.needsRecord { gate.record(request) }
        return policy.touch(request)
    }

    /// Asks the filter, and inserts.
    func insert(_ request: Request, evicting victims: inout VictimList) -> Bool {
        if !expired.isEmpty { reportExpired(sparing: request.id, into: &victims) }
        guard isAdmitted(request, evicting: &victims) else {
            refusals &+= 1
            if !held[request.id] { victims.forgotten(request.id) }
            return false
        }
        held[request.id] = true
        let (evicted, forgotten) = (victims.evicted.count, victims.forgotten.count)
        let entered = policy.insert(request, evicting: &victims)
        for id in victims.forgotten[forgotten...] { held[id] = false }
        if let last = victims.evicted[evicted...].last { lastVictim = LastVictim(last, identities) }
        if entered { startClock(request) }
        return entered
    }

    /// Forgets an object wholly.
    func remove(_ id: ObjectID) {
        policy.remove(id)
        held[id] = false
        if !expired.isEmpty { expired.removeAll { $0 == id } }
    }

    /// Lets the object's time to live run from now on.
    func renew(_ request: Request) {
        policy.renew(request)
        startClock(request)
    }

    /// Adds what the front has done.
    func report(into counts: inout ReplayCounts) {
        policy.report(into: &counts)
        counts.expirations = expirations
        counts.refusals = refusals
    }

    private func startClock(_ request: Request) {
        clock?.start(request.id, at: request.timeNanoseconds, for: request.timeToLiveNanoseconds)
    }

    /// Whether anything expires.
    var expires: Bool { clock != nil }

    /// Lets expire what is due, and tells what that was.
    func expire(at now: Int64, _ tell: (ObjectID) -> Void = { _ in }) {
        while let id = clock?.nextExpired(at: now) {
            // It may have been evicted since.
            guard policy.contains(id) else { continue }
            policy.remove(id)
            held[id] = false
            expired.append(id)
            expirations &+= 1
            tell(id)
        }
    }

    /// Reports what has expired; the newcomer, if it is among it, is not forgotten but comes back.
    private func reportExpired(sparing newcomer: ObjectID, into victims: inout VictimList) {
        for id in expired where id != newcomer { victims.forgotten(id) }
        expired.removeAll(keepingCapacity: true)
    }

    private func isAdmitted(_ request: Request, evicting victims: inout VictimList) -> Bool {
        guard let gate, !gate.isOpen else { return true }
        let weight = capacity.unit == .objects ? 1 : request.size
        guard !isUnbounded else { return gate.admits(request, over: nil) }
        // What can never fit is the policy's to refuse; no victim would make way for it.
        guard weight <= capacity.amount else { return true }
        guard gate.needsVictim, policy.residentWeight + weight > capacity.amount else {
            return gate.admits(request, over: nil)
        }
        guard gate.comparesEachVictim, capacity.unit != .objects else {
            return gate.admits(request, over: policy.nextVictim(for: request), or: lastVictim)
        }
        return isAdmittedOverEach(request, weight, evicting: &victims)
    }

    /// Asks the filter about one victim after another, each of which leaves if it loses.
    private func isAdmittedOverEach(_ request: Request, _ weight: Int, evicting victims: inout VictimList) -> Bool {
        guard let gate else { return true }
        while policy.residentWeight + weight > capacity.amount {
            guard let victim = policy.nextVictim(for: request) else {
                return gate.admits(request, over: nil, or: lastVictim)
            }
            guard gate.admits(request, over: victim), victim != request.id else { return false }
            remove(victim)
            lastVictim = LastVictim(victim, identities)
            victims.evicted(victim)
            victims.forgotten(victim)
        }
        return true
    }
}

/// The object that was evicted last. Its id may be another object's by now.
private struct LastVictim {
    let id: ObjectID
    /// What tells it from others that had its id; nil where ids are always the same object's.
    let identity: UInt64?

    init(_ id: ObjectID, _ identities: ObjectKeys?) {
        self.id = id
        identity = identities?[id]
    }
}

extension AnyAdmissionPolicy {
    /// Whether a missed object may enter over the policy's victim, for which the object that was evicted last stands in.
    fileprivate func admits(_ request: Request, over victim: ObjectID?, or last: LastVictim?) -> Bool {
        if victim == nil, let identity = last?.identity { return admits(request, overIdentity: identity) }
        return admits(request, over: victim ?? last?.id)
    }
}
