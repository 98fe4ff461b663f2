internal import CacheCore

/// A set of small numbers that says how many of them are below another: a bitmap and a Fenwick tree over its words.
///
/// Fenwick, "A new data structure for cumulative frequency tables", Software: Practice and Experience 24(3), 1994.
/// O(log n); 1.5 bits a number.
struct RankedBits: ~Copyable {
    private let words: FixedBuffer<UInt64>
    /// The sums of the tree, from index 1 on.
    private let sums: FixedBuffer<UInt32>

    /// An empty set of numbers below `count`.
    init(count: Int) {
        words = FixedBuffer(repeating: 0, count: count / 64 + 1)
        sums = FixedBuffer(repeating: 0, count: count / 64 + 2)
    }

    /// How many numbers in the set are below `number`.
    func countBefore(_ number: UInt32) -> Int {
        let word = number >> 6
        var sum = (words[word] & ((1 << UInt64(number & 63)) &- 1)).nonzeroBitCount
        var node = word
        while node > 0 {
            sum &+= Int(sums[node])
            node &= node &- 1
        }
        return sum
    }

    /// Adds a number that is not in the set.
    func set(_ number: UInt32) {
        words.update(number >> 6) { $0 |= 1 << UInt64(number & 63) }
        add(1, number)
    }

    /// Takes out a number that is in the set.
    func clear(_ number: UInt32) {
        words.update(number >> 6) { $0 &= ~(1 << UInt64(number & 63)) }
        add(.max, number)
    }

    /// Asks the processor to fetch a number's word.
    @inline(__always) func prefetch(_ number: UInt32) { words.prefetch(number >> 6) }

    private func add(_ change: UInt32, _ number: UInt32) {
        var node = number >> 6 &+ 1
        while Int(node) < sums.count {
            sums.update(node) { $0 &+= change }
            node &+= node & (0 &- node)
        }
    }
}
