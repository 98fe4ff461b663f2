internal import CAssayPlugin
internal import CacheCore

/// What is resident in a cache of a plug-in's policy, kept by Assay: each answer of the policy is checked against it.
///
/// Lives behind a pointer, which the policy gets back in its sink. Memory: a bit an object, another one with ghosts, and 8 bytes an
/// object in bytes.
struct PluginLedger: ~Copyable {
    /// A bit for each id, set for residents.
    let residents: UnsafeMutablePointer<UInt64>
    /// A bit for each id that the policy holds something of, resident or ghost; nil for a policy without ghosts.
    private let held: UnsafeMutablePointer<UInt64>?
    /// What residents weigh; nil where each weighs 1.
    private let weights: UnsafeMutablePointer<Int>?
    private let objects: Int
    private let capacity: Int
    /// The request that is being served.
    private let current: UnsafePointer<assay_request>
    let context: PluginPolicyContext
    private(set) var residentCount = 0
    private(set) var residentWeight = 0
    /// Who left in the current miss.
    private(set) var evicted = PluginIDs()
    /// What was forgotten in the current miss; only with ghosts.
    private(set) var forgotten = PluginIDs()
    private var isServingMiss = false
    /// Whether the policy has failed, and is asked no more.
    private(set) var hasFailed = false

    init(
        _ configuration: PolicyConfiguration, _ context: PluginPolicyContext,
        serving current: UnsafePointer<assay_request>
    ) {
        objects = configuration.objects.count
        capacity = configuration.capacity.amount
        self.context = context
        self.current = current
        residents = Self.bits(objects)
        held = context.policy.keepsGhosts ? Self.bits(objects) : nil
        weights = configuration.capacity.unit == .bytes ? .allocate(capacity: max(1, objects)) : nil
    }

    deinit {
        residents.deallocate()
        held?.deallocate()
        weights?.deallocate()
    }

    private static func bits(_ objects: Int) -> UnsafeMutablePointer<UInt64> {
        let words = UnsafeMutablePointer<UInt64>.allocate(capacity: objects >> 6 + 1)
        words.initialize(repeating: 0, count: objects >> 6 + 1)
        return words
    }

    @inline(__always)
    static func has(_ bits: UnsafeMutablePointer<UInt64>, _ id: ObjectID) -> Bool {
        bits[Int(id >> 6)] &>> UInt64(id & 63) & 1 != 0
    }

    @inline(__always)
    private static func set(_ bits: UnsafeMutablePointer<UInt64>, _ id: ObjectID) {
        bits[Int(id >> 6)] |= 1 &<< UInt64(id & 63)
    }

    @inline(__always)
    private static func clear(_ bits: UnsafeMutablePointer<UInt64>, _ id: ObjectID) {
        bits[Int(id >> 6)] &= ~(1 &<< UInt64(id & 63))
    }

    /// Whether an id that a plug-in names is a resident's.
    @inline(__always)
    func isResident(_ id: ObjectID) -> Bool { Int(id) < objects && Self.has(residents, id) }

    /// Whether the policy holds something of an object.
    func isHeld(_ id: ObjectID) -> Bool { Self.has(held ?? residents, id) }

    /// Begins a miss: from now on the policy may tell who leaves.
    @inline(__always)
    mutating func begin(_ id: ObjectID) {
        isServingMiss = true
        if let held { Self.set(held, id) }
    }

    /// Ends a miss with what the policy returned; returns whether the newcomer is resident.
    @inline(__always)
    mutating func end(_ id: ObjectID, _ status: assay_status, _ error: UnsafePointer<assay_error>, weight: Int) -> Bool
    {
        isServingMiss = false
        guard status == ASSAY_YES, !hasFailed else {
            if status != ASSAY_NO, !hasFailed { fail("miss", status, error) }
            return false
        }
        let sum = residentWeight &+ weight
        guard sum <= capacity, held.map({ Self.has($0, id) }) ?? true else {
            failToAdmit(id, sum)
            return false
        }
        Self.set(residents, id)
        if let weights { weights[Int(id)] = weight }
        residentCount &+= 1
        residentWeight = sum
        return true
    }

    @inline(never)
    private mutating func failToAdmit(_ id: ObjectID, _ sum: Int) {
        guard sum > capacity else { return fail("admitted object \(id) and forgot it\(place)") }
        let unit = weights == nil ? "objects" : "bytes"
        fail("exceeded its capacity\(place): with object \(id) it holds \(sum) of \(capacity) \(unit)")
    }

