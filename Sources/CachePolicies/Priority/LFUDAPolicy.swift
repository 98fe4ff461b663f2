public import CacheCore
internal import PolicySupport

/// Evicts the object with the lowest sum of its frequency and the age at its last request; the age is the last victim's.
///
/// LFU with dynamic aging: Arlitt, Cherkasova, Dilley, Friedrich and Jin, "Evaluating content management techniques for
/// web proxy caches", Performance Evaluation Review 27(4), 2000. The key of an object is `frequency + age`, set at each
/// request; the age is 0 at first and then the key of the last victim. Frequencies start at 1 and live while an object
/// is resident; among equal keys the object asked for longest ago leaves. Sizes and costs do not count. A hit is O(1), a
/// miss O(log n) amortised and mostly O(1), since newcomers leave in the order in which they came; 4 bytes an object of
/// the trace and 45 a resident object (53 in bytes). Any capacity from 1 on works alike, 1 being a cache of the last
/// object; an object larger than the capacity is never admitted; a size holds until its object leaves.
///
/// Dialect `libcachesim` (`lfuda`) ages wrongly: a newcomer's key is `age + 1`, but each hit adds the age to the key, not
/// 1, so that hits before the first eviction do not count and keys double after. The age is the lowest key at the last
/// eviction, and moves up too when a hit raises the only object of that key: what a hit leaves below the age is not
/// looked for until it is asked for again. If nothing else is resident (there libCacheSim reads a null pointer: at a
/// capacity of 1, for instance) the one that was left there first goes. Keys stop at 2^63 - 1. 8 more bytes a resident object.
public struct LFUDAPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, libcachesim }

    private var slots: ResidentSlots<Sizes>
    /// The residents by their keys; in the paper's rules the tallies are their frequencies. In libCacheSim's dialect keys in
    /// it are not below the age, and those of what is stranded are.
    private var order: LazyPriorityQueue
    /// Objects that a hit left below the age, the last at the head, where a slot has the number above its own. Only in
    /// libCacheSim's dialect.
    private let stranded: SlotLinks
    private var age = 0
    /// Requests so far.
    private var time = 0
    private let rules: Rules
    /// The most weight that may be resident.
    public let capacity: Int

    /// Only the dialect can be chosen.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lfuda", aliases: ["lfu-da"], family: "frequency",
            summary: "Evicts the least frequent object, counting from the last victim's key when it was asked for.",
            citation: "Arlitt et al., Performance Evaluation Review 27(4), 2000",
            parameters: [Rules.parameter], memory: MemoryCost(perObject: 4, perResident: 45, fixed: 1100))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        let limit = configuration.residentLimit
        let links = rules == .libcachesim ? limit : 0
        stranded = SlotLinks(objects: links, slots: links, lists: 1)
        slots = ResidentSlots(configuration)
        order = LazyPriorityQueue(slots: limit)
    }

    public var residentCount: Int { slots.count }
    public var residentWeight: Int { slots.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Gives the object the key of one more request at this age.
    public mutating func touch(_ request: Request) -> Bool {
        time &+= 1
        let slot = slots.slot(of: request.id)
        guard slot != ResidentSlots<Sizes>.none else { return false }
        if rules == .libcachesim {
            raise(slot)
        } else {
            let frequency = min(order.tally(of: slot), LazyPriorityQueue.largestTally - 1) + 1
            order.update(slot, Priority(age + Int(frequency), at: time), tally: frequency)
        }
        return true
    }

    /// Evicts the lowest key, which becomes the age.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        guard order.count > 0 else {
            let last = stranded.tail(of: 0)
            stranded.remove(last)
            return slots.evict(last - 1, into: &sink)
        }
        let slot = order.removeMinimum()
        age = order.priority(of: slot).value
        slots.evict(slot, into: &sink)
        if rules == .libcachesim { ageToLowest() }
    }

    /// Gives the newcomer the key of one request at this age.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        order.append(slots.add(request.id, weight: weight), Priority(saturatingSum(age, 1), at: time), tally: 1)
    }

    /// Whether the cache is full of objects that weigh 1.
    public var canServeBlock: Bool { Sizes.isUnit && slots.count == capacity }
    /// Serves a full cache without a branch for each request.
    @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        if rules == .libcachesim { return exchangeAging(block) }
        var rule = AgedCountRule(age: UInt64(age))
        defer { age = Int(rule.age) }
        return order.serveBlock(block, slots, &rule, time: &time)
    }

    /// Takes the object out of the order.
    public mutating func remove(_ id: ObjectID) {
        let slot = slots.slot(of: id)
        guard slot != ResidentSlots<Sizes>.none else { return }
        takeOut(slot)
        slots.release(slot)
    }

    public func contains(_ id: ObjectID) -> Bool { slots.contains(id) }
    public func prefetch(_ id: ObjectID) { slots.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { order.prefetch(slots.slot(of: id)) }

    /// libCacheSim's rule for a hit: the age is added to the key, and moves on first if the last of that key was asked for.
    private mutating func raise(_ slot: UInt32) {
        let oldAge = age
        let key = order.priority(of: slot).value
        let raised = Priority(saturatingSum(key, oldAge), at: time)
        // Nothing in the order is below the age: another that is as low has that key.
        if key > oldAge || key == oldAge && order.minimum() != slot { return order.update(slot, raised) }
        takeOut(slot)
        place(slot, raised)
    }

    /// Puts a slot into the order, or among the stranded if its key is below the age.
    private mutating func place(_ slot: UInt32, _ priority: Priority) {
        guard priority.value < age else { return order.insert(slot, priority) }
        order.note(slot, priority)
        stranded.add(slot + 1, toHeadOf: 0)
    }

    /// Takes a slot out of the order or from among the stranded; in libCacheSim's dialect the age moves on if the last of
    /// that key left.
    private mutating func takeOut(_ slot: UInt32) {
        guard rules == .libcachesim else { return order.remove(slot) }
        let key = order.priority(of: slot).value
        guard key >= age else { return stranded.remove(slot + 1) }
        order.remove(slot)
        if key == age { ageToLowest() }
    }

    private mutating func ageToLowest() { if order.count > 0 { age = order.smallestPriority().value } }
}

