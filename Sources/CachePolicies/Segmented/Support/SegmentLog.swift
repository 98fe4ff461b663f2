internal import CIntrinsics
internal import CacheCore
internal import PolicySupport

/// The segments of a cache in which every object weighs 1, each in the order in which objects entered it, in one log.
///
/// An object that enters a segment takes the next position of the log. Its mark tells both, position and segment, so one
/// word answers whether an object is resident and where: if it is, its segment's oldest has no higher mark. What leaves a
/// segment at the old end is passed and nothing is written for it; what leaves from the middle leaves a gap, and a full log is
/// packed in place. The next to leave each segment are known by position before they are wanted. Unlike linked lists this
/// has no chains of dependent reads, and serves requests without asking first whether they hit: see ``Run``.
///
/// Memory: 4 bytes an id, 5 a slot, and a segment 260 and 5 for each request of a run. O(1), amortised: packing is paid by
/// the entries since the last one, and looking for what leaves by the entries that left before it.
struct SegmentLog: ~Copyable, SegmentStore {
    /// What requests must know of a segment, in a size that a shift multiplies by.
    struct Edge: BitwiseCopyable {
        /// The mark of the oldest resident, or a lower one that no object has any more.
        var oldest: UInt32
        /// How far from there the marks go of the residents that are known to leave next.
        var front: UInt32 = 0
        /// What a hit does: the segment that it lifts into, this segment in the next byte, then 1 if another falls for it.
        var lift: UInt32 = 0
        var residents: UInt32 = 0
    }

    /// Where in a segment's line of ``leaving`` its oldest residents are.
    struct Front: BitwiseCopyable {
        /// The first of them; the entry before it is the last that was passed.
        var first: UInt32 = 1
        var end: UInt32 = 1
        /// The position that they were looked for up to.
        var seen: UInt32
    }

    /// The position of each object times 16 plus its segment; lower than any of that segment if it is not resident.
    let marks: FixedBuffer<UInt32>
    /// The object at each slot. A position's slot is what it is more than the base.
    let ids: FixedBuffer<ObjectID>
    /// The segment of each slot, ``gap`` if no object is there or was written yet.
    let tags: FixedBuffer<UInt8>
    /// The positions of the oldest residents of each segment, in lines.
    let leaving: FixedBuffer<UInt32>
    /// By segment.
    let edges: FixedBuffer<Edge>
    /// By segment.
    let fronts: FixedBuffer<Front>
    let slots: UInt32
    let segments: UInt32
    /// The positions in a line: of the last that was passed, and of those that leave next.
    let line: UInt32
    /// The position of the first slot.
    var base: UInt32
    /// The next position to write.
    var next: UInt32
    var residentCount = 0
    /// The objects that left unreported.
    var departed: DeferredEvictions

    /// The tag of a slot without an object.
    static var gap: UInt8 { 16 }
    /// The number of segments that there may be.
    static var mostSegments: Int { 16 }
    /// The most slots: so few that the positions, which are 28 bits wide, begin anew only now and then.
    static var mostSlots: Int { 1 << 26 }

    /// A log for ids `0..<objects` with so many slots, at least one for each resident, and some for a block of requests
    /// besides: the more, the more rarely it is packed. Runs are of `longest` requests at most; positions begin at `start`.
    init(objects: Int, slots: Int, segments: Int, longest: Int, start: UInt32) {
        let count = slots + 2 * ObjectBlock.limit + 2
        precondition(slots <= Self.mostSlots && segments <= Self.mostSegments, "more than marks tell apart")
        self.slots = UInt32(count)
        self.segments = UInt32(segments)
        let wanted = longest + segments
        line = UInt32(1 + wanted + wanted / 4 + 64)
        marks = FixedBuffer(repeating: 0, count: objects)
        // Words are read from any slot on.
        ids = FixedBuffer(repeating: 0, count: count + 64)
        tags = FixedBuffer(repeating: Self.gap, count: count + 64)
        leaving = FixedBuffer(repeating: 0, count: segments * Int(line))
        edges = FixedBuffer(repeating: Edge(oldest: 0), count: Self.mostSegments)
        fronts = FixedBuffer(repeating: Front(seen: start), count: segments)
        departed = DeferredEvictions(room: segments + 1)
        (base, next) = (start, start)
        forgetFronts()
        for segment in 0..<self.segments {
            let target = min(segment + 1, self.segments - 1)
            edges.update(segment) { $0.lift = target | segment << 8 | (target - segment) << 16 }
        }
    }

