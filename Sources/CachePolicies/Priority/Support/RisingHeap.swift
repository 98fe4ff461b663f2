internal import CacheCore

/// A heap of slots with the smallest priority on top, made for priorities that rise.
///
/// For policies in which a request makes an object worth more. A higher priority is written down and nothing moves until the slot
/// comes to the top, where it sinks to where it belongs: a hit costs one write, and many hits of one object cost as much as
/// one. What leaves the top leaves a hole there for the next newcomer, which is seldom worth much and need not sink far.
/// Priorities must be unique, for instance by a time: equals leave in no particular order.
///
/// Each node has four children in one cache line, so that a line is read where a binary heap reads two, and half as often.
/// To raise is O(1), everything else O(log n) amortised: also to lower, which puts the slot where it belongs at once. Memory: 36 bytes a slot.
struct RisingHeap: ~Copyable {
    private static var arity: UInt32 { 4 }
    /// Where the top is, so that the children of every node begin at a multiple of four.
    private static var top: UInt32 { 3 }

    /// For each place the ordinal of a priority that is at most its slot's, and below it the slot; behind the last the largest
    /// number.
    private let entries: FixedBuffer<UInt128>
    /// The place of each slot, below 2^31. That of a slot that is not in the heap means nothing here.
    let places: FixedBuffer<UInt32>
    /// For each slot the ordinal of its priority, and below it a number that belongs to the policy.
    let words: FixedBuffer<UInt128>
    /// The place behind the last entry.
    private var end = Self.top
    private var hasHole = false

    /// An empty heap for slots `0..<slots`.
    init(slots: Int) {
        // Behind the last entry there may be children of a node that has fewer than four.
        entries = FixedBuffer(repeating: .max, count: slots + Int(Self.top + Self.arity))
        places = FixedBuffer(repeating: 0, count: slots)
        words = FixedBuffer(repeating: 0, count: slots)
    }

    /// The number of slots in the heap.
    var count: Int { Int(end &- Self.top) &- (hasHole ? 1 : 0) }

    /// The slot with the smallest priority. The heap must not be empty.
    mutating func minimum() -> UInt32 {
        settleTop()
        return Self.slot(entries[Self.top])
    }

    /// The smallest priority. The heap must not be empty.
    mutating func smallestPriority() -> Priority {
        settleTop()
        return Priority(ordinal: entries[Self.top])
    }

    /// A number that no entry's is below: the top's, though that may have risen; the largest if the heap is empty.
    mutating func lowerBound() -> UInt128 {
        fillHole()
        return entries[Self.top]
    }

    /// The priority of a slot that is in the heap.
    func priority(of slot: UInt32) -> Priority { Priority(ordinal: words[slot]) }

    /// The policy's number of a slot that is in the heap.
    func tally(of slot: UInt32) -> UInt32 { UInt32(truncatingIfNeeded: words[slot]) }

    /// Asks the processor to fetch a slot's priority, `.max` for no slot.
    func prefetch(_ slot: UInt32) { words.prefetchIfFar(slot) }

    /// Adds a slot that is not in the heap.
    mutating func insert(_ slot: UInt32, _ priority: Priority, tally: UInt32 = 0) {
        let ordinal = priority.ordinal
        words[slot] = ordinal | UInt128(tally)
        if hasHole {
            hasHole = false
            sink(ordinal | UInt128(slot), from: Self.top)
        } else {
            end += 1
            rise(ordinal | UInt128(slot), from: end - 1)
        }
    }

    /// Gives a slot that is in the heap another priority, and the policy's number.
    mutating func update(_ slot: UInt32, _ priority: Priority, tally: UInt32 = 0) {
        let (ordinal, old) = (priority.ordinal, words[slot])
        words[slot] = ordinal | UInt128(tally)
        if ordinal | UInt128(UInt32.max) < old { lift(slot, ordinal) }
    }

    /// Takes a slot that is in the heap out of it.
    mutating func remove(_ slot: UInt32) {
        fillHole()
        let place = places[slot]
        let filler = takeLast()
        guard Self.slot(filler) != slot else { return }
        if filler < entries[place] { rise(filler, from: place) } else { sink(filler, from: place) }
    }

    /// Takes the slot with the smallest priority out of the heap, which must not be empty.
    mutating func removeMinimum() -> UInt32 {
        settleTop()
        hasHole = true
        return Self.slot(entries[Self.top])
    }

    private static func slot(_ entry: UInt128) -> UInt32 { UInt32(truncatingIfNeeded: entry) }

    /// Lets sink what has risen since it came to the top.
    private mutating func settleTop() {
        fillHole()
        assert(end > Self.top, "an empty heap has no minimum")
        while true {
            let entry = entries[Self.top]
            let slot = Self.slot(entry)
            let now = words[slot] & ~UInt128(UInt32.max) | UInt128(slot)
            guard entry < now else { return }
            sink(now, from: Self.top)
        }
    }

    /// Puts a slot whose priority is lower than it was where it belongs, if that is not where it waits.
    private mutating func lift(_ slot: UInt32, _ ordinal: UInt128) {
        fillHole()
        let (entry, place) = (ordinal | UInt128(slot), places[slot])
        if entry < entries[place] { rise(entry, from: place) }
    }

    /// Puts the last entry into the hole.
    private mutating func fillHole() {
        guard hasHole else { return }
        hasHole = false
        let filler = takeLast()
        if end > Self.top { sink(filler, from: Self.top) }
    }

    private mutating func takeLast() -> UInt128 {
        end -= 1
        let entry = entries[end]
        entries[end] = .max
        return entry
    }

    private func put(_ entry: UInt128, at place: UInt32) {
        entries[place] = entry
        places[Self.slot(entry)] = place
    }

    private func rise(_ entry: UInt128, from start: UInt32) {
        var place = start
        while place > Self.top {
            let above = place / Self.arity + 2
            guard entry < entries[above] else { break }
            put(entries[above], at: place)
            place = above
        }
        put(entry, at: place)
    }

    /// Lifts what is smaller than an entry and puts that where it belongs. Chooses among the children without branches, which
    /// would be as good as random.
    private func sink(_ entry: UInt128, from start: UInt32) {
        var place = start
        var child = (place &- 2) &* Self.arity
        while child < end {
            let (first, second) = (entries[child], entries[child &+ 1])
            let (third, fourth) = (entries[child &+ 2], entries[child &+ 3])
            let (left, right) = (second < first ? second : first, fourth < third ? fourth : third)
            let least = right < left ? right : left
            guard least < entry else { break }
            child &+= right < left ? (fourth < third ? 3 : 2) : (second < first ? 1 : 0)
            put(least, at: place)
            place = child
            child = (place &- 2) &* Self.arity
        }
        put(entry, at: place)
    }
}
