import CacheCore

/// Policies that order by size or cost, by a search for the first in that order.
class NaiveOrder: NaiveList {
    struct Facts {
        var used: Int
        var size: Int
        var cost: Double
    }

    var facts: [ObjectID: Facts] = [:]
    private var time = 0

    /// Lowest first; among equals the one that was asked for longest ago.
    func rank(_ facts: Facts) -> Double { 0 }

    override func access(_ request: NaiveRequest) -> NaiveStep {
        time += 1
        let step = super.access(request)
        if step.hit {
            facts[request.id]?.used = time
        } else {
            facts[request.id] = Facts(used: time, size: request.weight, cost: request.cost)
        }
        return step
    }

    override func takeVictim() -> ObjectID {
        let order = queue.ids.sorted { left, right in
            guard let a = facts[left], let b = facts[right] else { return false }
            return (rank(a), a.used) < (rank(b), b.used)
        }
        queue.take(order[0])
        return order[0]
    }
}

final class NaiveCheapestFirst: NaiveOrder {
    override func rank(_ facts: Facts) -> Double { facts.cost }
}

/// SIZE, and libCacheSim's, whose heap is written out here as a complete tree in an array: the largest at index 0.
final class NaiveSize: NaiveOrder {
    private var isHeap = false
    private var tree: [(id: ObjectID, size: Int)] = []

    required init(capacity: Int, parameters: ParameterValues) {
        super.init(capacity: capacity, parameters: parameters)
        isHeap = parameters.text("dialect") == "libcachesim"
    }

    override func rank(_ facts: Facts) -> Double { -Double(facts.size) }

    override func access(_ request: NaiveRequest) -> NaiveStep {
        let step = super.access(request)
        if step.hit {
            replace(at: tree.firstIndex { $0.id == request.id } ?? 0, by: (request.id, request.weight))
        } else if queue.contains(request.id) {
            tree.append((request.id, request.weight))
            climb(tree.count - 1)
        }
        return step
    }

    override func takeVictim() -> ObjectID {
        guard isHeap else {
            let victim = super.takeVictim()
            cut(victim)
            return victim
        }
        let victim = tree[0].id
        cut(victim)
        queue.take(victim)
        return victim
    }

    override func remove(_ id: ObjectID) {
        super.remove(id)
        cut(id)
    }

    private func cut(_ id: ObjectID) {
        guard let index = tree.firstIndex(where: { $0.id == id }) else { return }
        let last = tree.removeLast()
        if index < tree.count { replace(at: index, by: last) }
    }

    private func replace(at index: Int, by node: (id: ObjectID, size: Int)) {
        let grew = node.size > tree[index].size
        tree[index] = node
        if grew { climb(index) } else { descend(index) }
    }

    /// Swaps a node with parents that are smaller.
    private func climb(_ index: Int) {
        let parent = (index + 1) / 2 - 1
        guard index > 0, tree[parent].size < tree[index].size else { return }
        tree.swapAt(index, parent)
        climb(parent)
    }

    /// Swaps a node with the larger child, the left one of equals, while that is larger than the node.
    private func descend(_ index: Int) {
        let children = [2 * index + 1, 2 * index + 2].filter { $0 < tree.count }
        guard let largest = children.map({ tree[$0].size }).max(), largest > tree[index].size,
            let child = children.first(where: { tree[$0].size == largest })
        else { return }
        tree.swapAt(index, child)
        descend(child)
    }
}
