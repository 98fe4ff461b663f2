internal import CacheCore
internal import PolicySupport

/// What is libCacheSim's own in its W-TinyLFU: the filter, when it halves, and the limits.
struct LibCacheSimWindow: ~Copyable {
    /// The largest object that the window can hold, 0 if it holds none.
    let window: Int
    /// The most weight of the main cache.
    let main: Int
    /// The most weight of the main cache's two segments.
    let probation: Int
    let protected: Int
    private let filter: CountingBloomFilter
    private let period: Int
    private var hits = 0

    /// The limits of a configuration; a filter only where `isUsed`.
    init(_ configuration: PolicyConfiguration, isUsed: Bool) {
        let share = configuration.parameters.number("protected")
        window = configuration.share("window")
        main = configuration.capacity.amount - window
        protected = Int(Double(main) * share)
        // A fifth, though 1 - 0.8 is a little less.
        probation = Int(Double(main) * (1 - share) * (1 + 1e-12))
        period = 32 * main
        filter = CountingBloomFilter(configuration, entries: isUsed ? main : nil)
    }

    /// Whether the main cache is one LRU, which evicts nothing by itself.
    var isPlain: Bool { protected == 0 }

    /// Counts an object.
    func count(_ id: ObjectID) { filter.add(id) }

    /// Counts a hit in the main cache, which halves the filter now and then.
    mutating func countHit(_ id: ObjectID) {
        filter.add(id)
        hits += 1
        guard hits >= period else { return }
        hits = 0
        filter.halve()
    }

    /// Whether the candidate was counted more often than the victim.
    func admits(_ candidate: ObjectID, over victim: ObjectID) -> Bool {
        filter.estimate(candidate) > filter.estimate(victim)
    }
}

// libCacheSim's way to make room. Its window takes all newcomers until the whole cache is full.
extension WTinyLFUPolicy where Sizes: ~Copyable {
    /// Moves the object forward; only hits in the main cache are counted.
    mutating func touchAsLibCacheSim(_ id: ObjectID) -> Bool {
        let slot = table.residentSlot(of: id)
        guard slot != Self.none else { return false }
        let segment = table.segment(at: slot)
        if segment == Self.probation, !reference.isPlain {
            table.move(slot, toHeadOf: Self.protected)
            cool()
        } else {
            table.moveToHead(slot)
        }
        if segment != Self.window { reference.countHit(id) }
        return true
    }

    /// Lets what the segments of the main cache cannot hold fall, out of the cache at the end.
    private mutating func cool() {
        guard table.weight(of: Self.protected) > reference.protected else { return }
        while table.weight(of: Self.protected) > reference.protected {
            table.move(table.tail(of: Self.protected), toHeadOf: Self.probation)
        }
        while table.weight(of: Self.probation) > reference.probation {
            table.move(table.tail(of: Self.probation), toHeadOf: Self.departed)
        }
    }

    /// Puts the object into the window, whatever its limit, after room was made in the whole cache.
    mutating func insertAsLibCacheSim<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        table.incoming = request.id
        while !table.isEmpty(Self.departed) {
            sink.evicted(table.id(at: table.tail(of: Self.departed)))
            table.forgetTail(of: Self.departed, into: &sink)
        }
        table.incoming = .max
        let lowest = reference.isPlain ? reference.main : reference.probation
        guard weight <= reference.window, weight <= lowest else {
            sink.forgotten(request.id)
            return false
        }
        while table.residentWeight + weight > capacity { makeRoomAsLibCacheSim(into: &sink) }
        table.add(request.id, weight: weight, toHeadOf: Self.window)
        reference.count(request.id)
        return true
    }

    /// Moves the window's oldest objects into the main cache while it has room, and then lets the next one challenge its
    /// victim; with an empty window the victim goes. Whatever was considered is counted once more.
    private mutating func makeRoomAsLibCacheSim<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        while table.weight(of: Self.window) > 0 {
            let candidate = table.tail(of: Self.window)
            let id = table.id(at: candidate)
            let mainWeight = table.residentWeight - table.weight(of: Self.window)
            let hasRoom = mainWeight + table.weight(at: candidate) <= reference.main
            if hasRoom {
                enterMain(candidate, into: &sink)
            } else if mainWeight > 0, reference.admits(id, over: table.id(at: mainTail)) {
                table.evict(mainTail, into: &sink)
                enterMain(candidate, into: &sink)
            } else {
                table.evict(candidate, into: &sink)
            }
            reference.count(id)
            if !hasRoom { return }
        }
        table.evict(mainTail, into: &sink)
    }

    /// Moves an object of the window into the lowest segment with room; a segmented main cache evicts if none has.
    private mutating func enterMain<Sink: EvictionSink & ~Copyable>(_ slot: UInt32, into sink: inout Sink) {
        let weight = table.weight(at: slot)
        if reference.isPlain || table.weight(of: Self.probation) + weight <= reference.probation {
            return table.move(slot, toHeadOf: Self.probation)
        }
        if table.weight(of: Self.protected) + weight <= reference.protected {
            return table.move(slot, toHeadOf: Self.protected)
        }
        while table.residentWeight - table.weight(of: Self.window) + weight > reference.main {
            table.evict(mainTail, into: &sink)
        }
        table.move(slot, toHeadOf: Self.probation)
    }
}
