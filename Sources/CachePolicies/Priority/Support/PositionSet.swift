internal import CacheCore

/// A set of positions of a trace whose largest is found in a few steps, wherever the others are.
///
/// A bit for each position, and above each level of words another with a bit for each of its words, set where that is not
/// empty: three such levels, the last of which is looked through from the end. Bits of words that emptied while they were
/// passed by, as the trace went on, are left behind. Memory: an eighth of a byte a position and a sixty-third of that for
/// the levels above. Everything is O(1) but for the last level, which has a word for each 16 million positions.
struct PositionSet: ~Copyable {
    /// After a first word that stands for no positions and is never empty, so that whatever is written to it changes
    /// nothing.
    private let words: FixedBuffer<UInt64>
    private let filled: FixedBuffer<UInt64>
    private let filledAbove: FixedBuffer<UInt64>
    private let filledMost: FixedBuffer<UInt64>

    /// No positions yet, of `0..<count`.
    init(count: Int) {
        func level(_ shift: Int) -> FixedBuffer<UInt64> { FixedBuffer(repeating: 0, count: count >> shift + 1) }
        words = FixedBuffer(repeating: 0, count: count >> 6 + 2)
        filled = level(12)
        filledAbove = level(18)
        filledMost = level(24)
        words[0] = 1
    }

    /// The 64 positions around one, the lowest bit for the first.
    @inline(__always)
    func word(at position: Int) -> UInt64 { words[Self.place(position)] }

    /// Whether a position is in the set.
    func contains(_ position: Int) -> Bool { word(at: position) & Self.bit(position) != 0 }

    /// Adds a position to the set.
    @inline(__always)
    func insert(_ position: Int) {
        if insertUnsummarized(position, unless: 0) { summarize(position) }
    }

    /// Adds a position unless all bits of `skips` are set rather than none, and returns whether that is to be followed by
    /// ``summarize(_:)``, which few are.
    @inline(__always)
    func insertUnsummarized(_ position: Int, unless skips: Int) -> Bool {
        let place = UInt32(truncatingIfNeeded: (position &>> 6 &+ 1) & ~skips)
        let word = words[place]
        words[place] = word | Self.bit(position)
        return word == 0
    }

    /// Tells the levels above that a word has its first position.
    @inline(__always)
    func summarize(_ position: Int) {
        let place = UInt32(truncatingIfNeeded: position &>> 6)
        filled[place &>> 6] |= Self.bit(place)
        filledAbove[place &>> 12] |= Self.bit(place &>> 6)
        filledMost[place &>> 18] |= Self.bit(place &>> 12)
    }

    /// Takes out a position that is alone in its word and has not been summarized.
    func removeUnsummarized(_ position: Int) { words[Self.place(position)] = 0 }

    /// Takes out the largest position, and returns the next largest; 0 if there is none.
    @inline(__always)
    func removeLargest(_ position: Int) -> Int {
        let left = word(at: position) & ~Self.bit(position)
        words[Self.place(position)] = left
        guard left == 0 else { return position & ~63 | Int(Self.highest(left)) }
        return largest(before: UInt32(truncatingIfNeeded: position &>> 6))
    }

    /// The largest position; 0 if there is none.
    func largest() -> Int {
        var place = UInt32(filledMost.count - 1)
        while place > 0, filledMost[place] == 0 { place -= 1 }
        guard filledMost[place] != 0 else { return 0 }
        place = place &<< 6 | Self.highest(filledMost[place])
        place = place &<< 6 | Self.highest(filledAbove[place])
        return position(in: place, Self.highest(filled[place]))
    }

    /// The largest position before a word that has become empty; 0 if there is none.
    @inline(__always)
    private func largest(before word: UInt32) -> Int {
        var place = word &>> 6
        var left = Self.clear(word, in: filled)
        if left == 0 {
            left = Self.clear(place, in: filledAbove)
            place &>>= 6
            if left == 0 {
                left = Self.clear(place, in: filledMost)
                place &>>= 6
                while left == 0 {
                    guard place > 0 else { return 0 }
                    place &-= 1
                    left = filledMost[place]
                }
                place = place &<< 6 | Self.highest(left)
                left = filledAbove[place]
            }
            place = place &<< 6 | Self.highest(left)
            left = filled[place]
        }
        return position(in: place, Self.highest(left))
    }

    @inline(__always)
    private func position(in group: UInt32, _ word: UInt32) -> Int {
        let place = group &<< 6 | word
        return Int(place) &<< 6 | Int(Self.highest(words[place &+ 1]))
    }

    /// Clears the bit of a word of the level below, and returns what is left around it.
    @inline(__always)
    private static func clear(_ place: UInt32, in level: borrowing FixedBuffer<UInt64>) -> UInt64 {
        let left = level[place &>> 6] & ~bit(place)
        level[place &>> 6] = left
        return left
    }

    @inline(__always)
    private static func place(_ position: Int) -> UInt32 { UInt32(truncatingIfNeeded: position &>> 6 &+ 1) }

    @inline(__always)
    private static func bit(_ place: some FixedWidthInteger) -> UInt64 {
        1 &<< UInt64(truncatingIfNeeded: place & 63)
    }

    /// The number of the highest bit of a word that is not empty.
    @inline(__always)
    private static func highest(_ word: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: 63 &- word.leadingZeroBitCount)
    }
}
