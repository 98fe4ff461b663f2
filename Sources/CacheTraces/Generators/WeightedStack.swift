internal import CacheCore

/// Objects in order of their last request, each with a weight, which an object between two places can be drawn by.
///
/// Each request takes the next position of a log. A Fenwick tree over positions holds in one word how many objects and how much
/// weight lie before a position. When the log is full, positions are renumbered without their gaps in a log of at least twice the
/// objects.
struct WeightedStack {
    /// The number of objects.
    private(set) var count = 0
    private var weights: [UInt32] = []
    /// The object at each position, `nobody` where it has moved on.
    private var objects: [UInt32]
    /// Objects in the upper half of each word, weights in the lower. The sum of the weights is below 2^32, as that of requests is.
    private var tree: [UInt64]
    private var head = 0

    private static let nobody = UInt32.max

    /// An empty stack. `positions`, a power of two, is the length of the first log.
    init(positions: Int = 1 << 10) {
        objects = [UInt32](repeating: Self.nobody, count: positions)
        tree = [UInt64](repeating: 0, count: positions + 1)
    }

    /// Puts a new object on top and returns its number, the next from 0.
    mutating func push(weight: UInt32) -> UInt32 {
        let object = UInt32(weights.count)
        weights.append(weight)
        place(object)
        return object
    }

    /// Some places of the stack in a row.
    struct Places {
        fileprivate var farthestRank: Int
        fileprivate var count: Int
        fileprivate var nearestPosition: Int
        fileprivate var weightBefore: UInt64
        /// The weight of the objects there.
        fileprivate(set) var weight: UInt64
    }

    /// The places between two, 1 for the top.
    func places(from nearest: Int, through farthest: Int) -> Places {
        let last = select(count - nearest + 1)
        let before = farthest == nearest ? last.before : select(count - farthest + 1).before
        return Places(
            farthestRank: count - farthest + 1, count: farthest - nearest + 1, nearestPosition: last.position,
            weightBefore: before, weight: last.before + UInt64(weights[Int(objects[last.position])]) - before)
    }

    /// Moves an object from one of some places, which must be of the stack as it is, to the top, and returns it; its weight, unless it is
    /// 0, is one less then. The likelihood of each is its weight's share; all are equally likely if there is no weight among them.
    mutating func touch(_ places: Places, _ random: inout SeededGenerator) -> UInt32 {
        var position = places.nearestPosition
        if places.count > 1 {
            position =
                places.weight > 0
                ? self.position(ofWeight: places.weightBefore + random.next(below: places.weight))
                : select(places.farthestRank + random.next(below: places.count)).position
        }
        let object = objects[position]
        objects[position] = Self.nobody
        add(0 &- word(object), at: position)
        count -= 1
        if weights[Int(object)] > 0 { weights[Int(object)] -= 1 }
        place(object)
        return object
    }

    private func word(_ object: UInt32) -> UInt64 { 1 << 32 | UInt64(weights[Int(object)]) }

    private mutating func place(_ object: UInt32) {
        if head == objects.count { renumber() }
        objects[head] = object
        add(word(object), at: head)
        head += 1
        count += 1
    }

    private mutating func add(_ word: UInt64, at position: Int) {
        var index = position + 1
        while index < tree.count {
            tree[index] &+= word
            index += index & -index
        }
    }

    /// The position of the object with this many in the stack up to it, from the bottom, and the weight before it.
    private func select(_ rank: Int) -> (position: Int, before: UInt64) {
        var (place, passed, step) = (0, UInt64(0), objects.count)
        while step > 0 {
            let next = place + step
            if next < tree.count, Int((passed &+ tree[next]) >> 32) < rank {
                place = next
                passed &+= tree[next]
            }
            step >>= 1
        }
        return (place, passed & 0xffff_ffff)
    }

    /// The position of the object that holds a unit of weight, counted from the bottom from 0.
    private func position(ofWeight weight: UInt64) -> Int {
        var (place, passed, step) = (0, UInt64(0), objects.count)
        while step > 0 {
            let next = place + step
            if next < tree.count, (passed &+ tree[next]) & 0xffff_ffff <= weight {
                place = next
                passed &+= tree[next]
            }
            step >>= 1
        }
        return place
    }

    private mutating func renumber() {
        let live = objects.filter { $0 != Self.nobody }
        var capacity = objects.count
        while capacity < 2 * live.count { capacity *= 2 }
        objects = live + [UInt32](repeating: Self.nobody, count: capacity - live.count)
        tree = [0] + objects.map { $0 == Self.nobody ? 0 : word($0) }
        for index in 1..<tree.count {
            let parent = index + (index & -index)
            if parent < tree.count { tree[parent] &+= tree[index] }
        }
        head = live.count
    }
}
