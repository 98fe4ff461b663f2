/// A key of an `IndexedHeap`: a value, and among equal values an order, which makes it unique.
struct Rank<Value: Comparable & BitwiseCopyable>: Comparable, BitwiseCopyable {
    /// What counts first: a priority, a time, a number of requests. Must not be NaN.
    var value: Value
    /// What decides among equal values: usually the time of the last request.
    var order: Int

    /// By value, then by order.
    @inline(__always)
    static func < (left: Rank, right: Rank) -> Bool {
        left.value < right.value || left.value == right.value && left.order < right.order
    }
}
