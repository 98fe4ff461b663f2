public import CacheCore

/// Which ids are due when: a hierarchical timer wheel that is exact to the nanosecond.
///
/// Varghese and Lauck, "Hashed and hierarchical timing wheels", SOSP 1987. Eleven wheels of 64 slots cover every 64-bit
/// time: an id lies in the wheel of the highest of its six-bit digits that differs from the present's, so that no time is
/// too far. Going forward empties the slots that were passed, which bit maps find without a walk, and puts what is not due
/// yet into a finer wheel: at most ten times in an entry's life, so every operation is O(1) amortised. Memory: 8 bytes an
/// id and 6 KB.
@usableFromInline
struct TimerWheel: ~Copyable {
    @usableFromInline static let levels = 11
    @usableFromInline static let slots = 64
    /// The places before that of id 0: the heads of the lists.
    @usableFromInline static let heads = UInt32(levels * slots)
    /// What the link of an id that lies in no list says.
    @usableFromInline static let unlinked = UInt32.max

    @usableFromInline var nextPlace: UnsafeMutablePointer<UInt32>
    @usableFromInline var previousPlace: UnsafeMutablePointer<UInt32>
    @usableFromInline var occupied: UnsafeMutablePointer<UInt64>
    @usableFromInline var places: Int
    @usableFromInline var current: UInt64

    /// A wheel for ids `0..<ids` at a time.
    @usableFromInline
    init(ids: Int, now: Int64) {
        places = Int(Self.heads) + ids
        nextPlace = .allocate(capacity: places)
        previousPlace = .allocate(capacity: places)
        occupied = .allocate(capacity: Self.levels)
        occupied.initialize(repeating: 0, count: Self.levels)
        nextPlace.initialize(repeating: Self.unlinked, count: places)
        previousPlace.initialize(repeating: Self.unlinked, count: places)
        for head in 0..<Int(Self.heads) {
            nextPlace[head] = UInt32(head)
            previousPlace[head] = UInt32(head)
        }
        current = Self.ordered(now)
    }

    @inlinable deinit {
        nextPlace.deallocate()
        previousPlace.deallocate()
        occupied.deallocate()
    }

    /// A time as a number that compares alike and is not negative.
    @inlinable
    static func ordered(_ time: Int64) -> UInt64 { UInt64(bitPattern: time) ^ (1 << 63) }

    /// Makes room for more ids. O(ids).
    @usableFromInline
    mutating func grow(ids: Int) {
        let total = Int(Self.heads) + ids
        guard total > places else { return }
        nextPlace = Self.grown(nextPlace, from: places, to: total)
        previousPlace = Self.grown(previousPlace, from: places, to: total)
        places = total
    }

    /// Puts an id where it is found when its time comes, and takes it away from where it was. O(1).
    @inlinable
    mutating func schedule(_ id: ObjectID, at due: Int64) {
        cancel(id)
        // What is due already is found by the next step forward, however small.
        let time = max(Self.ordered(due), current &+ 1)
        let level = (63 - (time ^ current).leadingZeroBitCount) / 6
        let slot = Int((time >> UInt64(6 * level)) & 63)
        occupied[level] |= 1 << UInt64(slot)
        link(id &+ Self.heads, after: UInt32(level * Self.slots + slot))
    }

    /// Takes an id away; does nothing for one that is not there. O(1).
    @inlinable
    mutating func cancel(_ id: ObjectID) {
        let place = Int(id &+ Self.heads)
        let next = nextPlace[place]
        guard next != Self.unlinked else { return }
        let previous = previousPlace[place]
        nextPlace[Int(previous)] = next
        previousPlace[Int(next)] = previous
        nextPlace[place] = Self.unlinked
    }

    /// Goes forward to a time and appends every id that lay in a slot that was passed, in no order. Some may not be due
    /// yet: the caller, who knows the deadlines, schedules them again. A time before the present does nothing.
    @usableFromInline
    mutating func advance(to now: Int64, into passed: inout [ObjectID]) {
        let time = Self.ordered(now)
        guard time > current else { return }
        for level in 0..<Self.levels {
            let shift = UInt64(6 * level)
            let (was, new) = (current >> shift, time >> shift)
            if was == new { break }
            var slots = occupied[level]
            if was >> 6 == new >> 6 {
                // Those after the old digit up to the new one.
                slots &= (~0 << (was & 63)) << 1 & ~((~0 << (new & 63)) << 1)
            }
            occupied[level] &= ~slots
            while slots != 0 {
                empty(UInt32(level * Self.slots + slots.trailingZeroBitCount), into: &passed)
                slots &= slots - 1
            }
        }
        current = time
    }

    private mutating func empty(_ head: UInt32, into passed: inout [ObjectID]) {
        var place = nextPlace[Int(head)]
        while place != head {
            passed.append(place - Self.heads)
            let next = nextPlace[Int(place)]
            nextPlace[Int(place)] = Self.unlinked
            place = next
        }
        nextPlace[Int(head)] = head
        previousPlace[Int(head)] = head
    }

    @inlinable
    mutating func link(_ place: UInt32, after head: UInt32) {
        let next = nextPlace[Int(head)]
        nextPlace[Int(place)] = next
        previousPlace[Int(place)] = head
        previousPlace[Int(next)] = place
        nextPlace[Int(head)] = place
    }
}

extension TimerWheel {
    fileprivate static func grown(
        _ old: UnsafeMutablePointer<UInt32>, from count: Int, to total: Int
    ) -> UnsafeMutablePointer<UInt32> {
        let column = UnsafeMutablePointer<UInt32>.allocate(capacity: total)
        column.moveInitialize(from: old, count: count)
        (column + count).initialize(repeating: unlinked, count: total - count)
        old.deallocate()
        return column
    }
}
