import CacheCore

/// FIFO, LIFO, LRU and MRU over one array.
class NaiveList: NaiveModel {
    let capacity: Int
    var queue = NaiveQueue()
    var residents: [ObjectID] { queue.ids }
    var ghosts: [ObjectID] { [] }

    required init(capacity: Int, parameters: ParameterValues) { self.capacity = capacity }

    func hit(_ id: ObjectID) {}
    func takeVictim() -> ObjectID { queue.takeOldest().id }
    func remove(_ id: ObjectID) { queue.take(id) }

    func access(_ request: NaiveRequest) -> NaiveStep {
        if queue.contains(request.id) {
            hit(request.id)
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        guard request.weight <= capacity else { return step }
        while queue.weight + request.weight > capacity { step.evicted.append(takeVictim()) }
        queue.append(request.id, request.weight)
        return step
    }
}

final class NaiveFIFO: NaiveList {}

final class NaiveLIFO: NaiveList {
    override func takeVictim() -> ObjectID { queue.items.removeLast().id }
}

final class NaiveLRU: NaiveList {
    override func hit(_ id: ObjectID) { queue.refresh(id) }
}

final class NaiveMRU: NaiveList {
    override func hit(_ id: ObjectID) { queue.refresh(id) }
    override func takeVictim() -> ObjectID { queue.items.removeLast().id }
}

/// SIEVE with the hand as an index into an array, oldest first.
final class NaiveSIEVE: NaiveList {
    private var visited: Set<ObjectID> = []
    private var hand = 0

    override func hit(_ id: ObjectID) { visited.insert(id) }

    override func takeVictim() -> ObjectID {
        if hand >= queue.items.count { hand = 0 }
        while visited.remove(queue.items[hand].id) != nil {
            hand = (hand + 1) % queue.items.count
        }
        return takeAt(hand)
    }

    override func remove(_ id: ObjectID) {
        visited.remove(id)
        guard let index = queue.items.firstIndex(where: { $0.id == id }) else { return }
        _ = takeAt(index)
    }

    private func takeAt(_ index: Int) -> ObjectID {
        let id = queue.items.remove(at: index).id
        if index < hand { hand -= 1 }
        // At the newest object the hand starts again from the oldest, whatever enters meanwhile.
        if hand >= queue.items.count { hand = 0 }
        return id
    }
}

/// CLOCK as a ring that is turned.
final class NaiveClock: NaiveList {
    private var counts: [ObjectID: Int] = [:]
    private var largest = 1
    private var first = 0
    private var newcomerFirst = false

    required init(capacity: Int, parameters: ParameterValues) {
        super.init(capacity: capacity, parameters: parameters)
        largest = (1 << parameters.integer("bits")) - 1
        first = parameters.integer("init")
        newcomerFirst = parameters.text("dialect") == "caffeine"
    }

    override func hit(_ id: ObjectID) { counts[id] = min(largest, counts[id, default: 0] + 1) }

    override func access(_ request: NaiveRequest) -> NaiveStep {
        if newcomerFirst, !queue.contains(request.id), request.weight <= capacity {
            var step = NaiveStep(hit: false)
            counts[request.id] = first
            queue.append(request.id, request.weight)
            while queue.weight > capacity { step.evicted.append(takeVictim()) }
            return step
        }
        let step = super.access(request)
        if !step.hit { counts[request.id] = first }
        return step
    }

    override func takeVictim() -> ObjectID {
        while true {
            let oldest = queue.takeOldest()
            let count = counts[oldest.id, default: 0]
            if count == 0 { return oldest.id }
            counts[oldest.id] = count - 1
            queue.append(oldest.id, oldest.weight)
        }
    }
}

/// LRU whose hits promote if a real number from the same generator is below the probability.
final class NaiveLRUProb: NaiveList {
    private var probability = 0.0
    private var generator = SeededGenerator(seed: 1)

    required init(capacity: Int, parameters: ParameterValues) {
        super.init(capacity: capacity, parameters: parameters)
        probability = parameters.number("probability")
    }

    override func hit(_ id: ObjectID) {
        if generator.nextUnit() < probability { queue.refresh(id) }
    }
}

/// Everything that was ever asked for.
final class NaiveInfinite: NaiveModel {
    private var seen: Set<ObjectID> = []
    var residents: [ObjectID] { Array(seen) }
    var ghosts: [ObjectID] { [] }

    init(capacity: Int, parameters: ParameterValues) {}
    func access(_ request: NaiveRequest) -> NaiveStep { NaiveStep(hit: !seen.insert(request.id).inserted) }
    func remove(_ id: ObjectID) { seen.remove(id) }
}
