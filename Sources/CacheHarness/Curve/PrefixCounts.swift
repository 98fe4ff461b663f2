internal import CCountNodes
internal import CIntrinsics
internal import CacheCore

/// A number in a node of 64 bytes.
protocol NodeCount: FixedWidthInteger, BitwiseCopyable {
    /// Takes one from each count of a node whose mask is all ones.
    static func takeOne(from node: UnsafeMutablePointer<Self>, _ mask: UnsafePointer<Self>)
}

extension UInt16: NodeCount {
    @inline(__always) static func takeOne(from node: UnsafeMutablePointer<Self>, _ mask: UnsafePointer<Self>) {
        assay_take_one_16(node, mask)
    }
}

extension UInt32: NodeCount {
    @inline(__always) static func takeOne(from node: UnsafeMutablePointer<Self>, _ mask: UnsafePointer<Self>) {
        assay_take_one_32(node, mask)
    }
}

/// For each of many children, how much lies in the earlier children of its node: one level of a wide counting tree.
///
/// A node is a cache line, 64 bytes of counts. Taking something out of a child changes all its later siblings, a few
/// vector instructions; asking reads one number. Children are filled in order: an entry means
/// nothing until ``begin(_:with:)``.
struct PrefixCounts<Count: NodeCount>: ~Copyable {
    /// Children in a node, a power of two.
    static var width: Int { 64 / MemoryLayout<Count>.size }

    private let entries: UnsafeMutablePointer<Count>
    /// For each child of a node, a node of which the later siblings have all bits set.
    private let masks: UnsafeMutablePointer<Count>
    private let count: Int

    /// Room for that many children, rounded up to whole nodes.
    init(children: Int) {
        count = (max(1, children) + Self.width - 1) & ~(Self.width - 1)
        entries = Self.allocate(count)
        masks = Self.allocate(Self.width * Self.width)
        for child in 0..<Self.width {
            for sibling in 0..<Self.width { masks[child * Self.width + sibling] = sibling > child ? ~0 : 0 }
        }
    }

    deinit {
        UnsafeMutableRawPointer(entries).deallocate()
        UnsafeMutableRawPointer(masks).deallocate()
    }

    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Count> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Count>.stride, alignment: 64)
            .bindMemory(to: Count.self, capacity: count)
        memory.initialize(repeating: 0, count: count)
        return memory
    }

    /// What lies in the earlier children of the same node.
    @inline(__always) func before(_ child: Int) -> Count {
        assert(child >= 0 && child < count, "child out of range")
        return entries[child]
    }

    /// Sets what lies before a child that is being begun.
    @inline(__always) func begin(_ child: Int, with before: Count) {
        assert(child >= 0 && child < count, "child out of range")
        entries[child] = before
    }

    /// Takes one out of a child.
    @inline(__always) func takeOne(outOf child: Int) {
        assert(child >= 0 && child < count, "child out of range")
        Count.takeOne(
            from: entries + (child & ~(Self.width &- 1)), masks + (child & (Self.width &- 1)) &* Self.width)
    }

    /// Asks the processor to fetch a child's node.
    @inline(__always) func prefetch(_ child: Int) {
        assert(child >= 0 && child < count, "child out of range")
        assay_prefetch(entries + child)
    }
}
