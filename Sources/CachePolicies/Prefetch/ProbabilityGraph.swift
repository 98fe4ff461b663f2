internal import CacheCore

/// Nodes with counted arcs, and for each node a heap that knows the arc with the highest count.
///
/// The order of arcs with equal counts is that of a binary heap into which they were inserted one by one. 20 to 28 bytes an arc.
struct ProbabilityGraph {
    private struct Arc {
        let target: ObjectID
        var count: UInt32 = 1
        /// The place in the heap of its node; ``dropped`` if it has none any more.
        var place: UInt32
    }

    private struct Node {
        var total = 0
        /// Arcs; no count is above that of its parent.
        var heap: [UInt32] = []
    }

    private static let dropped = UInt32.max
    /// Whether an arc whose count grows goes down its heap where a child has a higher one, and never up: libCacheSim's slip.
    private let sinksGrown: Bool
    private var arcs: [Arc] = []
    private var nodes: [Node] = []
    private var index = ArcIndex()
    private var taken: [UInt32] = []
    /// Whether the last arc that was followed had not been there before.
    private(set) var isNew = false

    /// A graph without nodes.
    init(sinksGrown: Bool) { self.sinksGrown = sinksGrown }

    /// A node without arcs.
    mutating func addNode() -> UInt32 {
        nodes.append(Node())
        return UInt32(nodes.count - 1)
    }

    /// Adds to what the shares of a node's arcs are of.
    mutating func count(at node: UInt32) { nodes[Int(node)].total &+= 1 }

    /// Counts an arc; returns false if there is none and none may be added.
    mutating func follow(_ target: ObjectID, from node: UInt32, adds: Bool) -> Bool {
        let key = UInt64(node) << 32 | UInt64(target)
        isNew = false
        if let arc = index[key] {
            arcs[Int(arc)].count &+= 1
            let place = arcs[Int(arc)].place
            if sinksGrown {
                // There a dropped arc is still taken for the first.
                sink(place == Self.dropped ? 0 : place, at: Int(node))
            } else if place != Self.dropped {
                rise(place, at: Int(node))
            }
            return true
        }
        guard adds else { return false }
        isNew = true
        let arc = UInt32(arcs.count)
        arcs.append(Arc(target: target, place: 0))
        index.insert(key, arc)
        insert(arc, at: Int(node))
        return true
    }

    /// Appends the targets of all arcs whose share is above a threshold, those with the lowest counts first.
    ///
    /// - Parameter dropsNext: Whether the arc with the next lower share leaves the heap for good.
    mutating func takeLikely(
        at node: UInt32, above threshold: Double, dropsNext: Bool, into targets: inout [ObjectID]
    ) {
        let node = Int(node)
        let total = Double(nodes[node].total)
        while let arc = nodes[node].heap.first {
            let isLikely = Double(arcs[Int(arc)].count) / total > threshold
            guard isLikely || dropsNext else { break }
            removeFirst(at: node)
            guard isLikely else { break }
            taken.append(arc)
        }
        while let arc = taken.popLast() {
            targets.append(arcs[Int(arc)].target)
            insert(arc, at: node)
        }
    }

    private mutating func insert(_ arc: UInt32, at node: Int) {
        nodes[node].heap.append(arc)
        rise(UInt32(nodes[node].heap.count - 1), at: node)
    }

    private mutating func rise(_ start: UInt32, at node: Int) {
        var place = Int(start)
        let arc = nodes[node].heap[place]
        while place > 0 {
            let parent = (place - 1) / 2
            guard weight(parent, node) < arcs[Int(arc)].count else { break }
            set(nodes[node].heap[parent], place, node)
            place = parent
        }
        set(arc, place, node)
    }

    private mutating func removeFirst(at node: Int) {
        arcs[Int(nodes[node].heap[0])].place = Self.dropped
        let last = nodes[node].heap.removeLast()
        guard !nodes[node].heap.isEmpty else { return }
        set(last, 0, node)
        sink(0, at: node)
    }

    private mutating func sink(_ start: UInt32, at node: Int) {
        let count = nodes[node].heap.count
        guard count > 0 else { return }
        var place = Int(start)
        let arc = nodes[node].heap[place]
        while 2 * place + 1 < count {
            var child = 2 * place + 1
            if child + 1 < count, weight(child, node) < weight(child + 1, node) { child += 1 }
            guard arcs[Int(arc)].count < weight(child, node) else { break }
            set(nodes[node].heap[child], place, node)
            place = child
        }
        set(arc, place, node)
    }

    private func weight(_ place: Int, _ node: Int) -> UInt32 { arcs[Int(nodes[node].heap[place])].count }

    private mutating func set(_ arc: UInt32, _ place: Int, _ node: Int) {
        nodes[node].heap[place] = arc
        arcs[Int(arc)].place = UInt32(place)
    }
}

/// The arc of each pair of node and target: open addressing with linear probing, at most half full.
private struct ArcIndex {
    private var keys = [UInt64](repeating: .max, count: 1024)
    private var arcs = [UInt32](repeating: 0, count: 1024)
    private var count = 0

    subscript(key: UInt64) -> UInt32? {
        let place = place(of: key)
        return keys[place] == key ? arcs[place] : nil
    }

    mutating func insert(_ key: UInt64, _ arc: UInt32) {
        if 2 * (count + 1) > keys.count { grow() }
        let place = place(of: key)
        (keys[place], arcs[place]) = (key, arc)
        count += 1
    }

    private func place(of key: UInt64) -> Int {
        let mask = keys.count - 1
        var place = Int(truncatingIfNeeded: mix64(key)) & mask
        while keys[place] != key, keys[place] != .max { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = (keys, arcs)
        keys = [UInt64](repeating: .max, count: 2 * old.0.count)
        arcs = [UInt32](repeating: 0, count: 2 * old.0.count)
        for (key, arc) in zip(old.0, old.1) where key != .max {
            let place = place(of: key)
            (keys[place], arcs[place]) = (key, arc)
        }
    }
}
