internal import CacheCore
internal import PolicySupport

/// The clock of CLOCK-Pro and CLOCK-Pro+: hot objects, resident cold ones, and ghosts, in the order of their accesses.
///
/// The papers keep one list and send three hands round it. Only an object at its end changes place, always to the other
/// end, so that each kind forms a queue of its own: the hands stand at the oldest of each, and a ``ClockProLog`` tells which
/// of two in different queues comes first. No hand ever searches. A cold object that the hot hand has passed is not in its
/// test period any more, nor is one that was demoted; ghosts always are. Memory: 4 bytes an object of the trace (12 in bytes),
/// 16.25 a resident object, 6.25 a ghost. A hit is O(1), a miss amortised O(1).
struct ClockProTable<Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// What moves the target weight of the resident cold objects.
    enum Adaptation {
        /// Up when a test period ends with an access, down when it ends without one.
        case testPeriods
        /// Up at an access to a ghost, down at one to an object that was hot, by the ratio of their counts.
        case utility
    }

    var log: ClockProLog
    let sizes: Sizes
    let capacity: Int
    let ghostLimit: Int
    let coldRange: ClosedRange<Int>
    let adaptation: Adaptation
    let followsCaffeine: Bool
    /// The object of the last request, known only if Caffeine is followed.
    private var lastID: ObjectID = .max
    /// The object that is being inserted: if its ghost is dropped meanwhile, that is not reported.
    var incoming: ObjectID = .max
    /// Whether nothing was removed since the hands moved last.
    private(set) var isSettled = true
    /// The target weight of the resident cold objects.
    var coldTarget: Int
    /// The number of resident objects.
    private(set) var residentCount = 0
    private var weightInUse = 0
    var hotWeight = 0
    var ghostWeight = 0
    /// The weight of the resident cold objects that were hot.
    var demotedWeight = 0

    /// An empty clock with shares of the capacity from parameters `cold-min`, `cold-max` and `ghost`.
    ///
    /// At least one object is for cold ones. With `followsCaffeine` there are at least two such objects, of small
    /// capacities at most half; a cold object that was asked for stays cold unless the hot hand finds one older than it
    /// to demote; and a request that repeats the one before changes nothing. Places in the log begin at `start`.
    init(
        _ configuration: PolicyConfiguration, adaptation: Adaptation, followsCaffeine: Bool, start: UInt32 = 1
    ) throws(AssayError) {
        let amount = configuration.capacity.amount
        let least = configuration.parameters.number("cold-min")
        let most = configuration.parameters.number("cold-max")
        guard least <= most else {
            throw AssayError(
                .usage, "clock-pro: cold-min=\(least) is above cold-max=\(most); give cold-min up to cold-max.")
        }
        let smallest = min(max(configuration.share("cold-min"), followsCaffeine ? 2 : 1), max(1, amount / 2))
        let largest = max(smallest, min(configuration.share("cold-max"), amount - smallest))
        let ghostAmount = configuration.share("ghost")
        let objects = configuration.objects.count
        let residents = configuration.residentLimit
        capacity = amount
        ghostLimit = ghostAmount
        coldRange = smallest...largest
        coldTarget = smallest
        self.adaptation = adaptation
        self.followsCaffeine = followsCaffeine
        log = ClockProLog(
            objects: objects, residents: residents,
            entries: min(objects, residents + configuration.objectLimit(of: ghostAmount) + 1), start: start)
        sizes = Sizes(slots: objects)
    }

    /// The parameters of the shares.
    static func parameters(coldMax: Double, ghost: Double) -> [ParameterSpecification] {
        [
            ParameterSpecification(
                "cold-min", .number(default: 0.01, 0...1), "The least share of resident cold objects, at least 1."),
            ParameterSpecification(
                "cold-max", .number(default: coldMax, 0...1), "The largest share of resident cold objects."),
            ParameterSpecification(
                "ghost", .number(default: ghost, 0...16), "The weight of the ghosts as a share of the capacity."),
        ]
    }

    var residentWeight: Int { Sizes.isUnit ? residentCount : weightInUse }

    /// Sets the reference bit of a resident object; false for any other.
    ///
    /// As in Caffeine, if it is followed, a request that repeats the one before changes nothing.
    @inline(__always)
    mutating func reference(_ id: ObjectID) -> Bool {
        guard followsCaffeine else { return log.reference(id) }
        guard id != lastID else { return log.isResident(id) }
        lastID = id
        return log.reference(id)
    }

    func contains(_ id: ObjectID) -> Bool { log.isResident(id) }

    /// Asks the processor to fetch what is known of an id.
    @inline(__always)
    func prefetch(_ id: ObjectID) { log.prefetch(id) }

    /// Takes an object away, resident or ghost. The hot hand moves on at the next miss.
    mutating func remove(_ id: ObjectID) {
        let weight = sizes.weight(at: id)
        if log.isResident(id) {
            account(resident: -1, weight)
            if log.place(of: id) >= log.firstHotPlace { hotWeight -= weight } else { leaveCold(id) }
        } else {
            guard log.isGhost(id) else { return }
            ghostWeight -= weight
        }
        log.take(id)
        isSettled = false
    }

    /// Serves a miss: makes room, promotes a ghost or starts a test period, and lets the hands move on.
    mutating func insert<Sink: EvictionSink & ~Copyable>(_ id: ObjectID, weight: Int, into sink: inout Sink) -> Bool {
        guard weight <= capacity else {
            remove(id)
            sink.forgotten(id)
            return false
        }
        incoming = id
        var entersHot = residentWeight + weight <= capacity - coldRange.lowerBound
        if residentWeight + weight > capacity {
            while residentWeight + weight > capacity { runColdHand(into: &sink) }
            entersHot = log.isGhost(id) && mayPromote(id, weight, into: &sink)
        }
        if log.isGhost(id) {
            ghostWeight -= sizes.weight(at: id)
            log.take(id)
        }
        incoming = .max
        sizes.setWeight(weight, at: id)
        account(resident: 1, weight)
        if entersHot {
            becomeHot(id, weight)
            if !followsCaffeine { demoteSurplus(into: &sink) }
        } else {
            log.append(id)
        }
        passColdObjects(into: &sink)
        isSettled = true
        return true
    }
}

// The target and the queues.
extension ClockProTable where Sizes: ~Copyable {
    mutating func moveTarget(up: Bool, _ weight: Int) {
        var step = 1
        if adaptation == .utility {
            let (own, other) = up ? (ghostWeight, demotedWeight) : (demotedWeight, ghostWeight)
            if own > 0 { step = max(1, other / own) }
        }
        if !Sizes.isUnit { step *= weight }
        coldTarget = min(max(coldTarget + (up ? step : -step), coldRange.lowerBound), coldRange.upperBound)
    }

    /// Whether the object of a word, which is a resident cold one, is in its test period.
    @inline(__always)
    func isInTest(_ word: UInt32) -> Bool {
        word & ClockProLog.wasDemoted == 0 && word >> 2 >= log.unpassed
    }

    @inline(__always)
    mutating func account(resident count: Int, _ weight: Int) {
        residentCount += count
        if !Sizes.isUnit { weightInUse += count * weight }
    }

    @inline(__always)
    mutating func becomeHot(_ id: ObjectID, _ weight: Int) {
        hotWeight += weight
        log.appendHot(id)
    }

    /// Notes that an object is about to leave its place among the resident cold ones.
    @inline(__always)
    mutating func leaveCold(_ id: ObjectID) {
        if log.words[id] & ClockProLog.wasDemoted != 0 { demotedWeight -= sizes.weight(at: id) }
    }
}
