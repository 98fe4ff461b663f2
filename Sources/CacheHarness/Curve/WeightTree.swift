internal import CCountNodes
internal import CIntrinsics
internal import CacheCore

/// Sums of weights over positions that are filled in order: a tree of eight children a node, each with the sum of its earlier
/// siblings.
struct WeightTree: ~Copyable {
    let capacity: Int
    private let depth: Int
    private let entries: UnsafeMutablePointer<Int64>
    private let masks: UnsafeMutablePointer<Int64>
    private let offsets: FixedBuffer<Int>
    /// What the last position filled weighs still.
    private var last: (position: Int, weight: Int) = (-1, 0)

    init(capacity requested: Int) {
        let capacity = max(8, requested)
        precondition(capacity & (capacity - 1) == 0, "the length of the log is not a power of two")
        self.capacity = capacity
        let depth = (capacity.trailingZeroBitCount + 2) / 3
        self.depth = depth
        offsets = FixedBuffer(repeating: 0, count: depth)
        var count = 0
        for level in 0..<depth {
            offsets[UInt32(level)] = count
            count += max(8, capacity >> (3 * level))
        }
        entries = Self.allocate(count)
        masks = Self.allocate(64)
        for child in 0..<8 {
            for sibling in child + 1..<9 where sibling < 8 { masks[8 * child + sibling] = -1 }
        }
    }

    deinit {
        UnsafeMutableRawPointer(entries).deallocate()
        UnsafeMutableRawPointer(masks).deallocate()
    }

    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Int64> {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count * 8, alignment: 64)
            .bindMemory(to: Int64.self, capacity: count)
        memory.initialize(repeating: 0, count: count)
        return memory
    }

    /// The sum of the weights before a position that is filled.
    @inline(__always) func before(_ position: Int) -> Int {
        var sum: Int64 = 0
        var child = position
        for level in 0..<depth {
            sum &+= entries[offsets[UInt32(truncatingIfNeeded: level)] &+ child]
            child >>= 3
        }
        return Int(sum)
    }

    /// Takes away what a position weighs.
    @inline(__always) mutating func take(_ weight: Int, at position: Int) {
        if position == last.position { last.weight = 0 }
        var child = position
        for level in 0..<depth {
            let node = entries + offsets[UInt32(truncatingIfNeeded: level)] + (child & ~7)
            assay_take_64(node, masks + 8 * (child & 7), Int64(weight))
            child >>= 3
        }
    }

    /// Fills the next position; the sums of whatever begins there are settled first.
    @inline(__always) mutating func append(_ weight: Int, at position: Int) {
        assert(position == last.position + 1 && position < capacity, "positions are filled in order")
        var earlier = Int64(last.weight)
        var child = position
        var level = 0
        while level < depth {
            let sums = entries + offsets[UInt32(truncatingIfNeeded: level)]
            guard child & 7 == 0 else {
                sums[child] = sums[child &- 1] &+ earlier
                break
            }
            sums[child] = 0
            if child == 0 { break }
            earlier &+= sums[child &- 1]
            child >>= 3
            level &+= 1
        }
        last = (position, weight)
    }

    /// Asks the processor to fetch a position's lowest node.
    @inline(__always) func prefetch(_ position: Int) { assay_prefetch(entries + (position & (capacity &- 1))) }
}
