internal import CacheCore

/// What a request makes of the word of a slot: the ordinal of a priority, and below it a number of the policy's.
protocol RisingRule: BitwiseCopyable {
    /// Whether ``word(after:missed:first:at:)`` needs `first`.
    static var looksAhead: Bool { get }

    /// The word that a slot gets, without the bit for what is fresh.
    ///
    /// - Parameters:
    ///   - word: The slot's word so far: after a miss the victim's, whose slot the newcomer takes.
    ///   - missed: All bits after a miss, none after a hit.
    ///   - first: The word of the slot that leaves first then, the newcomer apart.
    ///   - time: The number of the request.
    mutating func word(after word: UInt128, missed: UInt64, first: UInt128, at time: UInt32) -> UInt128

    /// Whether a hit of a slot with that word is more than the raise that ``word(after:missed:first:at:)`` makes of it.
    func isSpecial(_ word: UInt128) -> Bool
}

extension RisingRule {
    /// The value of the priority of a word, which is not negative.
    @inline(__always)
    func value(_ word: UInt128) -> UInt64 { UInt64(truncatingIfNeeded: word &>> 64) & ~(1 << 63) }

    /// The ordinal of the priority of a value that is not negative.
    @inline(__always)
    func ordinal(_ value: UInt64, _ time: UInt32) -> UInt128 {
        UInt128(value | 1 << 63) &<< 64 | UInt128(UInt64(time) &<< 32)
    }

    /// Most rules know one kind of hit.
    @inline(__always)
    func isSpecial(_ word: UInt128) -> Bool { false }
}

/// How far a block has been served by a ``LazyPriorityQueue``.
struct RisingProgress: BitwiseCopyable {
    /// The next request.
    var position = 0
    /// A bit for each request so far, the lowest for the last, set where it missed.
    var misses: UInt64 = 0
    /// The number of the last request.
    var time: UInt32
    /// The slot of the last request's object.
    var slot: UInt32 = 0
    /// What its word was before that request: after a miss the victim's.
    var word: UInt128 = 0

    /// Whether the last request missed.
    var isMiss: Bool { misses & 1 != 0 }
}

/// Blocks of requests of a full cache in which every object weighs 1.
extension LazyPriorityQueue {
    /// Serves requests: one that hits raises its object's slot, one that misses takes the slot that leaves first and puts it
    /// at the back of the queue. Returns a bit for each, the lowest for the last, set where it missed.
    ///
    /// Hits and misses take the same instructions, because to the processor a hit is the toss of a coin. Who leaves next is known
    /// beforehand; what is less simple than to go on to the next of the queue waits until the loop has been left.
    @inline(__always)
    mutating func serveBlock<Rule: RisingRule, Sizes: SizeStore & ~Copyable>(
        _ block: ObjectBlock, _ slots: borrowing ResidentSlots<Sizes>, _ rule: inout Rule, time: inout Int
    ) -> UInt64 {
        var progress = RisingProgress(time: UInt32(truncatingIfNeeded: time))
        makeRoomForBlock()
        while progress.position < block.count {
            settleFront()
            serve(block, slots, &rule, &progress)
        }
        returnBorrowed()
        time &+= block.count
        return progress.misses
    }

    /// Serves requests while the first of the queue, who must be the one to leave first, is followed by such a one. Serves
    /// at least one.
    @inline(__always)
    mutating func serve<Rule: RisingRule, Sizes: SizeStore & ~Copyable>(
        _ block: ObjectBlock, _ slots: borrowing ResidentSlots<Sizes>, _ rule: inout Rule,
        _ progress: inout RisingProgress
    ) {
        let limit = heap.lowerBound()
        (front, back) = Self.served(
            block, slots.index, slots.ids, heap.words, queue, front, back, limit, &rule, &progress)
    }

    /// Serves requests as ``serve(_:_:_:_:)`` does: a function of its own, so that its loop has the registers to itself.
    /// Returns where the queue begins and ends then.
    @inline(never)
    private static func served<Rule: RisingRule>(
        _ block: ObjectBlock, _ index: borrowing FixedBuffer<UInt32>, _ ids: borrowing FixedBuffer<ObjectID>,
        _ words: borrowing FixedBuffer<UInt128>, _ queue: borrowing FixedBuffer<UInt32>, _ start: UInt32,
        _ end: UInt32, _ limit: UInt128, _ rule: inout Rule, _ progress: inout RisingProgress
    ) -> (UInt32, UInt32) {
        var (front, back, rules, now) = (start, end, rule, progress)
        let nobody = queue[back]
        var victim = queue[front]
        var (first, isRegular) = (words[victim], true)
        repeat {
            index.prefetch(block.upcoming(now.position))
            if words.isFar { words.prefetchIfFar(index[block.approaching(now.position)]) }
            let id = block[now.position]
            let known = index[id]
            // Written so that it becomes no branch: an object without a slot has the largest number.
            let missed = UInt32(truncatingIfNeeded: (UInt64(known) &+ 1) &>> 32)
            let mask = 0 &- missed
            now.slot = known ^ (known ^ victim) & mask
            now.word = words[now.slot]
            now.time &+= 1
            let isSpecial = rules.isSpecial(now.word)
            front &+= missed
            if Rule.looksAhead {
                victim = queue[front]
                first = words[victim]
            }
            let all = UInt64(truncatingIfNeeded: Int64(Int32(bitPattern: mask)))
            words[now.slot] =
                rules.word(after: now.word, missed: all, first: first, at: now.time) | UInt128(missed &<< 31)
            // A hit writes down again what is known.
            index[ids[now.slot]] = .max
            ids[now.slot] = id
            index[id] = now.slot
            queue[back] = now.slot
            back &+= missed
            queue[back] = nobody
            if !Rule.looksAhead {
                victim = queue[front]
                first = words[victim]
            }
            now.misses = now.misses &<< 1 | UInt64(missed)
            now.position &+= 1
            isRegular = first & fresh != 0 && first < limit && !(Rule.looksAhead && victim == now.slot) && !isSpecial
        } while isRegular && now.position < block.count
        (rule, progress) = (rules, now)
        return (front, back)
    }
}
