import CacheCore

/// MQ after figure 5 of the paper, over one array of records: a queue is those records with its number, in order.
final class NaiveMQ: NaiveModel {
    private struct Block {
        var id: ObjectID
        var weight: Int
        var queue: Int
        var expires: Int
    }
    private let capacity: Int
    private let queues: Int
    private let lifetime: Int
    private let outLimit: Int
    private let dialect: String
    /// Least recently queued first.
    private var blocks: [Block] = []
    private var out = NaiveQueue()
    private var references: [ObjectID: Int] = [:]
    private var time = 0

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        queues = parameters.integer("queues")
        lifetime = parameters.integer("lifetime")
        outLimit = naiveShare(capacity, parameters, "ghost")
        dialect = parameters.text("dialect")
    }

    var residents: [ObjectID] { blocks.map(\.id) }
    var ghosts: [ObjectID] { out.ids }

    func remove(_ id: ObjectID) {
        blocks.removeAll { $0.id == id }
        out.take(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        if let held = blocks.first(where: { $0.id == request.id }) {
            blocks.removeAll { $0.id == request.id }
            reference(held.id, held.weight)
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        guard request.weight <= capacity else {
            out.take(request.id)
            return step
        }
        var isKnown = dialect != "paper" && out.take(request.id) != nil
        while blocks.reduce(0, { $0 + $1.weight }) + request.weight > capacity { step.evicted.append(evict()) }
        if dialect == "paper" { isKnown = out.take(request.id) != nil }
        if !isKnown { references[request.id] = 0 }
        reference(request.id, request.weight)
        return step
    }

    private func evict() -> ObjectID {
        let lowest = blocks.map(\.queue).min()!
        let victim = blocks.remove(at: blocks.firstIndex { $0.queue == lowest }!)
        if victim.weight <= outLimit {
            while out.weight + victim.weight > outLimit { _ = out.takeOldest() }
            out.append(victim.id, victim.weight)
        }
        return victim.id
    }

    private func reference(_ id: ObjectID, _ weight: Int) {
        references[id, default: 0] += 1
        var queue = 0
        while queue < queues - 1, 1 << (queue + 1) <= references[id]! { queue += 1 }
        blocks.append(Block(id: id, weight: weight, queue: queue, expires: time + lifetime))
        time += 1
        for queue in 0..<queues where queue > 0 {
            guard let oldest = blocks.firstIndex(where: { $0.queue == queue }), blocks[oldest].expires < time else {
                continue
            }
            var sunk = blocks.remove(at: oldest)
            sunk.queue -= 1
            sunk.expires = time + lifetime
            blocks.append(sunk)
        }
    }
}

/// The three lists of OpenBSD's buffer cache.
final class NaiveTuQueue: NaiveModel {
    private let capacity: Int
    private let hotLimit: Int
    private let warmLimit: Int
    private var hot = NaiveQueue()
    private var warm = NaiveQueue()
    private var cold = NaiveQueue()

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        hotLimit = naiveShare(capacity, parameters, "hot")
        warmLimit = naiveShare(capacity, parameters, "warm")
    }

    var residents: [ObjectID] { hot.ids + warm.ids + cold.ids }
    var ghosts: [ObjectID] { [] }

    func remove(_ id: ObjectID) {
        hot.take(id)
        warm.take(id)
        cold.take(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        if residents.contains(request.id) {
            hit(request.id)
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        guard request.weight <= capacity else { return step }
        while hot.weight + warm.weight + cold.weight + request.weight > capacity {
            // What would become cold next: the order in which the lists give way.
            step.evicted.append((cold.items + hot.items + warm.items)[0].id)
            remove(step.evicted.last!)
        }
        if request.weight > hotLimit {
            cold.append(request.id, request.weight)
        } else {
            hot.append(request.id, request.weight)
        }
        while hot.weight > hotLimit { fall(from: &hot) }
        return step
    }

    private func hit(_ id: ObjectID) {
        hot.refresh(id)
        warm.refresh(id)
        guard let object = cold.items.first(where: { $0.id == id }) else { return }
        guard object.weight <= warmLimit else { return cold.refresh(id) }
        cold.take(id)
        warm.append(id, object.weight)
        while warm.weight > warmLimit { fall(from: &warm) }
    }

    private func fall(from list: inout NaiveQueue) {
        let oldest = list.takeOldest()
        cold.append(oldest.id, oldest.weight)
    }
}
