import CacheCore

/// What is known about the room in a cache: whether all fits, and with a claimed order what leaves when it does not.
struct RoomModel {
    /// What storing an entry did.
    enum Effect {
        /// Everything else is as it was.
        case fits
        /// These have left, and nothing else.
        case evicts([CacheModel.Place])
        /// Something may have left, and it is not known what.
        case overflows
    }

    private(set) var amount: Int?
    private let claim: CapacityClaim
    var isStrict: Bool { claim.isStrict }
    private let unit: Capacity.Unit
    private let sweepsFirst: Bool
    private let isExact: Bool
    private let mayRefuse: Bool
    /// Whether the bytes are those of keys and values and of what the cache adds to them.
    let isOfMemory: Bool
    private var weights: [CacheModel.Place: Int] = [:]
    private var used = 0
    /// What expired entries may still weigh.
    var lingering = 0
    /// No fewer entries are in the cache, if it evicts no more than it must.
    private(set) var residentsLeast = 0
    /// Whether there may be more, because it is not known whether what a write replaced was there.
    private var mayHoldMore = false
    /// The evictions so far; nil once that cannot be known.
    private(set) var evictions: Int?
    private var order: OrderModel?
    /// What is there where entries weigh what they cost, what has not been used for longest first; nil where that is not known.
    private var queue: [CacheModel.Place]?

    init(_ claims: Claims, _ setup: CacheSetup, _ policy: PolicyEntry?) {
        let isSet = claims.room?.isAdjustable == true && setup.capacity != nil
        let capacity = isSet ? setup.capacity : claims.room?.capacity
        amount = claims.room == nil ? nil : capacity?.amount
        unit = capacity?.unit ?? .objects
        claim = claims.room ?? CapacityClaim(.objects(.max), isStrict: false)
        // A cache that promises no moment may evict while there is room, as one of several shards does.
        evictions = claims.room == nil || claim.isStrict ? 0 : nil
        sweepsFirst = claims.claims(.expiredFirst)
        isOfMemory = unit == .bytes && claims.deviates(.weighsBytes)
        mayRefuse = claims.deviates(.refusesWhenFull)
        isExact = claim.isStrict && claims.retains && unit == .objects
        guard let policy, claims.order != nil, claims.retains, claim.isStrict, let amount else { return }
        // What leaves where costs differ is known of a queue alone.
        if unit == .objects {
            order = OrderModel(policy, capacity: amount)
        } else if policy.descriptor.name == "lru", !isOfMemory {
            queue = []
        }
    }

    /// Whether it is known what leaves next.
    var knowsOrder: Bool { order != nil || queue != nil }

    /// What an entry weighs that costs that much.
    func weight(_ cost: Int) -> Int { unit == .bytes ? max(0, cost) : 1 }

    /// Whether each entry weighs the same.
    var countsEntries: Bool { unit == .objects }

    /// Whether an entry may not be stored at all.
    func isTooHeavy(_ cost: Int) -> Bool { amount.map { weight(cost) > $0 } ?? false }

    /// Whether there may be no room for an entry beside what is there; one that takes an older one's place needs more than that had.
    func lacks(_ cost: Int, replacing old: Int?) -> Bool {
        guard let amount else { return false }
        let more = weight(cost) - (old.map(weight) ?? 0)
        return isOfMemory || more > 0 && used + lingering + more > claim.safeAmount(of: amount)
    }

    /// Whether nothing more fits, as far as is known.
    var isFull: Bool { amount.map { used + lingering >= $0 } ?? false }

    /// The most entries that there may be; nil for no bound.
    var countBound: Int? { (isStrict || isSettled) && unit == .objects ? amount : nil }

    /// Whether the cache has done its chores since the last write.
    private var isSettled = false

    /// The cache has done what it does in its own time, with what has expired too or without.
    mutating func settle(isSwept: Bool) {
        if isSwept { lingering = 0 }
        isSettled = true
    }

