internal import CIntrinsics
internal import CacheCore

/// Where a hash table keeps its objects: buckets of 64 bytes, one cache line each, with up to 12 objects.
///
/// A bucket begins with a byte for each object, 0 where there is none, and compares all of them at once with the byte that a
/// hash asks for (as in the Swiss table of Abseil and in F14 of Folly). An object that finds its bucket full goes to the next.
struct KeyBuckets: ~Copyable {
    private static let byteCount = 64
    private static let slotCount = 12
    private static let firstIDOffset = 16

    private let base: UnsafeMutableRawPointer
    private let count: Int
    /// The most objects that may be put in: three quarters of what there is room for, so that few find their bucket full.
    let limit: Int

    /// Empty buckets, at most 2^32.
    init(count: Int) {
        base = .allocate(byteCount: max(1, count) * Self.byteCount, alignment: Self.byteCount)
        base.initializeMemory(as: UInt8.self, repeating: 0, count: count * Self.byteCount)
        self.count = count
        limit = count * (Self.slotCount / 4 * 3)
    }

    deinit { base.deallocate() }

    /// How many buckets are made for so many objects, so that there is room for half as many more.
    static func count(for objects: Int) -> Int { max(256, (objects + objects / 2) / (slotCount / 4 * 3) + 1) }

    /// Where a hash is looked for first: its high bits scaled to the number of buckets, which is any number.
    @inline(__always)
    private func home(_ hash: UInt64) -> Int { Int(((hash >> 32) &* UInt64(truncatingIfNeeded: count)) >> 32) }

    @inline(__always)
    private func next(_ bucket: Int) -> Int { bucket &+ 1 == count ? 0 : bucket &+ 1 }

    @inline(__always)
    private func address(_ bucket: Int) -> UnsafeMutableRawPointer { base + bucket &* Self.byteCount }

    /// The byte of a hash, never 0.
    @inline(__always)
    private static func tag(_ hash: UInt64) -> UInt8 {
        let byte = UInt8(truncatingIfNeeded: hash)
        return byte &+ (byte == 0 ? 1 : 0)
    }

    /// A bit for each slot of a bucket that has this byte.
    @inline(__always)
    private func slots(_ bucket: Int, having byte: UInt8) -> UInt32 {
        assay_equal_of_16(address(bucket).assumingMemoryBound(to: UInt8.self), byte) & (1 << Self.slotCount &- 1)
    }

    @inline(__always)
    private func ids(_ bucket: Int) -> UnsafeMutablePointer<UInt32> {
        (address(bucket) + Self.firstIDOffset).assumingMemoryBound(to: UInt32.self)
    }

    /// Asks the processor to fetch where a hash is looked for first.
    @inline(__always)
    func prefetch(_ hash: UInt64) { assay_prefetch(address(home(hash))) }

    /// The object that most probably has this hash if one has: without a branch, so that it may be any other or 0 besides.
    @inline(__always)
    func candidate(_ hash: UInt64) -> UInt32 {
        let bucket = home(hash)
        let slot = (slots(bucket, having: Self.tag(hash)) | 1 << (Self.slotCount &- 1)).trailingZeroBitCount
        return ids(bucket)[slot]
    }

    /// The first object of this hash's byte that `isSought`, nil if there is none.
    func first(_ hash: UInt64, where isSought: (UInt32) -> Bool) -> UInt32? {
        var bucket = home(hash)
        while true {
            var found = slots(bucket, having: Self.tag(hash))
            while found != 0 {
                let id = ids(bucket)[found.trailingZeroBitCount]
                if isSought(id) { return id }
                found &= found &- 1
            }
            if slots(bucket, having: 0) != 0 { return nil }
            bucket = next(bucket)
        }
    }

    /// Puts an object in; there are fewer than ``limit``.
    func insert(_ hash: UInt64, _ id: UInt32) {
        var bucket = home(hash)
        while true {
            let free = slots(bucket, having: 0)
            if free != 0 {
                let slot = free.trailingZeroBitCount
                address(bucket).storeBytes(of: Self.tag(hash), toByteOffset: slot, as: UInt8.self)
                ids(bucket)[slot] = id
                return
            }
            bucket = next(bucket)
        }
    }
}
