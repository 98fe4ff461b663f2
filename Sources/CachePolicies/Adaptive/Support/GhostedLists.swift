internal import CIntrinsics
internal import CacheCore

/// Two lists in the order of use, and for each the ghosts of what left it: the structure of ARC.
///
/// Each list and its ghosts are one log (``MarkedLog``), because ghosts are in the order in which they were used last, as the list
/// is: the oldest object becomes a ghost when `oldest` moves past it, and is written down nowhere else. A use writes an object
/// at the end of a log and leaves a gap where it was; a log that is full is packed. Both logs lie in the same columns, so that
/// a place tells the list.
///
/// Memory: 4 bytes an id, 5 a slot; in bytes 8 more an id. All operations are O(1) amortised.
struct GhostedLists<Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// The slot of each object in either log, 0 for none.
    let places: FixedBuffer<UInt32>
    let log: MarkedLog
    /// The two lists.
    let lists: FixedBuffer<GhostedList>
    private let sizes: Sizes
    /// The first slot of the second log.
    let startOfSecond: UInt32

    static var first: UInt32 { 0 }
    static var second: UInt32 { 1 }

    /// Empty lists for what a configuration says, of which the first has at most so many objects and ghosts together, the
    /// second so many.
    init(_ configuration: PolicyConfiguration, first: Int, second: Int) {
        let objects = configuration.objects.count
        // The more slots, the more rarely a log is packed. In bytes there may be far fewer residents than the smallest size allows.
        let spare = configuration.residentLimit * (Sizes.isUnit ? configuration.logSlotsPerResident - 1 : 1)
        let middle = Int(MarkedLog.margin) + min(objects, first) + spare / 2 + 2 * ObjectBlock.limit
        let end = middle + min(objects, second) + spare + 2 * ObjectBlock.limit
        places = FixedBuffer(repeating: 0, count: objects)
        log = MarkedLog(slots: end)
        lists = FixedBuffer(repeating: GhostedList(MarkedLog.margin..<UInt32(middle)), count: 2)
        lists[Self.second] = GhostedList(UInt32(middle)..<UInt32(end))
        startOfSecond = UInt32(middle)
        sizes = Sizes(slots: objects)
    }

    /// The number of objects in both lists.
    var count: Int { lists[Self.first].objects.count + lists[Self.second].objects.count }
    /// The total weight of the objects in both lists.
    var weight: Int { lists[Self.first].objects.weight + lists[Self.second].objects.weight }

    /// The weight that an object, resident or ghost, was added with.
    @inline(__always)
    func weight(of id: ObjectID) -> Int { sizes.weight(at: id) }

    /// The list of an object or ghost. It must be one.
    @inline(__always)
    func list(of id: ObjectID) -> UInt32 { list(at: places[id]) }

    @inline(__always)
    private func list(at place: UInt32) -> UInt32 { place >= startOfSecond ? Self.second : Self.first }

    /// Whether an object is resident.
    @inline(__always)
    func contains(_ id: ObjectID) -> Bool {
        let place = places[id]
        return place >= lists[list(at: place)].oldest
    }

    /// Whether anything is known of an object.
    @inline(__always)
    func isKnown(_ id: ObjectID) -> Bool { places[id] != 0 }

    /// Asks the processor to fetch an object's place, which will be written, and its weight.
    @inline(__always)
    func prefetch(_ id: ObjectID) {
        assay_prefetch_to_write(places.base + Int(id))
        sizes.prefetch(id)
    }

    /// Asks the processor to fetch the mark of an object whose place has been fetched.
    @inline(__always)
    func prefetchMark(_ id: ObjectID) { log.marks.prefetch(places[id]) }

    /// Makes an object of which nothing is known the newest of a list.
    @inline(__always)
    func add(_ id: ObjectID, weight: Int, to list: UInt32) {
        sizes.setWeight(weight, at: id)
        write(id, to: list)
        lists.update(list) { $0.objects.change(by: 1, weight) }
    }

    /// Makes an object the newest of the second list and returns true if it is resident.
    @inline(__always)
    func touch(_ id: ObjectID) -> Bool {
        let place = places[id]
        let list = list(at: place)
        guard place >= lists[list].oldest else { return false }
        log.marks[place] = MarkedLog.gap
        lists.update(list) { $0.zone.lose(place) }
        if list == Self.first {
            // Otherwise the weight need not be known.
            let weight = weight(of: id)
            lists.update(Self.first) { $0.objects.change(by: -1, weight) }
            lists.update(Self.second) { $0.objects.change(by: 1, weight) }
        }
        write(id, to: Self.second)
        return true
    }

    /// Takes an object out, resident or ghost; does nothing for any other.
    func remove(_ id: ObjectID) {
        guard isKnown(id) else { return }
        vacate(id, weight(of: id))
        places[id] = 0
    }

    /// The oldest object of a list, which must not be empty.
    @inline(__always)
    func oldest(of list: UInt32) -> ObjectID {
        let slot = log.firstOccupied(from: lists[list].oldest)
        lists.update(list) { $0.oldest = slot }
        return log.ids[slot]
    }

    /// Evicts the oldest object of a list, which must not be empty, and forgets it.
    func evict<Sink: EvictionSink & ~Copyable>(from list: UInt32, into sink: inout Sink) {
        let id = oldest(of: list)
        remove(id)
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Evicts the oldest object of a list, which must not be empty, and leaves a ghost if it weighs at most `limit`, which the
    /// ghosts of that list then do too.
    @inline(__always)
    func evict<Sink: EvictionSink & ~Copyable>(
        from list: UInt32, leavingGhostsUpTo limit: Int, into sink: inout Sink
    ) {
        let id = oldest(of: list)
        sizes.prefetch(log.ids[lists[list].oldest + 16])
        let weight = weight(of: id)
        guard weight <= limit else { return evict(from: list, into: &sink) }
        sink.evicted(id)
        while lists[list].ghosts.weight > limit - weight { dropGhost(of: list, into: &sink) }
        lists.update(list) {
            $0.objects.change(by: -1, weight)
            $0.ghosts.change(by: 1, weight)
            $0.zone.lose($0.oldest)
            $0.oldest += 1
        }
    }

    /// Forgets the oldest ghost of a list, which must have one.
    @inline(__always)
    func dropGhost<Sink: EvictionSink & ~Copyable>(of list: UInt32, into sink: inout Sink) {
        let slot = log.firstOccupied(from: lists[list].firstGhost)
        let id = log.ids[slot]
        prefetch(log.ids[slot + 16])
        lists.update(list) {
            $0.firstGhost = slot + 1
            $0.ghosts.change(by: -1, weight(of: id))
        }
        places[id] = 0
        sink.forgotten(id)
    }

    /// Takes an object or ghost out of its log.
    @inline(__always)
    private func vacate(_ id: ObjectID, _ weight: Int) {
        let place = places[id]
        log.marks[place] = MarkedLog.gap
        lists.update(list(at: place)) {
            if place >= $0.oldest {
                $0.objects.change(by: -1, weight)
                $0.zone.lose(place)
            } else {
                $0.ghosts.change(by: -1, weight)
            }
        }
    }

    /// Writes an object at the end of a log.
    @inline(__always)
    private func write(_ id: ObjectID, to list: UInt32) {
        if lists[list].next == lists[list].end { pack(list) }
        lists.update(list) {
            log.ids[$0.next] = id
            places[id] = $0.next
            $0.next += 1
        }
    }

    /// Moves a list and its ghosts to the beginning of their log. O(slots).
    @inline(never)
    func pack(_ list: UInt32) {
        let places = places.base
        var packed = lists[list]
        let middle = log.pack(packed.firstGhost..<packed.oldest, to: packed.start) { id in
            assay_prefetch_to_write(places + Int(id))
        } move: { id, slot in
            places[Int(id)] = slot
        }
        packed.next = log.pack(packed.oldest..<packed.next, to: middle) { id in
            assay_prefetch_to_write(places + Int(id))
        } move: { id, slot in
            places[Int(id)] = slot
        }
        (packed.firstGhost, packed.oldest) = (packed.start, middle)
        packed.zone = LogZone(end: middle)
        lists[list] = packed
    }
}

/// Where a list and its ghosts are in their log, and how many there are.
struct GhostedList: BitwiseCopyable {
    /// A number of objects, and what they weigh.
    struct Fill: BitwiseCopyable {
        var count = 0
        var weight = 0

        @inline(__always)
        mutating func change(by sign: Int, _ weight: Int) {
            count &+= sign
            self.weight &+= sign &* weight
        }
    }

    let start: UInt32
    let end: UInt32
    /// No ghost is before this slot.
    var firstGhost: UInt32
    /// No object is before this slot, and no ghost at or after it.
    var oldest: UInt32
    /// The next slot to write.
    var next: UInt32
    var objects = Fill()
    var ghosts = Fill()
    /// The first objects.
    var zone: LogZone

    init(_ slots: Range<UInt32>) {
        (start, end) = (slots.lowerBound, slots.upperBound)
        (firstGhost, oldest, next) = (start, start, start)
        zone = LogZone(end: start)
    }

    /// Counts objects that were written at the end, and how many more there are in the list.
    @inline(__always)
    mutating func enter(_ slots: Int, _ more: Int) {
        next &+= UInt32(truncatingIfNeeded: slots)
        objects.change(by: more, 1)
    }
}
