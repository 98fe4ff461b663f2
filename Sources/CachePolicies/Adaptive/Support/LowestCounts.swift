internal import CacheCore

/// The smallest count of each block of a log, or a lower one, as a tree with the smallest of all on top.
///
/// To set a block and to find the smallest is O(log blocks). Memory: 16 bytes a block and up to as much again.
struct LowestCounts: ~Copyable {
    /// The smaller of two children at each node, the top at 1, the blocks in the last half.
    private let minima: FixedBuffer<UInt64>
    private let leaves: UInt32
    /// No block from this one on was set.
    private(set) var end: UInt32 = 0

    /// No counts, of at most so many blocks.
    init(blocks: Int) {
        var leaves = 1
        while leaves < blocks { leaves *= 2 }
        self.leaves = UInt32(leaves)
        minima = FixedBuffer(repeating: .max, count: 2 * leaves)
    }

    /// The first block whose count is the smallest, and that.
    var smallest: (block: UInt32, count: UInt64) {
        var node: UInt32 = 1
        while node < leaves { node = minima[2 * node] <= minima[2 * node + 1] ? 2 * node : 2 * node + 1 }
        return (node - leaves, minima[node])
    }

    /// Writes the smallest count of a block down, `.max` if there is none.
    mutating func set(_ block: UInt32, _ count: UInt64) {
        end = max(end, block + 1)
        var node = leaves + block
        minima[node] = count
        while node > 1 {
            node /= 2
            minima[node] = min(minima[2 * node], minima[2 * node + 1])
        }
    }

    /// Forgets all counts. O(blocks).
    mutating func clear() {
        guard end > 0 else { return }
        minima.base.update(repeating: .max, count: minima.count)
        end = 0
    }
}
