public import CacheCore

/// Finds ids by the hashes of their keys: open addressing with linear probing and no tombstones.
///
/// A word of 32 bits holds an id and, in the bits above it, the top of the hash, so that almost every key that is
/// compared is the right one. At most three quarters of the words are in use: 5 to 11 bytes an id. The index knows
/// neither keys nor hashes; whoever owns it passes both.
@usableFromInline
struct IDIndex: ~Copyable {
    @usableFromInline static let empty = UInt32.max

    @usableFromInline var words: UnsafeMutablePointer<UInt32>
    @usableFromInline var bucketMask: UInt32
    @usableFromInline var idMask: UInt32
    @usableFromInline var count = 0

    /// An empty index for ids `0..<ids`.
    @usableFromInline
    init(ids: Int) {
        idMask = Self.idMask(for: ids)
        bucketMask = 7
        words = .allocate(capacity: 8)
        words.initialize(repeating: Self.empty, count: 8)
    }

    @inlinable deinit { words.deallocate() }

    /// The low bits that hold ids `0..<ids`; all of them set is no id.
    @usableFromInline
    static func idMask(for ids: Int) -> UInt32 {
        precondition(ids < Int(UInt32.max), "ids are 32 bits wide")
        return UInt32.max >> UInt32(UInt32(ids).leadingZeroBitCount)
    }

    /// Whether one more id makes it too full.
    @inlinable
    var isFull: Bool { count &+ 1 > Int(bucketMask &+ 1) / 4 * 3 }

    /// Adds an id that is not there. There must be room. O(1).
    @inlinable
    mutating func add(_ id: ObjectID, hash: UInt32) {
        var bucket = hash & bucketMask
        while words[Int(bucket)] != Self.empty { bucket = (bucket &+ 1) & bucketMask }
        words[Int(bucket)] = hash & ~idMask | id
        count &+= 1
    }

    /// Takes an id out that is there, and moves those up that it had pushed back. O(1) expected.
    @inlinable
    mutating func remove(_ id: ObjectID, hashes: UnsafeMutablePointer<UInt32>) {
        var hole = hashes[Int(id)] & bucketMask
        while words[Int(hole)] & idMask != id { hole = (hole &+ 1) & bucketMask }
        var bucket = (hole &+ 1) & bucketMask
        while words[Int(bucket)] != Self.empty {
            let home = hashes[Int(words[Int(bucket)] & idMask)] & bucketMask
            if (bucket &- home) & bucketMask >= (bucket &- hole) & bucketMask {
                words[Int(hole)] = words[Int(bucket)]
                hole = bucket
            }
            bucket = (bucket &+ 1) & bucketMask
        }
        words[Int(hole)] = Self.empty
        count &-= 1
    }

    /// Makes it anew, twice as long if it is full, for ids `0..<ids`. O(buckets).
    @usableFromInline
    mutating func rebuild(ids: Int, hashes: UnsafeMutablePointer<UInt32>) {
        let (old, buckets, mask) = (words, Int(bucketMask) + 1, idMask)
        let total = isFull ? 2 * buckets : buckets
        words = .allocate(capacity: total)
        words.initialize(repeating: Self.empty, count: total)
        bucketMask = UInt32(total - 1)
        idMask = Self.idMask(for: ids)
        count = 0
        for bucket in 0..<buckets where old[bucket] != Self.empty {
            let id = old[bucket] & mask
            add(id, hash: hashes[Int(id)])
        }
        old.deallocate()
    }

    /// Empties it and gives its memory back.
    @usableFromInline
    mutating func clear() {
        words.deallocate()
        words = .allocate(capacity: 8)
        words.initialize(repeating: Self.empty, count: 8)
        bucketMask = 7
        count = 0
    }
}
