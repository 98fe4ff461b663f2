import CacheCore

/// FIFO-merge with a sorted batch.
final class NaiveFIFOMerge: NaiveList {
    private var examined = 0
    private var losses = 0
    private var isRecency = false
    private var isPaper = true
    private var reinserts = false
    private var hits: [ObjectID: Int] = [:]
    private var uses: [ObjectID: Int] = [:]
    private var time = 0
    private var cursor: ObjectID?
    private var batch: [(value: Double, id: ObjectID)] = []
    private var due = 0
    /// The two halves of the state of Lehmer's generator.
    private var state: (high: UInt64, low: UInt64) = (0, 1)

    required init(capacity: Int, parameters: ParameterValues) {
        super.init(capacity: capacity, parameters: parameters)
        examined = parameters.integer("examine")
        isPaper = parameters.text("dialect") == "paper"
        isRecency = parameters.text("retain") == "recency"
        losses = examined - parameters.integer("keep")
        reinserts = parameters.text("dialect") == "libcachesim-reinsertion"
        if parameters.text("dialect") == "libcachesim" { losses = max(1, losses - 1) }
    }

    override func remove(_ id: ObjectID) {
        if cursor == id { cursor = follower(of: id) }
        batch.removeAll { $0.id == id }
        super.remove(id)
    }

    override func access(_ request: NaiveRequest) -> NaiveStep {
        time += 1
        let step = reinserts && !queue.contains(request.id) ? missInBatches(request) : super.access(request)
        hits[request.id] = step.hit ? hits[request.id, default: 0] + 1 : 0
        uses[request.id] = time
        return step
    }

    override func takeVictim() -> ObjectID {
        if due == 0 || batch.isEmpty {
            if queue.items.count <= examined {
                cursor = nil
                due = 0
                return queue.takeOldest().id
            }
            examine()
        }
        due -= 1
        let victim = batch.removeFirst().id
        if cursor == victim { cursor = follower(of: victim) }
        queue.take(victim)
        return victim
    }

    /// A whole batch leaves at once, and what stays goes to the end.
    private func missInBatches(_ request: NaiveRequest) -> NaiveStep {
        var step = NaiveStep(hit: false)
        guard request.weight <= capacity else { return step }
        while queue.weight + request.weight > capacity {
            if queue.items.count <= examined {
                let victim = cursor ?? queue.items[0].id
                cursor = follower(of: victim)
                queue.take(victim)
                step.evicted.append(victim)
                continue
            }
            examine()
            for (number, object) in batch.enumerated() {
                if number < losses {
                    queue.take(object.id)
                    step.evicted.append(object.id)
                } else {
                    hits[object.id] = (hits[object.id]! + 1) / 2
                    queue.refresh(object.id)
                }
            }
        }
        queue.append(request.id, request.weight)
        return step
    }

    private func examine() {
        batch = []
        for _ in 0..<examined {
            let id = cursor ?? queue.items[0].id
            batch.append((value(of: id), id))
            cursor = follower(of: id)
        }
        let order = batch.enumerated().sorted { ($0.element.value, $0.offset) < ($1.element.value, $1.offset) }
        batch = order.map(\.element)
        due = losses
    }

    private func follower(of id: ObjectID) -> ObjectID? {
        guard let place = queue.items.firstIndex(where: { $0.id == id }) else { return nil }
        return place + 1 < queue.items.count ? queue.items[place + 1].id : nil
    }

    private func value(of id: ObjectID) -> Double {
        let size = Double(max(1, queue.items.first { $0.id == id }!.weight))
        if isRecency { return 1_000_000_000_000 / Double(time - uses[id]!) / size }
        if isPaper { return Double(hits[id]!) / size }
        return 1_000_000 * (Double(hits[id]!) + Double(draw() % 1000) / 10_000) / size
    }

    private func draw() -> UInt64 {
        let factor: UInt64 = 0xDA94_2042_E4DD_58B5
        let product = state.low.multipliedFullWidth(by: factor)
        state = (product.high &+ state.high &* factor, product.low)
        return state.high
    }
}

/// Bélády's choice by size over two arrays: objects that are asked for again, and objects that are not.
///
/// A place that falls free is filled by the last object of the same array, so that the draws hit the same objects.
final class NaiveBeladySize: NaiveModel {
    private let capacity: Int
    private let samples: Int
    private var generator = SeededGenerator(seed: 1)
    private var needed: [(id: ObjectID, weight: Int, next: Int)] = []
    private var done: [(id: ObjectID, weight: Int)] = []
    private var time = -1

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        samples = parameters.integer("samples")
    }

    var residents: [ObjectID] { needed.map(\.id) + done.map(\.id) }
    var ghosts: [ObjectID] { [] }
    private var weight: Int { needed.reduce(0) { $0 + $1.weight } + done.reduce(0) { $0 + $1.weight } }

    func remove(_ id: ObjectID) {
        if let place = needed.firstIndex(where: { $0.id == id }) {
            takeNeeded(place)
            if let last = done.popLast() { done.insert(last, at: 0) }
        } else if let place = done.firstIndex(where: { $0.id == id }) {
            done.swapAt(place, done.count - 1)
            done.removeLast()
        }
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        time += 1
        if let place = needed.firstIndex(where: { $0.id == request.id }) {
            needed[place].next = request.next
            if request.next == Request.never {
                let object = needed[place]
                takeNeeded(place)
                done.insert((object.id, object.weight), at: 0)
            }
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        guard request.weight <= capacity, request.next != Request.never else { return step }
        while weight + request.weight > capacity {
            let victim = done.last?.id ?? worst()
            step.evicted.append(victim)
            remove(victim)
        }
        needed.append((request.id, request.weight, request.next))
        if !done.isEmpty { done.append(done.removeFirst()) }
        return step
    }

    private func takeNeeded(_ place: Int) {
        needed.swapAt(place, needed.count - 1)
        needed.removeLast()
    }

    private func worst() -> ObjectID {
        let isExact = samples == 0 || needed.count <= samples
        let drawn = isExact ? needed : (0..<samples).map { _ in needed[generator.next(below: needed.count)] }
        let values = drawn.map { Double($0.weight) * Double($0.next - time) }
        return drawn[values.firstIndex(of: values.max()!)!].id
    }
}
