/// A key of an `IndexedHeap`: a value, and among equal values an order, which makes it unique.
@usableFromInline
package struct Rank<Value: Comparable & BitwiseCopyable>: Comparable, BitwiseCopyable {
    /// What counts first: a priority, a time, a number of requests. Must not be NaN.
    @usableFromInline package var value: Value
    /// What decides among equal values: usually the time of the last request.
    @usableFromInline package var order: Int

    @inlinable
    package init(value: Value, order: Int) {
        self.value = value
        self.order = order
    }

    /// By value, then by order; without branches, because a heap's comparisons are as good as random.
    @inline(__always)
    @inlinable package static func < (left: Rank, right: Rank) -> Bool {
        let isLower = left.value < right.value ? 1 : 0
        let isEqual = left.value == right.value ? 1 : 0
        let isEarlier = left.order < right.order ? 1 : 0
        return isLower | isEqual & isEarlier != 0
    }
}
