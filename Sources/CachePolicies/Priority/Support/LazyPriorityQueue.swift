internal import CacheCore

/// Slots in the order of priorities that rise: what was not asked for again in a queue, the rest in a heap.
///
/// For policies in which a request makes an object worth more and no newcomer is worth less than the one before it. Newcomers
/// come in order, then, and most are never asked for again: they enter the queue at its back and leave it at its front. A hit
/// writes the new priority down and moves nothing; a slot that has risen is found at the front of the queue and goes into a
/// ``RisingHeap``. Priorities must be unique, for instance by a time: equals leave in no particular order.
///
/// To append and to raise is O(1), everything else O(log n) amortised: also to lower, which takes a slot out of the queue.
/// Memory: 41 bytes a slot and 1 KB.
struct LazyPriorityQueue: ~Copyable {
    /// The bit of a slot's word that says that the slot is in the queue and was not raised there.
    static var fresh: UInt128 { 1 << 31 }
    /// The largest number that a policy may keep with a slot.
    static var largestTally: UInt32 { .max >> 1 }
    /// In a slot's place, the bit that says that it is one in the queue and not in the heap.
    private static var queued: UInt32 { 1 << 31 }
    /// Where a packed queue begins.
    private static var margin: UInt32 { 64 }

    /// What has risen, and the words and places of all slots.
    var heap: RisingHeap
    /// The slots of the queue in their order; `nobody` instead of one that was taken out, and behind the last one.
    let queue: FixedBuffer<UInt32>
    /// The place of the first slot of the queue.
    var front = Self.margin
    /// The place behind the last slot of the queue.
    var back = Self.margin
    /// From here on the slots of the queue do not know their places: only to take one out needs them.
    private var placed = Self.margin
    /// How often `nobody` is in the queue.
    private var gaps: UInt32 = 0
    /// What nothing in the queue is above.
    private var newest: UInt128 = 0
    /// A slot that is never fresh.
    private let nobody: UInt32
    /// The last slot that the heap lent to the front of the queue while a block is served, `nobody` otherwise.
    private var borrowed: UInt32

    /// An empty order of slots `0..<slots`.
    init(slots: Int) {
        precondition(slots < Int(Int32.max) / 2, "places have 31 bits")
        nobody = UInt32(slots)
        borrowed = nobody
        heap = RisingHeap(slots: slots + 1)
        // To pack the queue moves at most four slots for each that was appended since.
        queue = FixedBuffer(repeating: nobody, count: slots + slots / 4 + 4 * Int(Self.margin))
    }

    /// The number of slots in the order.
    var count: Int { heap.count + Int(back &- front &- gaps) }

    /// The slot with the smallest priority. The order must not be empty.
    mutating func minimum() -> UInt32 { isQueueFirst() ? queue[front] : heap.minimum() }

    /// The smallest priority. The order must not be empty.
    mutating func smallestPriority() -> Priority { priority(of: minimum()) }

    /// The priority of a slot that is in the order or was taken out last, or that was noted.
    func priority(of slot: UInt32) -> Priority { heap.priority(of: slot) }

    /// The policy's number of such a slot.
    func tally(of slot: UInt32) -> UInt32 { heap.tally(of: slot) & Self.largestTally }

    /// Asks the processor to fetch a slot's priority, `.max` for no slot.
    func prefetch(_ slot: UInt32) { heap.prefetch(slot) }

    /// Writes down a priority of a slot that stays out of the order.
    func note(_ slot: UInt32, _ priority: Priority) { heap.words[slot] = priority.ordinal }

    /// Adds a slot that is not in the order. O(1) if its priority is not below what was appended before.
    mutating func append(_ slot: UInt32, _ priority: Priority, tally: UInt32 = 0) {
        guard priority.ordinal >= newest else { return insert(slot, priority, tally: tally) }
        newest = priority.ordinal
        heap.words[slot] = priority.ordinal | UInt128(tally) | Self.fresh
        if Int(back) + 1 == queue.count { pack() }
        queue[back] = slot
        back &+= 1
        queue[back] = nobody
    }

    /// Takes the slot that was appended last out of the order, if it was not raised and nothing was done since but to serve.
    mutating func removeNewest() {
        back &-= 1
        queue[back] = nobody
    }

