/// Objects in the order in which they entered, and a hand that walks from the oldest to the newest and says who leaves.
///
/// A hit marks its object, and the hand spares what is marked, once: SIEVE. CLOCK is the same with newcomers put where the hand
/// is (``serveBlockInPlace(_:)``).
///
/// The order is a log: an object that enters takes the next position, and a byte a position says whether the object there is
/// marked or gone. Taking an object out sets its byte and touches no neighbour, and the hand reads the fates of 64
/// positions at once. A full log is packed in place. Unlike a linked list this has no chain of dependent reads, and
/// lets requests be served without asking first whether they hit: see ``serveBlock(_:)`` and ``serveBlockInPlace(_:)``.
///
/// Memory: 4 bytes an id; 5 a slot of the log, so with 5 slots 25 to 26 a resident object and with 2 10, and 6 KB.
/// All operations are O(1) amortised: packing is paid by the entries since the last one, and a hand that
/// crosses mostly empty words packs too.
@frozen
public struct ClockHandQueue: ~Copyable {
    @usableFromInline let memory: QueueLog.Memory
    @usableFromInline var ends = QueueLog.Ends()
    @usableFromInline var region = HandRegion()

    /// An empty queue for ids `0..<objects` of which at most `residents` are in it together. The more slots, at least two a
    /// resident, the more rarely the log is packed: ``PolicyConfiguration/logSlotsPerResident``.
    @inlinable
    public init(objects: Int, residents: Int, slotsPerResident: Int = 5) {
        precondition(objects < Int(UInt32.max) - 1, "object ids are 32 bits wide")
        memory = QueueLog.Memory(
            QueueLog(objects: objects, residents: min(objects, residents), slotsPerResident: slotsPerResident))
    }

    @inlinable @inline(__always)
    var log: QueueLog { memory.log }

    /// The number of objects.
    @inlinable @inline(__always)
    public var count: Int { ends.count }

    /// Whether an object is in the queue.
    @inlinable @inline(__always)
    public func contains(_ id: ObjectID) -> Bool { log.places[Int(id)] != QueueLog.nowhere }

    /// Asks the processor to fetch an object's place, which will be written.
    @inlinable @inline(__always)
    public func prefetch(_ id: ObjectID) { log.prefetch(id) }

    /// Marks an object and returns true if it is in the queue.
    @inlinable @inline(__always)
    public mutating func touch(_ id: ObjectID) -> Bool {
        let place = log.places[Int(id)]
        guard place != QueueLog.nowhere else { return false }
        leaveRegion()
        log.marks[Int(place)] = 1
        return true
    }

    /// Makes an object that is not in the queue its newest.
    @inlinable @inline(__always)
    public mutating func append(_ id: ObjectID) {
        leaveRegion()
        ends.count &+= 1
        log.append(id, &ends)
    }

    /// Puts an object that is not in the queue just behind the hand, where it is the last that the hand comes to.
    ///
    /// What the hand has spared stays where it is as long as there is a free position behind the hand. Amortised O(1):
    /// otherwise the objects that the hand has passed since the last time move behind the head.
    @inlinable @inline(__always)
    public mutating func appendBehindHand(_ id: ObjectID) {
        leaveRegion()
        ends.count &+= 1
        log.enter(behindHand: id, &ends)
    }

    /// Moves the hand to the first object without a mark and takes it out. The queue must not be empty.
    @inlinable @inline(__always)
    public mutating func evict<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        leaveRegion()
        let place = log.find(&ends)
        let id = log.ids[Int(place)]
        account(leaving: id)
        log.take(place, &ends)
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Takes an object out, wherever it is; does nothing if it is not there.
    @inlinable @inline(__always)
    public mutating func remove(_ id: ObjectID) {
        let place = log.places[Int(id)]
        guard place != QueueLog.nowhere else { return }
        leaveRegion()
        account(leaving: id)
        log.remove(place, &ends)
    }

    /// Ends what ``serveBlockInPlace(_:)`` has begun.
    @inlinable @inline(__always)
    mutating func leaveRegion() {
        if region.isOpen { log.leave(&region, &ends) }
    }

    @inlinable @inline(__always)
    mutating func account(leaving id: ObjectID) {
        log.places[Int(id)] = QueueLog.nowhere
        ends.count &-= 1
    }

    /// Serves requests of a queue that is full, every object weighing 1: a hit by a mark, a miss by exchanging the hand's
    /// victim for the object. Returns a bit for each request of the block, the lowest for the last, set where it missed.
    ///
    /// Whether a request hits is close to a coin's toss for the processor, and guessing wrong costs it more than doing the
    /// work of both, so hits and misses take the same instructions, and nobody is evicted at once: newcomers enter at the
    /// head, out of the hand's way, and the hand makes up for all of them together. That this changes no result is the
    /// work of ``HandZone``: only objects that the hand may meet meanwhile can tell, and a request for one of them
    /// is asked whether the hand would have passed it.
    @inlinable @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        leaveRegion()
        var progress = BlockProgress()
        while progress.position < block.count {
            var stretch = log.stretch(&ends)
            if stretch.budget > 0 {
                progress.next = ends.head
                progress = log.served(block, progress, &stretch)
                ends.head = progress.next
                log.catchUp(stretch, &ends)
                // All served, or as many evictions put off as there may be: then the next stretch goes on.
                if progress.position == block.count || stretch.budget == 0 { continue }
            }
            let id = block[progress.position]
            let isHit = touch(id)
            if !isHit { log.exchange(for: id, &ends) }
            progress.advance(missed: isHit ? 0 : .max)
        }
        return progress.misses
    }

    /// Serves requests of a full queue as ``serveBlock(_:)`` does, but at once and with the newcomer where
    /// the victim was, just behind the hand, so that the objects that the hand has spared are older than it: CLOCK.
    ///
    /// The victims of the next 64 positions are planned when the hand enters them, and a request takes the next of them or does
    /// not. The plan outlasts the block; anything else that changes the queue ends it. See ``HandRegion``.
    @inlinable @inline(__always)
    public mutating func serveBlockInPlace(_ block: ObjectBlock) -> UInt64 {
        log.servedInPlace(block, &region, &ends)
    }
}
