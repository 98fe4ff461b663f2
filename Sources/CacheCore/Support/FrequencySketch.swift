public import CIntrinsics

/// Estimates how often objects were asked for lately: a count-min sketch with four rows of 4-bit counters, halved
/// regularly.
///
/// Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy", ACM Transactions on Storage
/// 13(4), 2017. The four counters of an object lie in one block of 64 bytes, so that it costs one cache line: blocked as
/// in Putze, Sanders and Singler, "Cache-, hash- and space-efficient Bloom filters", JEA 14, 2009. An estimate is never
/// below the true count since the last halving, up to 15. Memory: 8 bytes for each expected object, rounded up to a
/// power of two, at least one block. All operations are O(1), the halving amortised.
@frozen
public struct FrequencySketch: ~Copyable {
    @usableFromInline static var blockWords: Int { 8 }

    @usableFromInline let words: FixedBuffer<UInt64>
    /// The first word that lies at the start of a cache line.
    @usableFromInline let origin: UInt32
    @usableFromInline let blockMask: UInt64
    @usableFromInline let sampleSize: Int
    @usableFromInline var additions = 0

    /// A sketch for about `objects` objects that halves its counters after `sampleSize` additions.
    @inlinable
    public init(objects: Int, sampleSize: Int) {
        let count = max(Self.blockWords, Self.words(for: objects))
        let buffer = FixedBuffer<UInt64>(repeating: 0, count: count + Self.blockWords)
        let word = Int(bitPattern: buffer.base) / MemoryLayout<UInt64>.stride
        origin = UInt32(-word & (Self.blockWords - 1))
        words = buffer
        blockMask = UInt64(count / Self.blockWords - 1)
        self.sampleSize = max(1, sampleSize)
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
        let rows = rows(hash)
        var least = UInt64.max
        for row in 0..<4 {
            // As `assay_count` counts: which of 16 bytes, and above that which half of it.
            let counter = Int(truncatingIfNeeded: hash &>> UInt64(16 &+ 5 &* row))
            let byte = UInt64(rows[row &<< 4 | counter & 15])
            least = min(least, byte &>> UInt64(counter &>> 2 & 4) & 0xF)
        }
        return Int(least)
    }

    /// Counts one request for the object.
    @inlinable @inline(__always)
    public mutating func add(_ id: ObjectID) {
        let hash = Self.hash(id)
        assay_count(rows(hash), hash)
        additions &+= 1
        if additions >= sampleSize { halve() }
    }

    /// The four rows of an object's block.
    @inlinable @inline(__always)
    func rows(_ hash: UInt64) -> UnsafeMutablePointer<UInt8> {
        UnsafeMutableRawPointer(words.base + Int(blockIndex(hash))).assumingMemoryBound(to: UInt8.self)
    }

    /// Asks the processor to fetch the object's counters.
    @inlinable @inline(__always)
    public func prefetch(_ id: ObjectID) { words.prefetch(blockIndex(Self.hash(id))) }

    /// The first word of an object's block.
    @inlinable @inline(__always)
    func blockIndex(_ hash: UInt64) -> UInt32 {
        origin &+ UInt32(truncatingIfNeeded: ((hash &>> 36) & blockMask) &<< 3)
    }

    /// Spreads an id, 0 included, over 64 bits of which the high 48 are good.
    @inlinable @inline(__always)
    static func hash(_ id: ObjectID) -> UInt64 {
        var hash = (UInt64(id) &+ 0x9E37_79B9) &* 0x9FB2_1C65_1E98_DF25
        hash ^= hash &>> 32
        return hash &* 0xD6E8_FEB8_6659_FD93
    }

    @inlinable @inline(never)
    mutating func halve() {
        for index in 0..<UInt32(words.count) { words[index] = (words[index] &>> 1) & 0x7777_7777_7777_7777 }
        additions /= 2
    }
}
