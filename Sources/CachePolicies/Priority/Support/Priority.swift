/// A place in the order of eviction: the lowest value leaves first, among equals the one whose time is longest ago.
///
/// Times are request numbers in 32 bits, so that an entry of an `IndexedHeap` has 16 bytes; after 2^32 requests only
/// the order of equals is affected.
struct Priority: Comparable, BitwiseCopyable {
    /// What counts first.
    let value: Int
    private let time: UInt32

    /// A priority from a whole number and a request's number.
    init(_ value: Int, at index: Int) {
        self.value = value
        time = UInt32(truncatingIfNeeded: index)
    }

    /// A priority from a cost, finite and at least 0, and a request's number.
    init(cost: Double, at index: Int) {
        // The bits of such numbers are in the numbers' order once a negative zero is a positive one.
        self.init(Int(truncatingIfNeeded: (cost + 0).bitPattern), at: index)
    }

    /// The priority of which this is the ordinal, whatever its lowest 32 bits are.
    @inline(__always)
    init(ordinal: UInt128) {
        value = Int(truncatingIfNeeded: ordinal &>> 64) ^ .min
        time = UInt32(truncatingIfNeeded: ordinal &>> 32)
    }

    /// The cost that the priority was made from.
    var cost: Double { Double(bitPattern: UInt64(bitPattern: Int64(value))) }

    /// A number that is in the order of the priorities; its lowest 32 bits are free.
    @inline(__always)
    var ordinal: UInt128 {
        UInt128(UInt64(bitPattern: Int64(value ^ .min))) &<< 64 | UInt128(time) &<< 32
    }

    /// The same value at the time of another request.
    func at(_ index: Int) -> Priority { Priority(value, at: index) }

    /// The next value at the same time.
    var raised: Priority { Priority(ordinal: ordinal + 1 << 64) }

    /// Without branches: a heap's comparisons are as good as random.
    @inline(__always)
    static func < (left: Self, right: Self) -> Bool {
        let isLower = left.value < right.value ? 1 : 0
        let isEqual = left.value == right.value ? 1 : 0
        let isOlder = left.time < right.time ? 1 : 0
        return isLower | isEqual & isOlder != 0
    }
}