    /// Gives a slot back the word that it had before a block raised it.
    func restore(_ slot: UInt32, _ word: UInt128) { heap.words[slot] = word }

    /// Adds a slot that is not in the order, with a priority that newcomers do not have.
    mutating func insert(_ slot: UInt32, _ priority: Priority, tally: UInt32 = 0) {
        heap.insert(slot, priority, tally: tally)
    }

    /// Gives a slot that is in the order another priority, and the policy's number.
    mutating func update(_ slot: UInt32, _ priority: Priority, tally: UInt32 = 0) {
        if priority.ordinal | UInt128(UInt32.max) < heap.words[slot], takeOutOfQueue(slot) {
            heap.insert(slot, priority, tally: tally)
        } else {
            heap.update(slot, priority, tally: tally)
        }
    }

    /// Takes a slot that is in the order out of it.
    mutating func remove(_ slot: UInt32) { if !takeOutOfQueue(slot) { heap.remove(slot) } }

    /// Takes the slot with the smallest priority out of the order, which must not be empty.
    mutating func removeMinimum() -> UInt32 {
        guard isQueueFirst() else { return heap.removeMinimum() }
        let slot = queue[front]
        front &+= 1
        return slot
    }

    /// Makes the slot with the smallest priority the first of the queue, if need be for as long as a block is served. The
    /// order must not be empty.
    mutating func settleFront() {
        guard !isQueueFirst() else { return }
        borrowed = heap.removeMinimum()
        heap.words[borrowed] |= Self.fresh
        // In a block nothing is lowered, so that nothing else is borrowed as long as this is there.
        precondition(front > 0, "the queue begins behind a margin")
        front &-= 1
        queue[front] = borrowed
        placed = front
    }

    /// Gives back to the heap what it lent to the front of the queue.
    mutating func returnBorrowed() {
        guard front != back, borrowed != nobody, queue[front] == borrowed else { return borrowed = nobody }
        raise(borrowed)
        borrowed = nobody
    }

    /// Makes room at the back of the queue for the newcomers of a block.
    mutating func makeRoomForBlock() { if Int(back) + ObjectBlock.limit >= queue.count { pack() } }

    /// Whether at least so many slots of the queue were not raised; gives up after four times as many.
    func hasFresh(_ wanted: Int) -> Bool {
        var (found, place) = (0, front)
        let end = min(back, front &+ UInt32(4 * wanted))
        while place < end, found < wanted {
            found += Int(truncatingIfNeeded: heap.words[queue[place]] & Self.fresh) &>> 31
            place &+= 1
        }
        return found == wanted
    }

    /// Whether the slot with the smallest priority is the first of the queue, and otherwise in the heap. Moves what has risen
    /// from the front of the queue into the heap.
    private mutating func isQueueFirst() -> Bool {
        while front != back {
            let slot = queue[front]
            let word = heap.words[slot]
            if word & Self.fresh != 0 { return word < heap.lowerBound() || word < heap.smallestPriority().ordinal }
            if slot == nobody {
                front &+= 1
                gaps &-= 1
            } else {
                raise(slot)
            }
        }
        newest = 0
        return false
    }

    /// Moves the first of the queue into the heap.
    private mutating func raise(_ slot: UInt32) {
        front &+= 1
        heap.insert(slot, priority(of: slot), tally: tally(of: slot))
    }

    /// Takes a slot out of the queue and returns true if it is there.
    private mutating func takeOutOfQueue(_ slot: UInt32) -> Bool {
        placed = max(placed, front)
        while placed < back {
            heap.places[queue[placed]] = placed | Self.queued
            placed &+= 1
        }
        let place = heap.places[slot]
        guard place & Self.queued != 0 else { return false }
        queue[place & ~Self.queued] = nobody
        gaps &+= 1
        return true
    }

    /// Moves the queue to its beginning, without its gaps.
    private mutating func pack() {
        let start = min(front, Self.margin)
        var end = start
        for place in front..<back where queue[place] != nobody {
            queue[end] = queue[place]
            end &+= 1
        }
        (front, back, placed, gaps) = (start, end, start, 0)
        queue[back] = nobody
    }
}
