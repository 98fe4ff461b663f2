internal import CacheCore

/// Where a ``SegmentedLRU`` keeps its segments, each in the order in which objects entered it.
///
/// A place is where an object is found; it holds until something enters. What leaves on a hit is kept until it is reported,
/// and is not resident.
protocol SegmentStore: ~Copyable {
    var residentCount: Int { get }
    var residentWeight: Int { get }
    /// The total weight of a segment.
    func weight(of segment: UInt32) -> Int
    /// Whether a segment holds nothing. An object of size 0 counts.
    func isEmpty(_ segment: UInt32) -> Bool
    /// The place of a resident object, `.max` for anything else.
    func place(of id: ObjectID) -> UInt32
    /// The segment of a place.
    func segment(at place: UInt32) -> UInt32
    /// The weight that the object at a place was admitted with.
    func weight(at place: UInt32) -> Int
    /// The object of a segment that entered it first. It must hold one.
    mutating func oldest(of segment: UInt32) -> ObjectID
    /// Makes an object that is not resident the newest of a segment.
    mutating func append(_ id: ObjectID, weight: Int, to segment: UInt32)
    /// Makes the object at a place the newest of the segment that it is in.
    mutating func renew(_ place: UInt32)
    /// Makes the object at a place the newest of the next segment.
    mutating func lift(_ place: UInt32, from segment: UInt32)
    /// Makes the oldest object of a segment the newest of the one below.
    mutating func fall(from segment: UInt32)
    /// Gives up the oldest object of a segment.
    mutating func evict<Sink: EvictionSink & ~Copyable>(oldestOf segment: UInt32, into sink: inout Sink)
    /// Lets the oldest object of the lowest segment leave unreported.
    mutating func pushOut()
    /// Reports what left unreported, but for `incoming` not that it is forgotten.
    mutating func reportPushedOut<Sink: EvictionSink & ~Copyable>(except incoming: ObjectID, into sink: inout Sink)
    /// Takes an object out, or from those that left unreported.
    mutating func remove(_ id: ObjectID)
}

/// Segments as the lists of a ``SegmentTable``.
struct SegmentLists<Sizes: SizeStore & ~Copyable>: ~Copyable, SegmentStore {
    var table: SegmentTable<Sizes>
    /// The list of what left unreported.
    private let departed: UInt32

    /// Lists for ids `0..<objects` with room for so many of them, of which some may have left unreported.
    init(objects: Int, slots: Int, segments: Int) {
        table = SegmentTable(objects: objects, slots: slots, resident: segments, ghosts: 1)
        departed = UInt32(segments)
    }

    @inline(__always)
    var residentCount: Int { table.residentCount }

    @inline(__always)
    var residentWeight: Int { table.residentWeight }

    @inline(__always)
    func weight(of segment: UInt32) -> Int { table.weight(of: segment) }

    @inline(__always)
    func isEmpty(_ segment: UInt32) -> Bool { table.isEmpty(segment) }

    @inline(__always)
    func place(of id: ObjectID) -> UInt32 { table.residentSlot(of: id) }

    @inline(__always)
    func segment(at place: UInt32) -> UInt32 { table.segment(at: place) }

    @inline(__always)
    func weight(at place: UInt32) -> Int { table.weight(at: place) }

    @inline(__always)
    func oldest(of segment: UInt32) -> ObjectID { table.id(at: table.tail(of: segment)) }

    @inline(__always)
    mutating func append(_ id: ObjectID, weight: Int, to segment: UInt32) {
        table.add(id, weight: weight, toHeadOf: segment)
    }

    @inline(__always)
    func renew(_ place: UInt32) { table.moveToHead(place) }

    @inline(__always)
    mutating func lift(_ place: UInt32, from segment: UInt32) { table.move(place, toHeadOf: segment + 1) }

    @inline(__always)
    mutating func fall(from segment: UInt32) { table.move(table.tail(of: segment), toHeadOf: segment - 1) }

    @inline(__always)
    mutating func evict<Sink: EvictionSink & ~Copyable>(oldestOf segment: UInt32, into sink: inout Sink) {
        table.evict(table.tail(of: segment), into: &sink)
    }

    @inline(__always)
    mutating func pushOut() { table.move(table.tail(of: 0), toHeadOf: departed) }

    @inline(__always)
    mutating func reportPushedOut<Sink: EvictionSink & ~Copyable>(except incoming: ObjectID, into sink: inout Sink) {
        table.incoming = incoming
        while !table.isEmpty(departed) {
            sink.evicted(table.id(at: table.tail(of: departed)))
            table.forgetTail(of: departed, into: &sink)
        }
        table.incoming = .max
    }

    @inline(__always)
    mutating func remove(_ id: ObjectID) { table.remove(id) }
}
