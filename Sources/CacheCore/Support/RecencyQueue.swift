public import CIntrinsics

/// Objects in the order of their last use, or of their entry where a hit renews nothing, of which the oldest leaves.
///
/// The order is a log: an object that enters takes the next position, and its position is written down with it. Positions only
/// grow, so whatever lies behind the oldest one is gone, and nothing is written where an object leaves: most lines of the table
/// of places are cold. An object that enters again leaves a gap behind, of which a byte tells. A full log is packed in
/// place, which gives the objects new positions. Unlike a linked list this has no chain of dependent reads, and lets
/// requests be served without asking first whether they hit: see ``serveBlock(_:)``.
///
/// Memory: 4 bytes an id; 5 a slot of the log, so 25 to 26 a resident object, or 10 in a live cache, and 6 KB; in bytes 8 more an id. All operations are O(1) amortised:
/// packing is paid by the entries since the last one.
@frozen
public struct RecencyQueue<Sizes: SizeStore & ~Copyable>: ~Copyable {
    @usableFromInline let memory: AgeLog.Memory
    @usableFromInline var ends: AgeLog.Ends
    @usableFromInline let sizes: Sizes
    @usableFromInline var totalWeight = 0

    /// An empty queue for ids `0..<objects` of which at most `residents` are in it together. The more slots, at least two a
    /// resident, the more rarely the log is packed: ``PolicyConfiguration/logSlotsPerResident``.
    @inlinable
    public init(objects: Int, residents: Int, slotsPerResident: Int = 5) {
        precondition(objects < Int(UInt32.max) - 1, "object ids are 32 bits wide")
        memory = AgeLog.Memory(
            AgeLog(objects: objects, residents: min(objects, residents), slotsPerResident: slotsPerResident))
        ends = AgeLog.Ends(base: AgeLog.margin)
        sizes = Sizes(slots: objects)
    }

    @inlinable @inline(__always)
    var log: AgeLog { memory.log }

    /// The number of objects.
    @inlinable @inline(__always)
    public var count: Int { ends.count }

    /// The total weight of the objects.
    @inlinable @inline(__always)
    public var weight: Int { Sizes.isUnit ? ends.count : totalWeight }

    /// Whether an object is in the queue.
    @inlinable @inline(__always)
    public func contains(_ id: ObjectID) -> Bool { log.places[Int(id)] >= ends.oldest }

    /// Asks the processor to fetch an object's place, which will be written.
    @inlinable @inline(__always)
    public func prefetch(_ id: ObjectID) { assay_prefetch_to_write(log.places + Int(id)) }

    /// Makes an object its newest and returns true if it is in the queue.
    @inlinable @inline(__always)
    public mutating func touch(_ id: ObjectID) -> Bool {
        guard contains(id) else { return false }
        renew(id)
        return true
    }

    /// Makes an object that is in the queue its newest.
    @inlinable @inline(__always)
    public mutating func renew(_ id: ObjectID) {
        log.setGap(log.places[Int(id)], &ends)
        log.append(id, &ends)
    }

    /// Makes an object that is not in the queue its newest.
    @inlinable @inline(__always)
    public mutating func append(_ id: ObjectID, weight: Int) {
        ends.count &+= 1
        if !Sizes.isUnit {
            totalWeight &+= weight
            sizes.setWeight(weight, at: id)
        }
        log.append(id, &ends)
    }

    /// The oldest object. The queue must not be empty.
    @inlinable @inline(__always)
    public mutating func oldest() -> ObjectID {
        log.skipGaps(&ends)
        return log.ids[ends.slot(ends.oldest)]
    }

    /// Takes the oldest object out. The queue must not be empty.
    @inlinable @inline(__always)
    public mutating func evict<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let id = oldest()
        if !Sizes.isUnit { totalWeight &-= sizes.weight(at: id) }
        ends.count &-= 1
        ends.counted &-= 1
        ends.oldest &+= 1
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Takes an object out, wherever it is; does nothing if it is not there.
    @inlinable @inline(__always)
    public mutating func remove(_ id: ObjectID) {
        let place = log.places[Int(id)]
        guard place >= ends.oldest else { return }
        if !Sizes.isUnit { totalWeight &-= sizes.weight(at: id) }
        ends.count &-= 1
        log.setGap(place, &ends)
        log.places[Int(id)] = AgeLog.nowhere
    }

    /// Serves requests of a queue that is full, every object weighing 1: a hit as ``touch(_:)`` does, a miss by exchanging the
    /// oldest object for its own. Returns a bit for each request of the block, the lowest for the last, set where it missed.
    ///
    /// Whether a request hits is close to a coin's toss for the processor, and guessing wrong costs it more than doing the
    /// work of both, so hits and misses take the same instructions, and nobody is evicted until the requests are served.
    /// That this changes no result is the work of ``AgeLog/zone(for:_:)``.
    @inlinable @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var misses: UInt64 = 0
        var start = 0
        while start < block.count {
            let zone = log.zone(for: block.count &- start, &ends)
            misses = misses << UInt64(zone.requests) | log.renewed(block, from: start, zone, &ends)
            start &+= zone.requests
        }
        return misses
    }

    /// Serves requests as ``serveBlock(_:)`` does, where a hit makes its object the newest only if the next number of the
    /// generator, of 53 bits, is below `limit`.
    @inlinable @inline(__always)
    public mutating func serveBlock(
        _ block: ObjectBlock, renewingBelow limit: UInt64, of generator: inout SeededGenerator
    ) -> UInt64 {
        var misses: UInt64 = 0
        var start = 0
        while start < block.count {
            let zone = log.zone(for: block.count &- start, &ends)
            let served = log.renewed(block, from: start, zone, &ends, below: limit, of: &generator)
            misses = misses << UInt64(zone.requests) | served
            start &+= zone.requests
        }
        return misses
    }
}
