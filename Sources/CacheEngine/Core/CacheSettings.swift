public import CacheCore

/// What nobody changes of a cache: the options, worked out.
@usableFromInline
final class CacheSettings<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline let unit: Capacity.Unit
    @usableFromInline let clock: any CacheClock
    @usableFromInline let isSystemClock: Bool
    @usableFromInline let weigher: (@Sendable (Key, Value) -> Int)?
    @usableFromInline let identity: (@Sendable (Key) -> UInt64)?
    @usableFromInline let onRequest: (@Sendable (RequestEvent<Key>) -> Void)?
    @usableFromInline let expiry: ExpiryRule<Key, Value>
    /// How long a read extends an entry.
    @usableFromInline let accessNanoseconds: Int64
    /// How long after its deadline an entry is kept.
    @usableFromInline let staleNanoseconds: Int64
    @usableFromInline let revalidateNanoseconds: Int64
    @usableFromInline let errorNanoseconds: Int64
    @usableFromInline let refreshAfter: Int64?
    @usableFromInline let negativeNanoseconds: Int64?
    /// Whether reads may share a lock, and the policy be told of them together.
    let sharesReads: Bool
    /// Where the cache's own tasks run.
    let executor: (any TaskExecutor)?
    private let policy: PolicyEntry
    private let parameters: ParameterValues
    private let admission: AdmissionSelection?
    private let seed: UInt64
    private let smallestWeight: Int
    private let expectedEntries: Int
    /// The ghosts that the policy keeps for each resident.
    private let ghosts: Double

    /// Ids that are taken beyond what a policy holds: the newcomer, and roundings.
    private static var spareIDs: Int { 8 }
    /// The most entries that a policy is made for before there are so many.
    private static var mostFirstResidents: Int { 1 << 22 }

    init(_ options: CacheOptions<Key, Value>, _ policy: PolicyEntry, _ parameters: ParameterValues?) {
        unit = options.capacity.unit
        clock = options.clock
        isSystemClock = options.clock is SystemClock
        weigher = options.weigher
        identity = options.identity
        onRequest = options.onRequest
        expiry = options.expiry
        executor = options.executor
        if case .afterAccess(let time) = options.expiry {
            accessNanoseconds = nanoseconds(time)
        } else {
            accessNanoseconds = 0
        }
        revalidateNanoseconds = nanoseconds(options.staleWhileRevalidate)
        errorNanoseconds = nanoseconds(options.staleIfError)
        staleNanoseconds = max(revalidateNanoseconds, errorNanoseconds)
        refreshAfter = options.refreshAfter.map(nanoseconds)
        negativeNanoseconds = options.negativeTimeToLive.map(nanoseconds)
        self.policy = policy
        self.parameters = parameters ?? ParameterValues(defaults: policy.descriptor.parameters)
        admission = options.admission
        seed = options.seed
        smallestWeight = options.smallestWeight
        expectedEntries = options.expectedEntries
        // Whoever is told of requests is told in their order.
        sharesReads =
            options.order == .relaxed && options.onRequest == nil
            && !policy.descriptor.deviations(with: self.parameters).contains(.evictsOnHit)
        ghosts = policy.descriptor.memory(with: self.parameters)?.ghosts ?? 1
    }

    /// The monotonic time. Almost every clock is the machine's, which need not be copied out of its box to be asked.
    @inlinable @inline(__always)
    func now() -> Int64 { isSystemClock ? SystemClock().monotonicNanoseconds() : clock.monotonicNanoseconds() }

    /// Whether something remembers entries after it has forgotten their ids, and so must know them by their keys.
    @usableFromInline var needsIdentities: Bool { policy.remembersKeys(behind: admission) }

    /// Whether entries have weights of their own.
    @usableFromInline var isWeighed: Bool { weigher != nil }

    /// The ids that a policy needs to hold so many residents and the ghosts that it keeps for them.
    @usableFromInline
    func ids(forResidents residents: Int) -> Int {
        let ghosts = Double(residents) * ghosts
        return min(Int(UInt32.max) - 1024, residents + Int(min(ghosts, 0x1p32).rounded(.up)) + Self.spareIDs)
    }

    /// The residents for which a policy has so many ids.
    private func residents(forIDs ids: Int) -> Int {
        // What ids(forResidents:) rounds up is less than one resident's.
        max(1, Int(Double(max(0, ids - Self.spareIDs)) / (1 + ghosts) + 1e-9))
    }

    /// The most residents that a capacity has room for.
    private func residents(_ capacity: Int) -> Int {
        guard isWeighed else { return capacity }
        return smallestWeight > 0 ? capacity / smallestWeight : Int(UInt32.max)
    }

    /// The most ids that a policy of that capacity can hold.
    @usableFromInline func mostIDs(_ capacity: Int) -> Int { ids(forResidents: residents(capacity)) }

    /// The ids that a policy of that capacity is made for at first.
    @usableFromInline
    func firstIDs(_ capacity: Int) -> Int {
        let expected = isWeighed ? expectedEntries : Self.mostFirstResidents
        return ids(forResidents: max(1, min(residents(capacity), expected)))
    }

    /// Opens an empty policy of that capacity for ids `0...ids`, of which the last is never an entry's.
    @usableFromInline
    func openPolicy(
        capacity: Int, ids: Int, _ identities: IdentityColumn?
    ) throws(AssayError) -> AnyEvictionPolicy {
        guard !policy.needsFuture, !policy.descriptor.isUnbounded || unit == .objects else {
            throw AssayError(
                .usage, "\(policy.descriptor.name) cannot drive a cache that people use. Choose another policy.")
        }
        if let admission, let unknown = admission.unknownToCaches(in: unit) {
            throw AssayError(
                .usage,
                "\(admission.text) looks at what a cache does not know: \(unknown). Choose another admission policy.")
        }
        var configuration = PolicyConfiguration(
            capacity: Capacity(capacity, unit),
            objects: ObjectSpace(count: ids + 1, smallestSize: isWeighed ? smallestWeight : 1), parameters: parameters,
            seed: seed)
        configuration.admission = admission
        configuration.plannedResidents = residents(forIDs: ids)
        configuration.identities = identities?.keys
        return try policy.open(configuration)
    }

    /// Opens a policy again that could be opened before.
    @usableFromInline
    func reopenPolicy(capacity: Int, ids: Int, _ identities: IdentityColumn?) -> AnyEvictionPolicy {
        do { return try openPolicy(capacity: capacity, ids: ids, identities) } catch {
            preconditionFailure("a policy that could be opened cannot be opened again: \(error)")
        }
    }

    /// What an entry is written with. Calls what the user gave, and so is called outside of the lock.
    @inlinable
    func details(_ key: Key, _ value: Value, _ entryExpiry: EntryExpiry?, _ tags: [String]) -> EntryDetails {
        var details = EntryDetails(weight: weigher.map { max(0, $0(key, value)) } ?? 1, tags: tags)
        if let entryExpiry { details.deadline = deadline(of: entryExpiry) } else { applyRule(key, value, &details) }
        return details
    }

    /// The moment at which something with that expiry ends if it is written now.
    @usableFromInline
    func deadline(of expiry: EntryExpiry) -> Int64 {
        switch expiry {
        case .never: return .max
        case .after(let time): return deadline(after: time)
        case .at(let date):
            let left = date.subtractingReportingOverflow(clock.wallNanoseconds())
            guard !left.overflow else { return date < 0 ? .min : .max }
            return saturatingSum(clock.monotonicNanoseconds(), left.partialValue)
        }
    }

    @inlinable
    func applyRule(_ key: Key, _ value: Value, _ details: inout EntryDetails) {
        switch expiry {
        case .never: break
        case .afterWrite(let time): details.deadline = deadline(after: time)
        case .afterAccess(let time):
            details.deadline = deadline(after: time)
            details.slides = true
        case .perEntry(let rule):
            if let time = rule(key, value) { details.deadline = deadline(after: time) }
        }
    }

    /// The moment that far from now, `.max` if it is too far.
    @usableFromInline
    func deadline(after time: Duration) -> Int64 {
        let span = nanoseconds(time)
        return span == .max ? .max : saturatingSum(clock.monotonicNanoseconds(), span)
    }

    /// The date of a deadline, in nanoseconds since 1970; nil for never.
    func wallTime(of deadline: Int64) -> Int64? {
        guard deadline != .max else { return nil }
        let left = deadline.subtractingReportingOverflow(clock.monotonicNanoseconds())
        guard !left.overflow else { return deadline < 0 ? 0 : nil }
        return saturatingSum(clock.wallNanoseconds(), left.partialValue)
    }
}

extension PolicyEntry {
    /// Whether a cache with this policy, or with the filter before it, remembers entries after it has forgotten their ids.
    package func remembersKeys(behind admission: AdmissionSelection?) -> Bool {
        admission != nil || descriptor.family == "sketch"
    }
}