    mutating func store(_ place: CacheModel.Place, _ cost: Int, replacing old: Int?, _ oldIsCertain: Bool) -> Effect {
        isSettled = false
        used += weight(cost) - (weights[place] ?? 0)
        weights[place] = weight(cost)
        if order != nil {
            if old != nil { order!.touch(place) } else { return inserted(place) }
            return .fits
        }
        guard let amount else { return .fits }
        // What the cache adds is not known, nor how it parts the room.
        if isOfMemory, used > amount / 16 {
            evictions = nil
            return .overflows
        }
        if queue != nil {
            touch(place)
            defer { if old != nil, !oldIsCertain { loseTrack() } }
            return shrunk(to: amount, sparing: place)
        }
        let isFull = isExact && residentsLeast >= amount
        if old == nil { residentsLeast = isExact ? min(amount, residentsLeast + 1) : 0 }
        if !oldIsCertain { mayHoldMore = true }
        if used + (sweepsFirst ? 0 : lingering) <= claim.safeAmount(of: amount) { return .fits }
        // What a load brings may be answered and not kept.
        if !oldIsCertain || !isExact || lingering > 0 || mayRefuse { evictions = nil }
        if old == nil, let known = evictions { evictions = isFull ? known + 1 : mayHoldMore ? nil : known }
        return .overflows
    }

    private mutating func inserted(_ place: CacheModel.Place) -> Effect {
        guard let victims = order!.insert(place) else {
            (order, evictions) = (nil, nil)
            return .overflows
        }
        residentsLeast = min(amount!, residentsLeast + 1 - victims.count)
        return left(victims)
    }

    /// Takes in that these have left, and nothing else.
    private mutating func left(_ victims: [CacheModel.Place]) -> Effect {
        for victim in victims { drop(victim) }
        if let known = evictions { evictions = known + victims.count }
        return victims.isEmpty ? .fits : .evicts(victims)
    }

    /// Makes room where that is weighed, and leaves a newcomer.
    private mutating func shrunk(to amount: Int, sparing newcomer: CacheModel.Place? = nil) -> Effect {
        var (victims, excess) = ([CacheModel.Place](), used - amount)
        while excess > 0, let index = queue!.firstIndex(where: { $0 != newcomer }) {
            victims.append(queue!.remove(at: index))
            excess -= weights[victims.last!] ?? 0
        }
        return left(victims)
    }

    private mutating func drop(_ place: CacheModel.Place) { used -= weights.removeValue(forKey: place) ?? 0 }

    mutating func touch(_ place: CacheModel.Place) {
        order?.touch(place)
        queue?.removeAll { $0 == place }
        queue?.append(place)
    }

    mutating func remove(_ place: CacheModel.Place) {
        forget(place)
        residentsLeast = max(0, residentsLeast - 1)
    }

    /// An entry that was not certain is not there.
    mutating func forget(_ place: CacheModel.Place) {
        drop(place)
        order?.remove(place)
        queue?.removeAll { $0 == place }
    }

    mutating func expire(_ place: CacheModel.Place, _ cost: Int) {
        remove(place)
        lingering += weight(cost)
        if !sweepsFirst { loseOrder() }
    }

    /// Takes in what was over when it came and may lie there, for which something else may have left.
    mutating func linger(_ cost: Int) -> Effect {
        lingering += weight(cost)
        loseOrder()
        guard let amount, used + lingering > claim.safeAmount(of: amount) else { return .fits }
        residentsLeast = max(0, residentsLeast - 1)
        evictions = nil
        return .overflows
    }

    mutating func clear() {
        weights = [:]
        (used, lingering, residentsLeast, mayHoldMore) = (0, 0, 0, false)
        order?.clear()
        if queue != nil { queue = [] }
    }

    /// Whether there was one more is not known, and so neither how many must leave from now on.
    mutating func loseCount() { evictions = nil }

    /// Nothing is known any more about what stayed.
    mutating func loseTrack() {
        residentsLeast = 0
        evictions = nil
        loseOrder()
    }

