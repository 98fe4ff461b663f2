/// A place in the order of eviction: the lowest value leaves first, among equals the one whose time is longest ago.
///
/// Times are request numbers in 32 bits, so that an entry of an `IndexedHeap` has 16 bytes; after 2^32 requests only
/// the order of equals is affected.
struct Priority: Comparable, BitwiseCopyable {
    private let value: Int
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

    /// The same value at the time of another request.
    func at(_ index: Int) -> Priority { Priority(value, at: index) }

    /// Without branches: a heap's comparisons are as good as random.
    @inline(__always)
    static func < (left: Self, right: Self) -> Bool {
        let isLower = left.value < right.value ? 1 : 0
        let isEqual = left.value == right.value ? 1 : 0
        let isOlder = left.time < right.time ? 1 : 0
        return isLower | isEqual & isOlder != 0
    }
}
