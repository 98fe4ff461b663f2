internal import CacheCore

/// The objects in order of their last request, which says how many others were asked for since: the LRU stack distance.
///
/// Each request takes the next position of a log; an object's last position is a set bit in a bitmap, and a distance is the
/// number of set bits from the object's position on. Four levels of counts over 64, 2048, 65,536 and 2^20 positions, a cache
/// line a node, and one count for each 2^24 make that six reads and one count of a word. When the log is full, the
/// positions are renumbered without their gaps in a log of at least four times the live objects: every request pays for a
/// third of one object's move at most. 4 bytes an object, and 1.3 bits for each of at most 8 positions a live object.
///
/// The order is that of Mattson et al., IBM Systems Journal 9(2), 1970; counting over positions of last requests is Bennett
/// and Kruskal's, "LRU stack processing", IBM J. Res. Dev. 19(4), 1975, and Olken's, 1981.
struct RecencyLog: ~Copyable, PriorityStack {
    /// No position: the object is not in the log.
    private static var absent: UInt32 { .max }
    private static var wordBits: Int { 64 }

    private let positions: FixedBuffer<UInt32>
    private var levels: Levels
    private var head = 0
    /// The number of objects in the log.
    private(set) var count = 0

    /// An empty log for that many ids. `positions` is the length of the first log, a test's way to meet its end often.
    init(objects: Int, positions: Int = 1 << 12) {
        self.positions = FixedBuffer(repeating: Self.absent, count: objects)
        levels = Levels(capacity: positions)
    }

    /// Moves an object to the front and returns its distance before: how many objects, itself included, were asked for since
    /// its last request. -1 for an object that is not in the log. O(1) but for renumbering.
    @inline(__always)
    mutating func request(_ id: ObjectID, size: Int) -> Int {
        var distance = -1
        let last = positions[id]
        if last != Self.absent {
            distance = count &- levels.rank(Int(last))
            levels.clear(Int(last))
        } else {
            count &+= 1
        }
        if head == levels.capacity { renumber(moving: id) }
        levels.append(head)
        positions[id] = UInt32(truncatingIfNeeded: head)
        head &+= 1
        return distance
    }

    /// Takes an object out of the log.
    mutating func remove(_ id: ObjectID) {
        let last = positions[id]
        guard last != Self.absent else { return }
        levels.clear(Int(last))
        positions[id] = Self.absent
        count &-= 1
    }

    /// Hints that an object will be asked for in a while.
    @inline(__always) func prefetch(_ id: ObjectID) { positions.prefetch(id) }

    /// Hints that an object whose hint was given before will be asked for soon.
    @inline(__always) func prefetchCounts(_ id: ObjectID) { levels.prefetch(Int(positions[id])) }

    /// Gives every object but `moving`, whose bit is clear, its rank as position, in a log that has room again.
    private mutating func renumber(moving id: ObjectID) {
        positions[id] = Self.absent
        for object in 0..<UInt32(positions.count) {
            let position = positions[object]
            if position != Self.absent { positions[object] = UInt32(truncatingIfNeeded: levels.rank(Int(position))) }
        }
        let live = count - 1
        var capacity = levels.capacity
        while capacity < 4 * live { capacity *= 2 }
        precondition(capacity <= 1 << 32, "more objects than positions of 32 bits can order")
        levels = Levels(capacity: capacity)
        for position in 0..<live { levels.append(position) }
        head = live
    }
}

extension RecencyLog {
    /// The bitmap and the counts over it.
    private struct Levels: ~Copyable {
        let capacity: Int
        private let words: FixedBuffer<UInt64>
        private let byWord: PrefixCounts<UInt16>
        private let byBlock: PrefixCounts<UInt16>
        private let byChunk: PrefixCounts<UInt32>
        private let bySpan: PrefixCounts<UInt32>
        /// Set bits before each 2^24 positions; one number is enough for most traces.
        private let byReach: FixedBuffer<Int>
        private let lastReach: Int

        /// Room for so many positions. The bits of those that have not come yet are set, and no count knows of them.
        init(capacity requested: Int) {
            let capacity = max(64, requested)
            precondition(capacity & (capacity - 1) == 0, "the length of the log is not a power of two")
            self.capacity = capacity
            words = FixedBuffer(repeating: .max, count: capacity >> 6)
            byWord = PrefixCounts(children: capacity >> 6)
            byBlock = PrefixCounts(children: capacity >> 11)
            byChunk = PrefixCounts(children: capacity >> 16)
            bySpan = PrefixCounts(children: capacity >> 20)
            byReach = FixedBuffer(repeating: 0, count: (capacity >> 24) + 1)
            lastReach = (capacity - 1) >> 24
        }

        /// Set bits before a position.
        @inline(__always) func rank(_ position: Int) -> Int {
            let word = position >> 6
            let earlier = words[UInt32(truncatingIfNeeded: word)] & ((1 << UInt64(position & 63)) &- 1)
            return earlier.nonzeroBitCount &+ Int(byWord.before(word)) &+ Int(byBlock.before(position >> 11))
                &+ Int(byChunk.before(position >> 16)) &+ Int(bySpan.before(position >> 20))
                &+ byReach[UInt32(truncatingIfNeeded: position >> 24)]
        }

        /// Clears a set bit.
        @inline(__always) func clear(_ position: Int) {
            words.update(UInt32(truncatingIfNeeded: position >> 6)) { $0 &= ~(1 << UInt64(position & 63)) }
            byWord.takeOne(outOf: position >> 6)
            byBlock.takeOne(outOf: position >> 11)
            byChunk.takeOne(outOf: position >> 16)
            bySpan.takeOne(outOf: position >> 20)
            var reach = position >> 24
            while reach < lastReach {
                reach &+= 1
                byReach.update(UInt32(truncatingIfNeeded: reach)) { $0 &-= 1 }
            }
        }

        /// Takes in the next position, whose bit is set; the counts of whatever begins there are settled first.
        @inline(__always) mutating func append(_ position: Int) {
            if position & 63 == 0, position > 0 { begin(position) }
        }

        /// Writes how much lies before the word, and before the block, chunk and span if one begins there too.
        @inline(never) private mutating func begin(_ position: Int) {
            let word = position >> 6
            var before = words[UInt32(word - 1)].nonzeroBitCount + Int(byWord.before(word - 1))
            guard word & 31 == 0 else { return byWord.begin(word, with: UInt16(before)) }
            byWord.begin(word, with: 0)
            let block = position >> 11
            before += Int(byBlock.before(block - 1))
            guard block & 31 == 0 else { return byBlock.begin(block, with: UInt16(before)) }
            byBlock.begin(block, with: 0)
            let chunk = position >> 16
            before += Int(byChunk.before(chunk - 1))
            guard chunk & 15 == 0 else { return byChunk.begin(chunk, with: UInt32(before)) }
            byChunk.begin(chunk, with: 0)
            let span = position >> 20
            before += Int(bySpan.before(span - 1))
            guard span & 15 == 0 else { return bySpan.begin(span, with: UInt32(before)) }
            bySpan.begin(span, with: 0)
            let reach = UInt32(position >> 24)
            byReach[reach] = before + byReach[reach - 1]
        }

        @inline(__always) func prefetch(_ position: Int) {
            let word = (position & (capacity &- 1)) >> 6
            words.prefetch(UInt32(truncatingIfNeeded: word))
            byWord.prefetch(word)
        }
    }
}
