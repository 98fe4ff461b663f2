public import CacheCore
internal import PolicySupport

/// Evicts from a FIFO by batches: of the next objects in order the least valuable leave, the others stay in place.
///
/// Yang, Yue and Rashmi, "Segcache: a memory-efficient and scalable in-memory key-value cache for small objects", NSDI
/// 2021: merge-based eviction, with objects in place of segments. A cursor walks from the oldest object to the newest;
/// past that it starts over at the oldest, even if newcomers came since. Each time `examine` objects are compared by
/// hits since entry over size (`retain=recency`: by the time since the last request, over size), and all but `keep` of
/// them leave, the least valuable first and one at each need of room. A hit is O(1), a miss amortised
/// O(examine / (examine - keep) + log examine); 4 bytes an object of the trace, 16 a resident object (24 in bytes; with
/// `retain=recency` 8 more), 16 an examined one. With no more objects than `examine`, and so at small capacities, it is
/// a FIFO, whose evictions send the cursor back to the oldest. Hits on an object that is bound to leave do not save it.
/// An object larger than the capacity is never admitted. An object keeps the size that it was admitted with.
///
/// - Dialect `libcachesim` (0.3.5, `fifo-merge`): ties are broken by adding to the hits a random number below 0.1, drawn
///   from its generator and the configuration's seed, and a batch gives up one object less than it should, but at least
///   one (its cursor into the batch steps over the last).
/// - Dialect `libcachesim-reinsertion` (its `FIFO_Reinsertion.c`): the same draws; a batch gives up its objects at once,
///   and those that stay move to the end of the queue with half their hits, the most valuable last. With no more objects
///   than `examine` the object at the cursor leaves. For its defaults give `keep=20,retain=recency`.
public struct FIFOMergePolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect {
        case paper
        case libcachesim
        case reinsertion = "libcachesim-reinsertion"
    }
    private static var queue: UInt32 { 0 }
    private static var none: UInt32 { SlotTable<Sizes>.none }

    /// An examined object; of equal ones the one that was examined first leaves first.
    private struct Candidate: BitwiseCopyable {
        var value: Double
        var place: UInt32
        var slot: UInt32

        func leavesBefore(_ other: Candidate) -> Bool {
            value < other.value || value == other.value && place < other.place
        }
    }

    /// A slot's state counts the hits of its object.
    private var table: SlotTable<Sizes>
    /// When each slot's object was asked for last; empty unless that decides.
    private let lastUses: FixedBuffer<Int>
    /// The batch, a binary heap with the next to leave at 0.
    private let batch: FixedBuffer<Candidate>
    private var batchCount: UInt32 = 0
    /// How many objects of the batch have to leave yet.
    private var condemned: UInt32 = 0
    private let batchLosses: UInt32
    private var cursor: UInt32 = .max
    private let retainsRecent: Bool
    private let rules: Rules
    private var generator: LehmerGenerator
    private var now = 0
    /// The most weight that may be resident.
    public let capacity: Int

    /// The size of a batch, what stays of it, by what, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "fifo-merge", family: "segmented",
            summary: "Of the next objects in FIFO order the least valuable leave, the others stay in their place.",
            citation: "Yang et al. (Segcache), NSDI 2021",
            parameters: [
                ParameterSpecification("examine", .integer(default: 100, 1...65_536), "The objects of a batch."),
                ParameterSpecification(
                    "keep", .integer(default: 50, 0...65_535), "The objects of a batch that stay, fewer than it has."),
                ParameterSpecification(
                    "retain", .choice(default: "frequency", ["frequency", "recency"]),
                    "What makes an object valuable: hits since it entered, or how lately it was asked for."),
                Rules.parameter,
            ], isDeterministic: false, memory: MemoryCost(perObject: 4, perResident: 16, fixed: 2000))
    }

    /// An empty cache.
    ///
    /// - Throws: `AssayError` with code `usage` if a batch would keep all.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let examined = configuration.parameters.integer("examine")
        let kept = configuration.parameters.integer("keep")
        guard kept < examined else {
            throw AssayError(.usage, "fifo-merge: keep=\(kept) leaves nothing to evict; give keep below \(examined).")
        }
        let dialect = Rules(configuration)
        let recent = configuration.parameters.text("retain") == "recency"
        let limit = configuration.residentLimit
        capacity = configuration.capacity.amount
        rules = dialect
        retainsRecent = recent
        batchLosses = UInt32(dialect == .libcachesim ? max(1, examined - kept - 1) : examined - kept)
        generator = LehmerGenerator(seed: configuration.seed)
        batch = FixedBuffer(repeating: Candidate(value: 0, place: 0, slot: 0), count: examined)
        lastUses = FixedBuffer(repeating: 0, count: recent ? limit + 1 : 0)
        table = SlotTable(objects: configuration.objects.count, slots: limit)
    }

    public var residentCount: Int { table.count }
    public var residentWeight: Int { table.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Counts the hit.
    public mutating func touch(_ request: Request) -> Bool {
        now += 1
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return false }
        let hits = table.state(at: slot)
        if hits < .max { table.setState(hits + 1, at: slot) }
        if retainsRecent { lastUses[slot] = now }
        return true
    }

    /// Evicts the least valuable object of the batch, after examining the next if there is none.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if condemned == 0 || batchCount == 0 {
            guard table.count > batch.count else { return evictInOrder(into: &sink) }
            examine()
        }
        repeat {
            let victim = batch[0].slot
            condemned -= 1
            drop(0)
            stepOver(victim)
            table.evict(victim, into: &sink)
        } while rules == .reinsertion && condemned > 0
        while rules == .reinsertion, batchCount > 0 {
            let kept = batch[0].slot
            drop(0)
            table.setState((table.state(at: kept) + 1) / 2, at: kept)
            table.move(kept, toHeadOf: Self.queue)
        }
    }

    /// Puts the object at the end of the queue.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        let slot = table.add(request.id, weight: weight, toHeadOf: Self.queue)
        if retainsRecent { lastUses[slot] = now }
    }

    /// Takes the object out of the queue and out of the batch; the cursor steps over it.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        stepOver(slot)
        var place: UInt32 = 0
        while condemned > 0, place < batchCount {
            if batch[place].slot == slot {
                drop(place)
                break
            }
            place += 1
        }
        table.release(slot)
    }

    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }

    /// Evicts the oldest object, in the reinsertion dialect the one at the cursor.
    private mutating func evictInOrder<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        condemned = 0
        let victim = rules == .reinsertion && cursor != Self.none ? cursor : table.tail(of: Self.queue)
        cursor = rules == .reinsertion ? table.previous(of: victim) : Self.none
        table.evict(victim, into: &sink)
    }

    /// Keeps the cursor off an object that goes. After a removal it may point into the batch.
    private mutating func stepOver(_ slot: UInt32) {
        if slot == cursor { cursor = table.previous(of: slot) }
    }

    /// Values the next objects from the cursor on. There are more objects than a batch has, so none comes twice.
    private mutating func examine() {
        batchCount = UInt32(batch.count)
        condemned = batchLosses
        for place in 0..<batchCount {
            if cursor == Self.none { cursor = table.tail(of: Self.queue) }
            let value = value(of: cursor)
            batch[place] = Candidate(value: value, place: place, slot: cursor)
            cursor = table.previous(of: cursor)
        }
        for place in (0..<batchCount / 2).reversed() { sift(batch[place], from: place) }
    }

    private mutating func value(of slot: UInt32) -> Double {
        let size = Double(max(1, table.weight(at: slot)))
        if retainsRecent { return 1e12 / Double(now - lastUses[slot]) / size }
        let hits = Double(table.state(at: slot))
        guard rules != .paper else { return hits / size }
        return 1e6 * (hits + Double(generator.next() % 1000) / 10000) / size
    }

    /// Takes a candidate out of the batch.
    private mutating func drop(_ place: UInt32) {
        batchCount -= 1
        guard place < batchCount else { return }
        let last = batch[batchCount]
        var hole = place
        while hole > 0, last.leavesBefore(batch[(hole - 1) / 2]) {
            batch[hole] = batch[(hole - 1) / 2]
            hole = (hole - 1) / 2
        }
        sift(last, from: hole)
    }

    private func sift(_ candidate: Candidate, from start: UInt32) {
        var place = start
        while place * 2 + 1 < batchCount {
            var child = place * 2 + 1
            if child + 1 < batchCount, batch[child + 1].leavesBefore(batch[child]) { child += 1 }
            guard batch[child].leavesBefore(candidate) else { break }
            batch[place] = batch[child]
            place = child
        }
        batch[place] = candidate
    }
}