    /// The cache was opened again, and counts from 0.
    mutating func countAnew() { if evictions != nil { evictions = 0 } }

    /// What a change of the capacity does.
    mutating func resize(to amount: Int, used: Int) -> Effect {
        let isWhole = isExact && lingering == 0 && residentsLeast == used
        self.amount = amount
        if let victims = order?.resize(to: amount) {
            residentsLeast = max(0, residentsLeast - victims.count)
            return left(victims)
        }
        if queue != nil { return shrunk(to: amount) }
        order = nil
        residentsLeast = min(residentsLeast, amount)
        guard used + (sweepsFirst ? 0 : lingering) > claim.safeAmount(of: amount) || isOfMemory else { return .fits }
        if isWhole, let known = evictions { evictions = known + used - amount } else { evictions = nil }
        return .overflows
    }

    /// What leaves next is not known any more, though everything that stayed is.
    mutating func loseOrder() {
        order = nil
        queue = nil
    }
}

/// A policy that shows what must leave.
struct OrderModel {
    private let entry: PolicyEntry
    private var capacity: Int
    private var policy: AnyEvictionPolicy
    /// What is there in the order in which it leaves, for policies that have one order alone.
    private var queue: [CacheModel.Place] = []
    private var isQueue: Bool { ["lru", "fifo"].contains(entry.descriptor.name) }
    private var ids: [CacheModel.Place: ObjectID] = [:]
    private var places: [CacheModel.Place] = []

    /// The most keys of one program.
    private static let keysMax = 16_384

    init?(_ entry: PolicyEntry, capacity: Int) {
        guard capacity <= Self.keysMax, let policy = Self.open(entry, capacity) else { return nil }
        (self.entry, self.capacity, self.policy) = (entry, capacity, policy)
    }

    private static func open(_ entry: PolicyEntry, _ capacity: Int) -> AnyEvictionPolicy? {
        let configuration = PolicyConfiguration(
            capacity: .objects(capacity), objects: ObjectSpace(count: keysMax, smallestSize: 1),
            parameters: ParameterValues(defaults: entry.descriptor.parameters), seed: 1)
        return try? entry.open(configuration)
    }

    private mutating func id(_ place: CacheModel.Place) -> ObjectID? {
        if let id = ids[place] { return id }
        guard places.count < Self.keysMax else { return nil }
        let id = ObjectID(places.count)
        ids[place] = id
        places.append(place)
        return id
    }

    mutating func touch(_ place: CacheModel.Place) {
        if let id = id(place) { _ = policy.touch(Request(id: id)) }
        if entry.descriptor.name == "lru", let index = queue.firstIndex(of: place) {
            queue.append(queue.remove(at: index))
        }
    }

    /// What leaves for a newcomer; nil where that cannot be said.
    mutating func insert(_ place: CacheModel.Place) -> [CacheModel.Place]? {
        guard let id = id(place) else { return nil }
        var victims = VictimList()
        _ = policy.touch(Request(id: id))
        guard policy.insert(Request(id: id), evicting: &victims) else { return nil }
        let leaving = victims.evicted.map { places[Int($0)] }
        if isQueue { queue = queue.filter { !leaving.contains($0) && $0 != place } + [place] }
        return leaving
    }

    /// What leaves when there is room for so many; nil where the policy does not say.
    mutating func resize(to amount: Int) -> [CacheModel.Place]? {
        guard isQueue, amount > 0, amount <= Self.keysMax, let fresh = Self.open(entry, amount) else { return nil }
        let leaving = Array(queue.prefix(max(0, queue.count - amount)))
        let staying = queue.dropFirst(leaving.count)
        (policy, capacity, queue) = (fresh, amount, [])
        for place in staying { guard insert(place) != nil else { return nil } }
        return leaving
    }

    mutating func remove(_ place: CacheModel.Place) {
        queue.removeAll { $0 == place }
        if let id = ids[place] { policy.remove(id) }
    }

    mutating func clear() {
        queue = []
        if let fresh = Self.open(entry, capacity) { policy = fresh }
    }
}
