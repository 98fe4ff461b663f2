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
    /// The numbers that the trace calls the objects by; nil if it names them otherwise, and in live caches.
    ///
    /// Only for dialects that hash the original keys as another implementation does. A policy that finds none hashes
    /// the ids instead.
    public var keys: ObjectKeys?
    /// What tells the object that an id stands for now from those that it stood for before: a hash of its key. Nil in
    /// replays, where an id is always the same object's.
    ///
    /// Read it when a request comes. A policy that remembers objects after it has reported them forgotten, in a sketch or a
    /// filter, remembers these instead of ids.
    public var identities: ObjectKeys?
    /// What may enter; nil for everything.
    public var admission: AdmissionSelection?
    /// What fetches objects before they are requested, in replays; nil for nothing.
    public var prefetcher: PrefetcherSelection?
    /// The object with the next number, for prefetchers that ask for it; nil for all others.
    public var successors: ObjectSuccessors?
    /// Whether objects expire by the times to live that the trace states.
    public var honoursExpiry = false
    /// Whether requests may cost anything but 1: in replays, whether the trace states costs.
    public var statesCosts = true
    /// Whether a replay's trace states times, not all of them 0.
    public var statesTimes = false
    /// What replays make of operations and of sizes that change.
    public var rules = ReplayRules()
    /// Whether a replay adds up what its misses cost, on traces that state costs.
    public var countsCosts = false
    /// The residents that a live cache expects, whose ids are more by ghosts and spare ones; nil in replays.
    public var plannedResidents: Int?
    /// What a policy reads that is described at run time; nil for all others.
    public var context: (any PolicyContext)?

    /// A configuration. The seed matters only to policies that draw random numbers.
    public init(
        capacity: Capacity, objects: ObjectSpace, parameters: ParameterValues, seed: UInt64 = 1,
        keys: ObjectKeys? = nil
    ) {
        self.capacity = capacity
        self.objects = objects
        self.parameters = parameters
        self.seed = seed
        self.keys = keys
    }

    /// Whether something stands before the policy: an admission policy, or expiry.
    public var isFronted: Bool { admission != nil || honoursExpiry }

    /// The most objects that can be resident together: bounded by the capacity, by the ids, and by the smallest size.
    public var residentLimit: Int { objectLimit(of: capacity.amount) }

    /// The residents that structures without a natural size are made for, such as sketches: ``residentLimit`` in replays, and
    /// the same number in a live cache that expects as many objects, whatever ids it keeps besides.
    ///
    /// There may be more residents in a live cache: whatever has a place for each of them takes ``residentLimit``.
    public var expectedResidents: Int { plannedResidents.map { max(1, min($0, residentLimit)) } ?? residentLimit }

    /// The slots that the log of a queue has for each resident.
    ///
    /// Five in replays: a log that is packed when it is full then copies every fourth entry once. Two in live caches, whose
    /// other work takes so much longer that memory matters more: each entry is copied once.
    public var logSlotsPerResident: Int { plannedResidents == nil ? 5 : 2 }

    /// The most objects that `amount` of the capacity's unit can hold together, at least 1.
    public func objectLimit(of amount: Int) -> Int {
        let smallest = capacity.unit == .objects ? 1 : objects.smallestSize
        guard smallest > 0 else { return max(1, objects.count) }
        return max(1, min(objects.count, amount / smallest))
    }
}
