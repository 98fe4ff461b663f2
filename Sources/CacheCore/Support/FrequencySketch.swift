/// Estimates how often objects were asked for lately: a count-min sketch with four 4-bit counters an object, halved
/// regularly.
///
/// Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy", ACM Transactions on Storage
/// 13(4), 2017. An estimate is never below the true count since the last halving, up to 15. Memory: 8 bytes for each
/// expected object, rounded up to a power of two. All operations are O(1), the halving amortised.
@frozen
public struct FrequencySketch: ~Copyable {
    /// The largest estimate.
    @inlinable public static var largestEstimate: Int { 15 }

    @usableFromInline let words: FixedBuffer<UInt64>
    @usableFromInline let mask: UInt64
    @usableFromInline let sampleSize: Int
    @usableFromInline let countsChangesOnly: Bool
    @usableFromInline var additions = 0

    /// A sketch for about `objects` objects that halves its counters after `sampleSize` additions.
    ///
    /// With `countsChangesOnly` an addition that finds all its counters full does not count, and each halving takes the
    /// counters' lost odd bits off the number of additions.
    @inlinable
    public init(objects: Int, sampleSize: Int, countsChangesOnly: Bool = false) {
        let count = Self.words(for: objects)
        words = FixedBuffer(repeating: 0, count: count)
        mask = UInt64(count - 1)
        self.sampleSize = max(1, sampleSize)
        self.countsChangesOnly = countsChangesOnly
    }

    /// The number of 64-bit words for about `objects` objects: the next power of two.
    @inlinable
    public static func words(for objects: Int) -> Int {
        let limit = max(1, min(objects, 1 << 31))
        return limit.nonzeroBitCount == 1 ? limit : 1 << (Int.bitWidth - limit.leadingZeroBitCount)
    }

    /// How often the object was added lately, from 0 to 15; now and then too much, never too little.
    @inlinable @inline(__always)
    public func estimate(_ id: ObjectID) -> Int {
        let hash = Self.hash(id)
        var least = UInt64.max
        for row in 0..<UInt64(4) {
            let word = words[wordIndex(hash, row)]
            least = min(least, (word >> Self.shift(hash, row)) & 0xF)
        }
        return Int(least)
    }

    /// Counts one request for the object.
    @inlinable @inline(__always)
    public mutating func add(_ id: ObjectID) {
        let hash = Self.hash(id)
        var changed = !countsChangesOnly
        for row in 0..<UInt64(4) {
            let index = wordIndex(hash, row)
            let shift = Self.shift(hash, row)
            let word = words[index]
            guard (word >> shift) & 0xF != 0xF else { continue }
            words[index] = word &+ (1 << shift)
            changed = true
        }
        guard changed else { return }
        additions &+= 1
        if additions >= sampleSize { halve() }
    }

    /// Each row multiplies the hash by an odd number of its own, so that objects that meet in one row part in another.
    @inlinable @inline(__always)
    func wordIndex(_ hash: UInt64, _ row: UInt64) -> UInt32 {
        let factor: UInt64 =
            switch row {
            case 0: 0x9FB2_1C65_1E98_DF25
            case 1: 0xD6E8_FEB8_6659_FD93
            case 2: 0xA076_1D64_78BD_642F
            default: 0xE703_7ED1_A0B4_28DB
            }
        return UInt32(truncatingIfNeeded: ((hash &* factor) >> 32) & mask)
    }

    /// Spreads an id, 0 included, over 64 bits.
    @inlinable @inline(__always)
    static func hash(_ id: ObjectID) -> UInt64 { mix64(UInt64(id) &+ 0x9E37_79B9_7F4A_7C15) }

    /// The counter of a row inside its word: one of four that only this row uses.
    @inlinable @inline(__always)
    static func shift(_ hash: UInt64, _ row: UInt64) -> UInt64 { ((hash & 3) << 2 &+ row) << 2 }

    @inlinable @inline(never)
    mutating func halve() {
        var odd = 0
        for index in 0..<UInt32(words.count) {
            let word = words[index]
            odd += (word & 0x1111_1111_1111_1111).nonzeroBitCount
            words[index] = (word >> 1) & 0x7777_7777_7777_7777
        }
        additions = (countsChangesOnly ? max(0, additions - odd / 4) : additions) / 2
    }
}
