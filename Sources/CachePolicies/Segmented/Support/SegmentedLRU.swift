internal import CacheCore
internal import PolicySupport

/// The rules of segmented LRU over either way to keep its segments.
struct SegmentedLRU<Store: SegmentStore & ~Copyable>: ~Copyable {
    var store: Store
    private let limits: FixedBuffer<Int>
    private let top: UInt32
    /// Whether the lowest segment has a limit of its own, as in libCacheSim.
    private let isLimited: Bool
    /// Whether a hit in the highest segment does not refresh, and newcomers keep to the limit of the lowest, as in libCacheSim's
    /// first version.
    private let isFirstVersion: Bool
    /// What all segments but the lowest can hold.
    private let upperLimit: Int

    /// Segments with limits from the lowest up, in an empty store.
    init(_ store: consuming Store, limits bounds: [Int], isLimited: Bool, isFirstVersion: Bool = false) {
        self.store = store
        self.isFirstVersion = isFirstVersion
        self.isLimited = isLimited
        top = UInt32(bounds.count - 1)
        upperLimit = bounds[1...].reduce(0, +)
        limits = FixedBuffer(repeating: 0, count: bounds.count)
        for segment in bounds.indices { limits[UInt32(segment)] = bounds[segment] }
    }

    /// Lifts a resident object into the next segment.
    @inline(__always)
    mutating func touch(_ id: ObjectID) -> Bool {
        let place = store.place(of: id)
        guard place != .max else { return false }
        let segment = store.segment(at: place)
        if segment == top, isFirstVersion { return true }
        if segment == top || !isLimited && store.weight(at: place) > limits[segment + 1] {
            store.renew(place)
        } else {
            store.lift(place, from: segment)
            settle(from: segment + 1)
        }
        return true
    }

    /// Where the lowest segment has a limit, reports what hits pushed out and refuses what it cannot hold.
    @inline(__always)
    mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ id: ObjectID, weight: Int, into sink: inout Sink
    ) -> Bool {
        guard isLimited else { return true }
        store.reportPushedOut(except: id, into: &sink)
        return weight <= limits[0]
    }

    /// Evicts the oldest of the lowest segment that is not empty.
    @inline(__always)
    mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        store.evict(oldestOf: lowest, into: &sink)
    }

    /// The oldest of the lowest segment that is not empty; nil where the newcomer's segment decides.
    mutating func nextVictim() -> ObjectID? {
        isLimited || store.residentCount == 0 ? nil : store.oldest(of: lowest)
    }

    /// Puts an object into the lowest segment; where that has a limit, into the lowest with room. In the first version the lowest
    /// makes room where none has.
    @inline(__always)
    mutating func admit<Sink: EvictionSink & ~Copyable>(_ id: ObjectID, weight: Int, into sink: inout Sink) {
        var segment: UInt32 = 0
        if isLimited {
            while segment <= top, store.weight(of: segment) + weight > limits[segment] { segment += 1 }
            if segment > top { segment = 0 }
            while isFirstVersion, store.weight(of: 0) + weight > limits[0], segment == 0 {
                store.evict(oldestOf: 0, into: &sink)
            }
        }
        store.append(id, weight: weight, to: segment)
    }

    private var lowest: UInt32 {
        @inline(__always) get {
            var segment: UInt32 = 0
            while store.isEmpty(segment) { segment += 1 }
            return segment
        }
    }

    /// Lets what a segment and those below cannot hold fall, out of the cache at the end where the lowest has a limit.
    private mutating func settle(from highest: UInt32) {
        var segment = highest
        while store.weight(of: segment) > limits[segment] {
            while store.weight(of: segment) > limits[segment] {
                if segment == 0 { store.pushOut() } else { store.fall(from: segment) }
            }
            if segment == 0 { return }
            segment -= 1
        }
    }
}

/// Runs of requests.
extension SegmentedLRU where Store == SegmentLog {
    /// Whether requests can be served in runs: newcomers must enter the lowest segment.
    @inline(__always)
    var servesRuns: Bool {
        guard isLimited else { return true }
        // As they do where all above are full and the lowest has what it may.
        return store.weight(of: 0) >= limits[0] && store.residentCount - store.weight(of: 0) == upperLimit
    }

    /// The number of objects that left unreported.
    var unreported: Int { Int(store.departed.count) }

    /// Serves requests of a block from one on, at most so many.
    @inline(__always)
    mutating func serve(_ block: ObjectBlock, from start: Int, atMost count: Int, capacity: Int) -> SegmentLog.Run {
        let spare = isLimited ? capacity &- upperLimit &- limits[0] : 0
        var loses: UInt32 = isLimited || store.residentCount &+ count > capacity ? 1 : 0
        for segment in 1..<max(1, top &+ 1) where store.weight(of: segment) &+ count > limits[segment] {
            loses |= 1 &<< segment
        }
        let run = store.serve(
            block, from: start, atMost: count, wanted: count &+ spare, limits: limits.base, loses: loses)
        let (before, upper) = (store.weight(of: 0), store.residentCount &- store.weight(of: 0))
        let most = capacity &- upper
        let level = LowestLevel(least: isLimited ? limits[0] : most, most: most)
        let (after, pushed) = (level.residents(before, after: run), level.pushedOut(before, after: run))
        store.account(0, by: after &+ pushed &- before)
        store.pass(UInt32(truncatingIfNeeded: before &+ run.misses.nonzeroBitCount &- after &- pushed), of: 0)
        if run.misses != 0 { store.departed.clear() }
        for _ in 0..<pushed { store.pushOut() }
        return run
    }
}
