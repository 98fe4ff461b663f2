public import CacheCore
internal import PolicySupport

/// A small LRU window for newcomers, and a segmented LRU that what leaves the window enters only if it is asked for
/// more often than the victim there.
///
/// Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy", ACM Transactions on Storage
/// 13(4), 2017. Frequencies come from a sketch of every request that halves itself every `sample` times the capacity. A
/// hit is O(1), a miss amortised O(1); 4 bytes an object of the trace, 16 a resident object (24 in bytes), and 8 to 16
/// a resident object for the sketch. The window holds at least 1: at capacity 1 it is the whole cache, at 2 and 3 it is
/// 1 beside a main of 1 and 2. In bytes the candidate challenges one victim after another until it fits or loses; an
/// object larger than the capacity is never admitted, and one larger than the protected segment stays in probation. An
/// object's size is the one it was admitted with. `protected=0` makes the main cache one LRU. While the cache is full of objects
/// that weigh 1, replays serve blocks of requests.
///
/// Dialect `caffeine`: the counts of Caffeine's simulator to the request, if the trace calls its objects by numbers;
/// otherwise, and in live caches, it hashes the ids instead, which changes which objects share counters. The sketch is the one of `CountMin4`; a candidate with frequency 6 or more that loses is let in with
/// probability 1/128, drawn from a generator with a fixed seed; a candidate that is alone in probation loses without a
/// look at the protected segment. In bytes the sketch starts when the cache is half full and grows with the number of
/// residents, everything that leaves the window challenges one victim each, and an object larger than the capacity
/// passes through the window: it empties it and may cost residents their place before it leaves, and it counts as
/// evicted.
///
/// Dialect `libcachesim` (0.3.5): the filter is the one of `CountingBloomFilter`, which counts hits in the main cache,
/// newcomers, and once more what leaves the window, but no hits in the window, and halves after 32 main capacities of hits. The
/// window takes all newcomers until the whole cache is full, and gives the main cache what that has room for at the first
/// eviction; from then on its oldest object challenges one victim for each that has to leave. The main cache is SLRU in the same
/// dialect, from which a hit may push objects. An object larger than the window or than probation is refused, so that a
/// capacity below 100 holds nothing. At most 80 bytes an object of the trace for the filter.
public struct WTinyLFUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private enum Rules: String, Dialect { case paper, caffeine, libcachesim }

    static var window: UInt32 { 0 }
    static var probation: UInt32 { 1 }
    static var protected: UInt32 { 2 }
    /// The segment of objects that a hit pushed out, until they are reported. Only in libCacheSim's dialect.
    static var departed: UInt32 { 3 }
    static var none: UInt32 { SegmentTable<Sizes>.none }

    var table: SegmentTable<Sizes>
    var filter: TinyLFU
    /// Only in libCacheSim's dialect.
    var reference: LibCacheSimWindow
    private let rules: Rules
    let capacity: Int
    let windowLimit: Int
    private let protectedLimit: Int

    /// The shares of the window and of the protected segment, the sketch's sample, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "w-tinylfu", aliases: ["wtinylfu"], family: "sketch",
            summary: "What leaves a small window enters the main cache only if it is more frequent than the victim.",
            citation: "Einziger et al., ACM Transactions on Storage 13(4), 2017",
            parameters: [
                ParameterSpecification("window", .number(default: 0.01, 0...1), "The window's share of the capacity."),
                ParameterSpecification(
                    "protected", .number(default: 0.8, 0...1), "The protected segment's share of the main cache."),
                ParameterSpecification(
                    "sample", .integer(default: 10, 1...1000), "Requests between two halvings, in capacities."),
                Rules.parameter,
            ], memory: MemoryCost(perObject: 4, perResident: 32),
            // Caffeine lets an object that is larger than the cache pass through the window.
            deviations: ["dialect=libcachesim": .evictsOnHit, "dialect=caffeine": .passesOversize])
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        let limit = configuration.residentLimit
        let rules = Rules(configuration)
        let isReference = rules == .libcachesim
        let shares = WindowShares(configuration)
        self.rules = rules
        capacity = configuration.capacity.amount
        windowLimit = shares.window
        protectedLimit = shares.protected
        // How many objects fit is not known beforehand in bytes: Caffeine waits until the cache is half full.
        let startsLater = rules == .caffeine && !Sizes.isUnit
        filter = TinyLFU(
            configuration, rules == .caffeine ? .caffeine : .paper,
            objects: startsLater || isReference ? 0 : configuration.expectedResidents,
            sample: parameters.integer("sample"))
        reference = LibCacheSimWindow(configuration, isUsed: isReference)
        table = SegmentTable(
            objects: configuration.objects.count, slots: limit + 1, resident: 3,
            ghosts: isReference ? 1 : 0)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }

    /// Counts the request, and moves the object forward in its segment or from probation to protected.
    public mutating func touch(_ request: Request) -> Bool {
        if rules == .libcachesim { return touchAsLibCacheSim(request.id) }
        filter.record(request.id)
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return false }
        renew(slot)
        return true
    }

    @inline(__always)
    private mutating func renew(_ slot: UInt32) {
        guard table.segment(at: slot) == Self.probation, table.weight(at: slot) <= protectedLimit else {
            return table.moveToHead(slot)
        }
        table.move(slot, toHeadOf: Self.protected)
        while table.weight(of: Self.protected) > protectedLimit {
            table.move(table.tail(of: Self.protected), toHeadOf: Self.probation)
        }
    }

    /// Puts the object into the window and lets what overflows challenge the main cache.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        if rules == .libcachesim { return insertAsLibCacheSim(request, weight: weight, into: &sink) }
        if rules == .caffeine {
            insertAsCaffeine(request.id, weight: weight, into: &sink)
            return table.contains(request.id)
        }
        guard weight <= capacity else {
            sink.forgotten(request.id)
            return false
        }
        table.add(request.id, weight: weight, toHeadOf: Self.window)
        while table.weight(of: Self.window) > windowLimit {
            let candidate = table.tail(of: Self.window)
            table.move(candidate, toHeadOf: Self.probation)
            if table.residentWeight > capacity { challenge(candidate, into: &sink) }
        }
        // In bytes the main cache may have grown into a window that was not full: it gives back what it borrowed.
        while table.residentWeight > capacity { table.evict(mainTail, into: &sink) }
        return table.contains(request.id)
    }

    /// Takes the object out of its segment.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) {
        table.prefetch(id)
        filter.prefetch(id)
    }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    /// By the paper's rules, while the cache is full.
    public var canServeBlock: Bool { Sizes.isUnit && rules == .paper && table.residentCount == capacity }

    /// Serves the requests one after another. Mostly each segment remains as full as it is, and a newcomer takes the slot of
    /// whoever leaves.
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var misses: UInt64 = 0
        for position in 0..<block.count {
            prefetch(block.upcoming(position))
            prefetchEntry(block.approaching(position))
            let id = block[position]
            filter.record(id)
            let slot = table.slot(of: id)
            misses = misses &<< 1 | (slot == Self.none ? 1 : 0)
            if slot == Self.none {
                exchangeMissed(id)
            } else if table.segment(at: slot) == Self.probation,
                protectedLimit > 0, table.weight(of: Self.protected) == protectedLimit
            {
                table.swap(slot, from: Self.probation, withTailOf: Self.protected)
            } else {
                renew(slot)
            }
        }
        return misses
    }

    @inline(__always)
    private mutating func exchangeMissed(_ id: ObjectID) {
        let candidate = table.tail(of: Self.window)
        let victim = table.tail(of: Self.probation)
        guard table.weight(of: Self.window) == windowLimit, victim != Self.none else {
            var sink = CountingSink()
            _ = insert(Request(id: id, size: 1, index: 0), evicting: &sink)
            return
        }
        let (ours, theirs) = (filter.frequency(table.id(at: candidate)), filter.frequency(table.id(at: victim)))
        // Written so that it becomes no branch: who wins is hard to foresee.
        let wins = UInt32(truncatingIfNeeded: (theirs &- ours) &>> 63)
        let loser = candidate ^ (candidate ^ victim) & wins
        table.pass(candidate, from: Self.window, to: Self.probation, exchanging: loser, for: id)
    }

    /// Evicts victims that are less frequent than the candidate until all fits, or the candidate at the first that is
    /// not.
    private mutating func challenge<Sink: EvictionSink & ~Copyable>(_ candidate: UInt32, into sink: inout Sink) {
        let id = table.id(at: candidate)
        while table.residentWeight > capacity {
            var victim = mainTail
            if victim == candidate, !table.isEmpty(Self.protected) { victim = table.tail(of: Self.protected) }
            guard victim != candidate, filter.admits(id, over: table.id(at: victim)) else {
                return table.evict(candidate, into: &sink)
            }
            table.evict(victim, into: &sink)
        }
    }

    /// The least recent object of probation, or of protected if probation is empty.
    var mainTail: UInt32 {
        let tail = table.tail(of: Self.probation)
        return tail == Self.none ? table.tail(of: Self.protected) : tail
    }
}