/// Blocks of requests by libCacheSim's rules.
extension LFUDAPolicy where Sizes: ~Copyable {
    /// Serves a full cache. What is more than the next step of the loop, which knows the keys at its front, is done after it.
    private mutating func exchangeAging(_ block: ObjectBlock) -> UInt64 {
        var progress = RisingProgress(time: UInt32(truncatingIfNeeded: time))
        order.makeRoomForBlock()
        while progress.position < block.count {
            order.settleFront()
            var rule = AgeSumRule(age: UInt64(age))
            let start = progress.position
            order.serve(block, slots, &rule, &progress)
            age = Int(rule.age)
            time &+= progress.position &- start
            if progress.isMiss { admitAgain(progress) } else { touchAgain(progress) }
        }
        order.returnBorrowed()
        return progress.misses
    }

    /// Lets the last newcomer in as if it had waited until it is known who leaves next.
    private mutating func admitAgain(_ progress: RisingProgress) {
        order.removeNewest()
        age = Priority(ordinal: progress.word).value
        ageToLowest()
        order.append(progress.slot, Priority(saturatingSum(age, 1), at: time))
    }

    /// Applies the last hit as if the loop had not.
    private mutating func touchAgain(_ progress: RisingProgress) {
        order.restore(progress.slot, progress.word)
        raise(progress.slot)
    }
}

/// The paper's rule: the age is the last victim's key, and each request adds one to the frequency.
private struct AgedCountRule: RisingRule {
    static var looksAhead: Bool { false }
    var age: UInt64

    @inline(__always)
    mutating func word(after word: UInt128, missed: UInt64, first: UInt128, at time: UInt32) -> UInt128 {
        age ^= (age ^ value(word)) & missed
        let most = UInt64(LazyPriorityQueue.largestTally)
        let frequency = min((UInt64(truncatingIfNeeded: word) & most & ~missed) &+ 1, most)
        return ordinal(age &+ frequency, time) | UInt128(frequency)
    }
}

/// libCacheSim's rule: the age is the key of who leaves next, a newcomer is above it by one, and a hit adds it to the key.
private struct AgeSumRule: RisingRule {
    static var looksAhead: Bool { true }
    var age: UInt64

    @inline(__always)
    mutating func word(after word: UInt128, missed: UInt64, first: UInt128, at time: UInt32) -> UInt128 {
        age ^= (age ^ value(first)) & missed
        // A newcomer begins with one.
        let key = value(word) & ~missed | 1 & missed
        return ordinal(min(key &+ age, UInt64(Int.max)), time)
    }

    /// What is stranded below the age is not in the order.
    @inline(__always)
    func isSpecial(_ word: UInt128) -> Bool { value(word) < age }
}
