public import CacheCore

/// Evicts the object with the lowest sum of its frequency and the age at its last request; the age is the last victim's.
///
/// LFU with dynamic aging: Arlitt, Cherkasova, Dilley, Friedrich and Jin, "Evaluating content management techniques for
/// web proxy caches", Performance Evaluation Review 27(4), 2000. The key of an object is `frequency + age`, set at each
/// request; the age is 0 at first and then the key of the last victim. Frequencies start at 1 and live while an object
/// is resident; among equal keys the object asked for longest ago leaves. Sizes and costs do not count. A hit is O(1), a
/// miss O(log n) amortised; 4 bytes an object of the trace and 52 a resident object (60 in bytes). Any capacity from 1 on works alike,
/// 1 being a cache of the last object; an object larger than the capacity is never admitted; a size holds until its
/// object leaves.
///
/// Dialect `libcachesim` (`lfuda`) ages wrongly: a newcomer's key is `age + 1`, but each hit adds the age to the key, not
/// 1, so that hits before the first eviction do not count and keys double after. The age is the lowest key at the last
/// eviction, and moves up too when a hit raises the only object of that key: what a hit leaves below the age is not
/// looked for until it is asked for again. If nothing else is resident (there libCacheSim reads a null pointer: at a
/// capacity of 1, for instance) the one that was left there first goes. Keys stop at 2^63 - 1. 8 more bytes an object.
public struct LFUDAPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, libcachesim }
    /// Objects in the heap; their order here means nothing. In the paper's rules the heap's tallies are their frequencies.
    private static var ranked: UInt32 { 0 }
    /// Objects that a hit left below the age, in the order in which that happened.
    private static var stranded: UInt32 { 1 }

    private var table: SlotTable<Sizes>
    private var heap: RisingHeap
    /// The key of each stranded slot, 0 for one in the heap. Only in libCacheSim's dialect.
    private let strandedKeys: FixedBuffer<Int>
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
            parameters: [Rules.parameter], memory: MemoryCost(perObject: 4, perResident: 52))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        rules = Rules(configuration)
        let slots = configuration.residentLimit + 2
        strandedKeys = FixedBuffer(repeating: 0, count: rules == .libcachesim ? slots : 0)
        heap = RisingHeap(slots: slots)
        table = SlotTable(objects: configuration.objects.count, slots: slots - 2, lists: 2)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Gives the object the key of one more request at this age.
    public mutating func touch(_ request: Request) -> Bool {
        time &+= 1
        let slot = table.slot(of: request.id)
        guard slot != SlotTable<Sizes>.none else { return false }
        if rules == .libcachesim {
            raise(slot)
        } else {
            let frequency = min(heap.tally(of: slot), .max - 1) + 1
            heap.update(slot, Priority(age + Int(frequency), at: time), tally: frequency)
        }
        return true
    }

    /// Evicts the lowest key, which becomes the age.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        guard heap.count > 0 else {
            let slot = table.tail(of: Self.stranded)
            strandedKeys[slot] = 0
            return table.evict(slot, into: &sink)
        }
        age = heap.smallestPriority().value
        table.evict(heap.removeMinimum(), into: &sink)
        if rules == .libcachesim, heap.count > 0 { age = heap.smallestPriority().value }
    }

    /// Gives the newcomer the key of one request at this age.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        let slot = table.add(request.id, weight: weight, toHeadOf: Self.ranked)
        heap.insert(slot, Priority(Self.sum(age, 1), at: time), tally: 1)
    }

    /// Takes the object out of the heap.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != SlotTable<Sizes>.none else { return }
        if rules == .libcachesim { _ = takeKey(of: slot) } else { heap.remove(slot) }
        table.release(slot)
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Fetches the object's slot and its key.
    public func prefetchEntry(_ id: ObjectID) {
        table.prefetchEntry(id)
        heap.prefetch(table.slot(of: id))
    }

    /// libCacheSim's rule for a hit: the age is added to the key, and moves on first if the last of that key was asked for.
    private mutating func raise(_ slot: UInt32) {
        let oldAge = age
        if strandedKeys[slot] == 0, heap.priority(of: slot).value > oldAge {
            return heap.update(slot, Priority(Self.sum(heap.priority(of: slot).value, oldAge), at: time))
        }
        let key = Self.sum(takeKey(of: slot), oldAge)
        if key < age {
            strandedKeys[slot] = key
            table.move(slot, toHeadOf: Self.stranded)
        } else {
            heap.insert(slot, Priority(key, at: time))
        }
    }

    /// Takes a slot out of the heap or from among the stranded, and moves the age on if the last of that key left.
    private mutating func takeKey(of slot: UInt32) -> Int {
        let stranded = strandedKeys[slot]
        guard stranded == 0 else {
            strandedKeys[slot] = 0
            table.move(slot, toHeadOf: Self.ranked)
            return stranded
        }
        let key = heap.priority(of: slot).value
        heap.remove(slot)
        if key == age, heap.count > 0 { age = heap.smallestPriority().value }
        return key
    }

    private static func sum(_ left: Int, _ right: Int) -> Int {
        let (sum, overflow) = left.addingReportingOverflow(right)
        return overflow ? .max : sum
    }
}