    /// Forgets what was told in the current miss, once it has been passed on.
    @inline(__always)
    mutating func clearTold() {
        evicted.count = 0
        forgotten.count = 0
    }

    /// Notes that the policy has told of a victim.
    @inline(__always)
    mutating func evict(_ id: ObjectID) {
        guard isServingMiss, isResident(id) else { return failToEvict(id) }
        take(id)
        evicted.append(id)
    }

    @inline(never)
    private mutating func failToEvict(_ id: ObjectID) {
        guard isServingMiss else { return fail("told of an evicted object when nothing had missed") }
        let deed = Int(id) >= objects ? ", an id that it was never given" : ", which is not resident"
        fail("evicted object \(id)\(evicted.contains(id) ? " twice" : "")\(place)\(evicted.contains(id) ? "" : deed)")
    }

    /// Checks who left at each request of a block, and notes it. Returns a bit for each, the lowest for the last, set where it missed.
    @inline(__always)
    mutating func serveBlock(_ block: ObjectBlock, _ left: UnsafePointer<ObjectID>) -> UInt64 {
        var misses: UInt64 = 0
        for position in 0..<block.count {
            let (id, gone) = (block[position], left[position])
            let wasResident = Self.has(residents, id)
            guard wasResident == (gone == id), isResident(gone) else {
                failToExchange(id, gone, wasResident: wasResident)
                return misses &<< UInt64(block.count &- position)
            }
            // At a hit both are the same object, which stays.
            Self.clear(residents, gone)
            Self.set(residents, id)
            misses = misses &+ misses &+ (wasResident ? 0 : 1)
        }
        return misses
    }

    @inline(never)
    private mutating func failToExchange(_ id: ObjectID, _ gone: ObjectID, wasResident: Bool) {
        if wasResident { return fail("took a request for object \(id), which is resident, for a miss") }
        if gone == id { return fail("took a request for object \(id), which is not resident, for a hit") }
        let deed = Int(gone) >= objects ? "an id that it was never given" : "which is not resident"
        fail("evicted object \(gone), \(deed), for object \(id)")
    }

    /// Notes that the policy has told that it keeps nothing of an object.
    mutating func forget(_ id: ObjectID) {
        guard let held else { return fail("forgot object \(id) and does not say that it keeps ghosts") }
        guard isServingMiss else { return fail("told of a forgotten object when nothing had missed") }
        guard Int(id) < objects, Self.has(held, id) else {
            return fail("forgot object \(id)\(place), of which it holds nothing")
        }
        guard !isResident(id) else { return fail("forgot object \(id)\(place), which is resident") }
        Self.clear(held, id)
        forgotten.append(id)
    }

    /// Takes an object away wholly that the caller removes.
    mutating func remove(_ id: ObjectID) {
        if isResident(id) { take(id) }
        if let held { Self.clear(held, id) }
    }

    @inline(__always)
    private mutating func take(_ id: ObjectID) {
        Self.clear(residents, id)
        residentCount &-= 1
        if let weights { residentWeight &-= weights[Int(id)] } else { residentWeight &-= 1 }
    }

    private var place: String { " at request \(current.pointee.index)" }

    /// Notes that a function returned what it may not return.
    @inline(never)
    mutating func fail(_ function: String, _ status: assay_status, _ error: UnsafePointer<assay_error>) {
        fail("returned from \(function)\(place) with \(PluginText.words(status, error.pointee))")
    }

    /// Notes what the policy did wrong. It is asked no more.
    mutating func fail(_ deed: String) {
        hasFailed = true
        context.fail(deed)
    }
}

/// A list of ids that keeps its memory: one is appended or two at each miss.
struct PluginIDs: ~Copyable {
    private var base = UnsafeMutablePointer<ObjectID>.allocate(capacity: 16)
    private var room = 16
    var count = 0

    deinit { base.deallocate() }

    subscript(index: Int) -> ObjectID {
        @inline(__always) get { base[index] }
    }

    func contains(_ id: ObjectID) -> Bool { UnsafeBufferPointer(start: base, count: count).contains(id) }

    @inline(__always)
    mutating func append(_ id: ObjectID) {
        if count == room { grow() }
        base[count] = id
        count &+= 1
    }

    @inline(never)
    private mutating func grow() {
        let larger = UnsafeMutablePointer<ObjectID>.allocate(capacity: 2 * room)
        larger.update(from: base, count: count)
        base.deallocate()
        (base, room) = (larger, 2 * room)
    }
}
