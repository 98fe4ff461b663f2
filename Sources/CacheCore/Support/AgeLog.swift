internal import CIntrinsics

/// The columns of an ``RecencyQueue``. What changes with every request is in ``Ends``, which the queue keeps.
@frozen
public struct AgeLog: BitwiseCopyable {
    /// Where the log begins and ends.
    @frozen
    public struct Ends: BitwiseCopyable {
        /// The position of the first slot, a multiple of 64.
        @usableFromInline var base: UInt32
        /// No object is at a position before this one.
        @usableFromInline var oldest: UInt32
        /// The next position to write.
        @usableFromInline var next: UInt32
        /// The number of objects.
        @usableFromInline var count = 0
        /// The position behind the oldest objects that were counted, and how many of them are there still, or fewer.
        @usableFromInline var countedEnd: UInt32 = 0
        @usableFromInline var counted = 0

        @inlinable
        init(base: UInt32) {
            self.base = base
            oldest = base + AgeLog.margin
            next = oldest
        }

        /// The slot of a position.
        @inlinable @inline(__always)
        func slot(_ place: UInt32) -> Int { Int(place &- base) }
    }

    /// A log that is freed with its owner. A type of its own and not generic, because Swift 6.3 forgets the deinitialiser of a
    /// generic type of which every member is trivial, where it is destroyed behind a pointer.
    @frozen @usableFromInline
    struct Memory: ~Copyable {
        @usableFromInline let log: AgeLog

        @inlinable
        init(_ log: AgeLog) { self.log = log }

        @inlinable deinit { log.deallocate() }
    }

    /// The position of each object, or one that it had when it left.
    @usableFromInline let places: UnsafeMutablePointer<UInt32>
    /// The object at each slot. A position's slot is what it is more than the base.
    @usableFromInline let ids: UnsafeMutablePointer<ObjectID>
    /// A byte a slot, 1 if its object is not there any more although the position is not behind the oldest; 0 where nothing was
    /// written yet. Bytes, because a bit could not be set without reading its word, and what is read soon after it was
    /// written makes the processor wait.
    @usableFromInline let gaps: UnsafeMutablePointer<UInt8>
    /// The positions that the objects of a block had.
    @usableFromInline let found: UnsafeMutablePointer<UInt32>
    /// The number of slots, a multiple of 64.
    @usableFromInline let slots: UInt32
    @usableFromInline let objects: Int

    /// The position of what was never in one.
    @inlinable static var nowhere: UInt32 { 0 }
    /// The slots before the first that is written: what must change nothing is written there.
    @inlinable static var margin: UInt32 { 64 }

    @usableFromInline
    init(objects: Int, residents: Int, slotsPerResident: Int) {
        slots = UInt32(slotsPerResident * (residents + 205) / 64 * 64) + Self.margin
        self.objects = objects
        // What lies after the end is read ahead, or written before it is known to belong there.
        places = .allocate(capacity: max(1, objects))
        ids = .allocate(capacity: Int(slots) + 64)
        gaps = .allocate(capacity: Int(slots) + 64)
        found = .allocate(capacity: ObjectBlock.limit)
        found.initialize(repeating: 0, count: ObjectBlock.limit)
        places.initialize(repeating: Self.nowhere, count: max(1, objects))
        ids.initialize(repeating: 0, count: Int(slots) + 64)
        gaps.initialize(repeating: 0, count: Int(slots) + 64)
    }

    @usableFromInline
    func deallocate() {
        places.deallocate()
        ids.deallocate()
        gaps.deallocate()
        found.deallocate()
    }

    /// Says that nothing is at a position any more.
    @inlinable @inline(__always)
    func setGap(_ place: UInt32, _ ends: inout Ends) {
        gaps[ends.slot(place)] = 1
        ends.counted = 0
    }

    /// Writes an object at the end.
    @inlinable @inline(__always)
    func append(_ id: ObjectID, _ ends: inout Ends) {
        if ends.next &- ends.base == slots { pack(&ends) }
        ids[ends.slot(ends.next)] = id
        places[Int(id)] = ends.next
        ends.next &+= 1
    }

    /// Moves the beginning to the oldest object. There must be one.
    @inlinable @inline(__always)
    func skipGaps(_ ends: inout Ends) {
        while gaps[ends.slot(ends.oldest)] != 0 { ends.oldest &+= 1 }
    }

    /// The positions of a word's worth of slots to which an object belongs, or which were not written yet.
    @inline(__always)
    func present(_ word: Int) -> UInt64 { ~assay_lowest_bits(gaps + word * 64) }

    /// Moves every object to the lowest free slot, in order, so that the rest of the log can be written again. All get new
    /// positions, after any that was given before.
    ///
    /// O(slots); once in four billion positions O(objects) besides, when positions begin anew.
    @inline(never) @usableFromInline
    func pack(_ ends: inout Ends) {
        let old = ends
        ends = Ends(base: nextBase(after: old.next))
        ends.count = old.count
        let end = old.slot(old.next)
        for word in old.slot(old.oldest) / 64..<(end + 63) / 64 {
            var rest = present(word)
            if word == old.slot(old.oldest) / 64 { rest &= .max << UInt64(old.oldest & 63) }
            if word == end / 64 { rest &= 1 << UInt64(end & 63) - 1 }
            while rest != 0 {
                let source = word * 64 + rest.trailingZeroBitCount
                // The next objects' places lie anywhere in a large table.
                assay_prefetch_to_write(places + Int(ids[source + 32]))
                let id = ids[source]
                ids[ends.slot(ends.next)] = id
                places[Int(id)] = ends.next
                ends.next &+= 1
                rest &= rest &- 1
            }
        }
        gaps.update(repeating: 0, count: end)
    }

    /// A base that puts the first slot after every position so far.
    private func nextBase(after next: UInt32) -> UInt32 {
        let base = (next &+ 63) & ~63 &- Self.margin
        if base < UInt32.max - slots - 2 * Self.margin { return base }
        places.update(repeating: Self.nowhere, count: objects)
        return Self.margin
    }
}