    /// Asks the processor to fetch an object's mark, which will be written.
    @inline(__always)
    func prefetch(_ id: ObjectID) { assay_prefetch_to_write(marks.base + Int(id)) }

    @inline(__always)
    var residentWeight: Int { residentCount }

    @inline(__always)
    func weight(of segment: UInt32) -> Int { Int(edges[segment].residents) }

    @inline(__always)
    func isEmpty(_ segment: UInt32) -> Bool { edges[segment].residents == 0 }

    @inline(__always)
    func place(of id: ObjectID) -> UInt32 {
        let mark = marks[id]
        return mark >= edges[mark & 15].oldest ? mark : .max
    }

    @inline(__always)
    func segment(at mark: UInt32) -> UInt32 { mark & 15 }

    @inline(__always)
    func weight(at mark: UInt32) -> Int { 1 }

    @inline(__always)
    mutating func oldest(of segment: UInt32) -> ObjectID {
        if fronts[segment].first == fronts[segment].end { findLeaving(segment, atLeast: 1) }
        return ids[leaving[segment &* line &+ fronts[segment].first] &- base]
    }

    @inline(never)
    mutating func append(_ id: ObjectID, weight: Int, to segment: UInt32) {
        write(id, to: segment)
        account(segment, by: 1)
    }

    @inline(never)
    mutating func renew(_ mark: UInt32) {
        let id = ids[mark >> 4 &- base]
        strike(mark)
        write(id, to: mark & 15)
    }

    @inline(never)
    mutating func lift(_ mark: UInt32, from segment: UInt32) {
        let id = ids[mark >> 4 &- base]
        strike(mark)
        write(id, to: segment + 1)
        edges.update(segment) { $0.residents &-= 1 }
        edges.update(segment + 1) { $0.residents &+= 1 }
    }

    @inline(never)
    mutating func fall(from segment: UInt32) {
        let id = oldest(of: segment)
        pass(1, of: segment)
        write(id, to: segment - 1)
        edges.update(segment) { $0.residents &-= 1 }
        edges.update(segment - 1) { $0.residents &+= 1 }
    }

    @inline(never)
    mutating func evict<Sink: EvictionSink & ~Copyable>(oldestOf segment: UInt32, into sink: inout Sink) {
        let id = oldest(of: segment)
        pass(1, of: segment)
        account(segment, by: -1)
        sink.evicted(id)
        sink.forgotten(id)
    }

    @inline(never)
    mutating func pushOut() {
        departed.add(oldest(of: 0))
        pass(1, of: 0)
        account(0, by: -1)
    }

    @inline(never)
    mutating func reportPushedOut<Sink: EvictionSink & ~Copyable>(except incoming: ObjectID, into sink: inout Sink) {
        for index in 0..<departed.count {
            sink.evicted(departed[index])
            if departed[index] != incoming { sink.forgotten(departed[index]) }
        }
        departed.clear()
    }

    mutating func remove(_ id: ObjectID) {
        let mark = place(of: id)
        guard mark != .max else { return departed.remove(id) }
        marks[id] = 0
        strike(mark)
        account(mark & 15, by: -1)
    }

    @inline(__always)
    private mutating func write(_ id: ObjectID, to segment: UInt32) {
        if next &- base == slots { pack() }
        ids[next &- base] = id
        tags[next &- base] = UInt8(truncatingIfNeeded: segment)
        marks[id] = next << 4 | segment
        next &+= 1
    }

    @inline(__always)
    private mutating func strike(_ mark: UInt32) {
        tags[mark >> 4 &- base] = Self.gap
        if mark >> 4 < fronts[mark & 15].seen { dropLeaving(mark) }
    }

    @inline(__always)
    mutating func account(_ segment: UInt32, by count: Int) {
        edges.update(segment) { $0.residents &+= UInt32(truncatingIfNeeded: count) }
        residentCount &+= count
    }
}
