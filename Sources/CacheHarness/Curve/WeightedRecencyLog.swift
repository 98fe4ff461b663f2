internal import CacheCore

/// The objects in order of their last request with their sizes, which says how many bytes were asked for since.
///
/// As ``RecencyLog``, but each position of the log weighs its object's size, and the tree over them has eight children a
/// node down to the single position. An object's size is the one that it was first asked for with: what a cache admits it
/// with that is never full. O(log n) a request with eight-fold steps; 12 bytes an object and 9 for each of at most 8
/// positions a live object.
struct WeightedRecencyLog: ~Copyable, PriorityStack {
    private static var absent: UInt32 { .max }

    private let positions: FixedBuffer<UInt32>
    private let sizes: FixedBuffer<Int>
    private var tree: WeightTree
    private var head = 0
    /// The number of objects in the log.
    private(set) var count = 0
    /// The sum of their sizes.
    private(set) var weight = 0
    /// Whether an object in the log was asked for with another size than its first.
    private(set) var hasChangingSizes = false
    /// The largest size of all objects so far.
    private(set) var largestSize = 0

    /// An empty log for that many ids; `positions` as in ``RecencyLog``.
    init(objects: Int, positions: Int = 1 << 12) {
        self.positions = FixedBuffer(repeating: Self.absent, count: objects)
        sizes = FixedBuffer(repeating: 0, count: objects)
        tree = WeightTree(capacity: positions)
    }

    /// Moves an object to the front and returns its distance before: the sizes of all objects asked for since its last
    /// request, its own included; -1 for an object that is not in the log.
    @inline(__always)
    mutating func request(_ id: ObjectID, size: Int) -> Int {
        var distance = -1
        let last = positions[id]
        if last != Self.absent {
            let own = sizes[id]
            distance = weight &- tree.before(Int(last))
            tree.take(own, at: Int(last))
            if own != size { hasChangingSizes = true }
        } else {
            sizes[id] = size
            weight &+= size
            count &+= 1
            largestSize = max(largestSize, size)
        }
        if head == tree.capacity { renumber(moving: id) }
        tree.append(sizes[id], at: head)
        positions[id] = UInt32(truncatingIfNeeded: head)
        head &+= 1
        return distance
    }

    /// Takes an object out of the log.
    mutating func remove(_ id: ObjectID) {
        let last = positions[id]
        guard last != Self.absent else { return }
        tree.take(sizes[id], at: Int(last))
        positions[id] = Self.absent
        weight &-= sizes[id]
        count &-= 1
    }

    /// The size that an object in the log weighs.
    func size(of id: ObjectID) -> Int { sizes[id] }

    /// Hints that an object will be asked for in a while.
    @inline(__always) func prefetch(_ id: ObjectID) {
        positions.prefetch(id)
        sizes.prefetch(id)
    }

    /// Hints that an object whose hint was given before will be asked for soon.
    @inline(__always) func prefetchCounts(_ id: ObjectID) { tree.prefetch(Int(positions[id])) }

    /// Gives every object but `moving` a position without gaps before it, in a log that has room again.
    private mutating func renumber(moving id: ObjectID) {
        positions[id] = Self.absent
        let live = count - 1
        var capacity = tree.capacity
        while capacity < 4 * live { capacity *= 2 }
        precondition(capacity <= 1 << 32, "more objects than positions of 32 bits can order")
        let order = FixedBuffer<UInt32>(repeating: Self.absent, count: tree.capacity)
        for object in 0..<UInt32(positions.count) where positions[object] != Self.absent {
            order[positions[object]] = object
        }
        tree = WeightTree(capacity: capacity)
        head = 0
        for position in 0..<order.count {
            let object = order[UInt32(position)]
            guard object != Self.absent else { continue }
            tree.append(sizes[object], at: head)
            positions[object] = UInt32(head)
            head += 1
        }
    }
}
