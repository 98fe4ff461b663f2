internal import CacheCore

/// The objects in the order in which LIFO would keep them: those that came first fill the cache for good, and the last place
/// is for whatever else was asked for last. Where nothing ever leaves, the last place is like the others.
///
/// A cache of C objects holds the first C - 1 of the trace, and of all others the one asked for last. So an object hits
/// where it is among the first, or where none but the first were asked for since. O(log n) a request at most; 8 bytes an
/// object and 8 for each that came later than all that were asked for after it.
struct EntryStack: ~Copyable, PriorityStack {
    /// Each object's place in the order of first requests, from 1 on; 0 for none.
    private let places: FixedBuffer<UInt32>
    private let lastRequests: FixedBuffer<UInt32>
    /// The requests after which only objects came that entered earlier, each with its object's place.
    private var latest: [(request: UInt32, place: UInt32)] = []
    private var count: UInt32 = 0
    private var clock: UInt32 = 0
    private let isFrozen: Bool

    init(objects: Int, isFrozen: Bool) {
        self.isFrozen = isFrozen
        places = FixedBuffer(repeating: 0, count: objects)
        lastRequests = FixedBuffer(repeating: 0, count: objects)
    }

    mutating func request(_ id: ObjectID, size: Int) -> Int {
        clock &+= 1
        var distance = -1
        if places[id] == 0 {
            count &+= 1
            places[id] = count
        } else if isFrozen {
            return Int(places[id])
        } else {
            distance = Int(min(places[id], latestPlace(after: lastRequests[id]))) &+ 1
        }
        lastRequests[id] = clock
        while let last = latest.last, last.place <= places[id] { latest.removeLast() }
        latest.append((clock, places[id]))
        return distance
    }

    /// The largest place among the objects that were asked for after a request, 0 if there were none.
    private func latestPlace(after request: UInt32) -> UInt32 {
        var (low, high) = (0, latest.count)
        while low < high {
            let middle = (low + high) / 2
            if latest[middle].request > request { high = middle } else { low = middle + 1 }
        }
        return low < latest.count ? latest[low].place : 0
    }

    @inline(__always) func prefetch(_ id: ObjectID) { places.prefetch(id) }
    @inline(__always) func prefetchCounts(_ id: ObjectID) {}
}
