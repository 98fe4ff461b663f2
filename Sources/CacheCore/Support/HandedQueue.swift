public import CPrefetch

/// Objects in the order in which they entered, and a hand that walks from the oldest to the newest and says who leaves.
///
/// A hit marks its object, and the hand spares what is marked, once: SIEVE. CLOCK is the same with newcomers put where the hand
/// is (``exchangeInPlace(_:)``).
///
/// The order is a log: an object that enters takes the next position, and a bit says whether the object at a position
/// still belongs there. Taking an object out clears a bit and touches no neighbour, and the hand reads the fates of 64
/// positions as one word. A full log is packed in place. Unlike a linked list this has no chain of dependent reads, and
/// lets requests be served without asking first whether they hit: see ``exchange(_:)``.
///
/// Memory: 4 bytes an id; 4.25 a slot of the log, so 21 to 22 a resident object, or 9 in a live cache, and 5 KB; in bytes 8 more an id. All operations are O(1)
/// amortised: packing is paid by the entries since the last one, and a hand that crosses mostly empty words packs too.
@frozen
public struct HandedQueue<Sizes: SizeStore & ~Copyable>: ~Copyable {
    @usableFromInline let memory: QueueLog.Memory
    @usableFromInline let sizes: Sizes
    @usableFromInline var cursor: QueueCursor

    /// An empty queue for ids `0..<objects` of which at most `residents` are in it together. The more slots, at least two a
    /// resident, the more rarely the log is packed: ``PolicyConfiguration/logSlotsPerResident``.
    @inlinable
    public init(objects: Int, residents: Int, slotsPerResident: Int = 5) {
        precondition(objects < Int(UInt32.max) - 1, "object ids are 32 bits wide")
        memory = QueueLog.Memory(
            QueueLog(objects: objects, residents: min(objects, residents), slotsPerResident: slotsPerResident))
        sizes = Sizes(slots: objects)
        cursor = QueueCursor()
    }

    @inlinable @inline(__always)
    var log: QueueLog { memory.log }

    /// The number of objects.
    @inlinable @inline(__always)
    public var count: Int { log.totals.pointee.count }

    /// The total weight of the objects.
    @inlinable @inline(__always)
    public var weight: Int { Sizes.isUnit ? count : log.totals.pointee.weight }

    /// The weight of an object that is in the queue.
    @inlinable @inline(__always)
    public func weight(of id: ObjectID) -> Int { sizes.weight(at: id) }

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
        cursor = log.marked(place, cursor)
        return true
    }

    /// Makes an object that is not in the queue its newest.
    @inlinable @inline(__always)
    public mutating func append(_ id: ObjectID, weight: Int) {
        account(entering: id, weight)
        cursor = log.appended(id, cursor)
    }

    /// Puts an object that is not in the queue just behind the hand, where it is the last that the hand comes to.
    ///
    /// What the hand has spared stays where it is as long as there is a free position behind the hand. Amortised O(1):
    /// otherwise the objects that the hand has passed since the last time move behind the head.
    @inlinable @inline(__always)
    public mutating func appendBehindHand(_ id: ObjectID, weight: Int) {
        account(entering: id, weight)
        cursor = log.enteredBehindHand(id, cursor)
    }

    /// Moves the hand to the first object without a mark, takes the marks off those that it passes on its way, and returns
    /// it: it is the next to be evicted unless it is marked before. The queue must not be empty.
    @inlinable @inline(__always)
    public mutating func settleHand() -> ObjectID {
        cursor = log.found(cursor)
        cursor.ahead &= 0 &- cursor.candidateBit
        return log.ids[Int(cursor.candidate)]
    }

    /// The first object from the hand on without a mark: the next to be evicted if none is marked before. The queue must
    /// not be empty. Those between keep their marks until the hand passes them.
    @inlinable @inline(__always)
    public mutating func objectAtHand() -> ObjectID {
        cursor = log.found(cursor)
        return log.ids[Int(cursor.candidate)]
    }

    /// Moves the hand past the object that it is at.
    @inlinable @inline(__always)
    public mutating func passObjectAtHand() {
        cursor = log.spared(cursor)
    }

    /// Moves the hand to the first object without a mark and takes it out. The queue must not be empty.
    @inlinable @inline(__always)
    public mutating func evict<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        cursor = log.found(cursor)
        let id = log.ids[Int(cursor.candidate)]
        account(leaving: id)
        cursor = log.taken(cursor)
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Takes an object out, wherever it is; does nothing if it is not there.
    @inlinable @inline(__always)
    public mutating func remove(_ id: ObjectID) {
        let place = log.places[Int(id)]
        guard place != QueueLog.nowhere else { return }
        account(leaving: id)
        cursor = log.removed(place, cursor)
    }

    @inlinable @inline(__always)
    mutating func account(entering id: ObjectID, _ weight: Int) {
        log.totals.pointee.count &+= 1
        guard !Sizes.isUnit else { return }
        log.totals.pointee.weight &+= weight
        sizes.setWeight(weight, at: id)
    }

    @inlinable @inline(__always)
    mutating func account(leaving id: ObjectID) {
        log.places[Int(id)] = QueueLog.nowhere
        log.totals.pointee.count &-= 1
        if !Sizes.isUnit { log.totals.pointee.weight &-= sizes.weight(at: id) }
    }
}

