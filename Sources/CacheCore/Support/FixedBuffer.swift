public import CIntrinsics

/// What surely stays in a processor's own cache once it has been asked for, in bytes.
@usableFromInline let bytesNearby = 1 << 19

/// A fixed number of trivial values that one policy owns: flat, zero-based, freed with its owner.
///
/// The hot container of every policy. Indices are 32-bit because object ids and slots are. Bounds are checked in
/// builds that keep assertions, as those are that tests run in; release builds check nothing (`docs/decisions/0003-unchecked-hot-buffers.md`).
@frozen
public struct FixedBuffer<Element: BitwiseCopyable>: ~Copyable {
    /// The first element, for a loop whose bounds are known and that nothing checks.
    public let base: UnsafeMutablePointer<Element>
    /// The number of elements.
    public let count: Int

    /// `count` copies of `value`.
    @inlinable
    public init(repeating value: Element, count: Int) {
        precondition(count >= 0, "a buffer cannot have a negative count")
        base = .allocate(capacity: max(1, count))
        base.initialize(repeating: value, count: count)
        self.count = count
    }

    @inlinable deinit { base.deallocate() }

    /// The element at an index. O(1).
    @inlinable
    public subscript(index: UInt32) -> Element {
        @inline(__always) get {
            assert(Int(index) < count, "index out of range")
            return base[Int(index)]
        }
        @inline(__always) nonmutating set {
            assert(Int(index) < count, "index out of range")
            base[Int(index)] = newValue
        }
    }

    /// Changes the element at an index in place. O(1).
    @inlinable @inline(__always)
    public func update<Result>(_ index: UInt32, _ body: (inout Element) -> Result) -> Result {
        assert(Int(index) < count, "index out of range")
        return body(&base[Int(index)])
    }

    /// Asks the processor to fetch the element's cache line before it is needed.
    @inlinable @inline(__always)
    public func prefetch(_ index: UInt32) {
        assert(Int(index) < count, "index out of range")
        assay_prefetch(base + Int(index))
    }

    /// Whether there are more elements than stay in a processor's cache unasked.
    @inlinable
    public var isFar: Bool {
        @inline(__always) get { count &* MemoryLayout<Element>.stride > bytesNearby }
    }

    /// Asks the processor to fetch an element's cache line, if the buffer is far; `.max` stands for none.
    @inlinable @inline(__always)
    public func prefetchIfFar(_ index: UInt32) {
        guard isFar else { return }
        // The first element, which is at hand soon, costs less than a branch that is hard to foretell.
        prefetch(index == .max ? 0 : index)
    }
}
