internal import CacheCore

/// The objects in the order in which MRU would keep them: all but the last one asked for, by when their place came free.
///
/// MRU gives up the object that was asked for last before the newcomer enters. The newcomer takes the front, and what was
/// there goes where the newcomer came from, at every capacity alike; so one request swaps two places. 4 bytes an object.
/// Mattson et al., IBM Systems Journal 9(2), 1970, with the priority of most recent use turned round.
struct SwapStack: ~Copyable, PriorityStack {
    private let places: FixedBuffer<UInt32>
    private var count: UInt32 = 0
    private var front: ObjectID?

    init(objects: Int) { places = FixedBuffer(repeating: 0, count: objects) }

    @inline(__always)
    mutating func request(_ id: ObjectID, size: Int) -> Int {
        let place = places[id]
        if place == 1 { return 1 }
        if place == 0 { count &+= 1 }
        if let front { places[front] = place == 0 ? count : place }
        places[id] = 1
        front = id
        return place == 0 ? -1 : Int(place)
    }

    @inline(__always) func prefetch(_ id: ObjectID) { places.prefetch(id) }
    @inline(__always) func prefetchCounts(_ id: ObjectID) {}
}