extension HandedQueue where Sizes: ~Copyable {
    /// Serves requests of a queue that is full, every object weighing 1: a hit by a mark, a miss by exchanging the hand's
    /// victim for the object. Returns a bit for each request of the block, the lowest for the last, set where it missed.
    ///
    /// Whether a request hits is close to a coin's toss for the processor, and guessing wrong costs it more than doing the
    /// work of both, so hits and misses take the same instructions, and nobody is evicted at once: newcomers enter at the
    /// head, out of the hand's way, and the hand makes up for all of them together. That this changes no result is the
    /// work of ``QueueStretch``: only objects that the hand may meet meanwhile can tell, and a request for one of them
    /// waits until the hand has caught up.
    @inlinable @inline(__always)
    public mutating func exchange(_ block: ObjectBlock) -> UInt64 {
        var progress = BlockProgress()
        while progress.position < block.count {
            var stretch = log.stretch(&cursor)
            if stretch.budget > 0 {
                progress.head = cursor.head
                progress = log.served(block, progress, &stretch)
                cursor = log.caughtUp(stretch, head: progress.head)
                // All served, or as many evictions put off as there may be: then the next stretch goes on.
                if progress.position == block.count || stretch.budget == 0 { continue }
            }
            let id = block[progress.position]
            let isHit = touch(id)
            if !isHit { cursor = log.exchanged(for: id, cursor) }
            progress.advance(missed: isHit ? 0 : .max)
        }
        return progress.misses
    }

    /// Serves requests of a full queue as ``exchange(_:)`` does, but at once and with the newcomer where
    /// the victim was, just behind the hand, so that the objects that the hand has spared are older than it: CLOCK.
    @inlinable @inline(__always)
    public mutating func exchangeInPlace(_ block: ObjectBlock) -> UInt64 {
        var progress = BlockProgress()
        while progress.position < block.count {
            log.prefetch(block.upcoming(progress.position))
            progress.advance(missed: serveInPlace(block[progress.position]))
        }
        return progress.misses
    }

    /// Serves a request; returns all bits if it missed, else none.
    @inlinable @inline(__always)
    mutating func serveInPlace(_ id: ObjectID) -> UInt64 {
        let place = log.places[Int(id)]
        if cursor.candidates == 0, place == QueueLog.nowhere { cursor = log.found(cursor) }
        let missed = assay_all_if_zero(UInt64(place))
        let candidate = cursor.candidate
        // Read even for a hit, which then changes nobody, at -1: a read under a condition would be a branch.
        let oldest = UInt64(log.ids[Int(candidate)])
        log.places[Int(truncatingIfNeeded: oldest | ~missed)] = QueueLog.nowhere
        let kept = place | candidate & UInt32(truncatingIfNeeded: missed)
        log.ids[Int(kept)] = id
        log.places[Int(id)] = kept
        let bit = cursor.candidateBit
        // The newcomer of a miss is no candidate any more, and is not marked since the hand has yet to pass it.
        cursor = log.marked(kept, cursor)
        cursor.candidates &= ~(bit & missed)
        cursor.ahead &= (0 &- bit << 1) | ~missed
        return missed
    }
}
