import CacheCore

/// Segmented LRU with an array of queues.
final class NaiveSLRU: NaiveModel {
    private let capacity: Int
    private let limits: [Int]
    private let isPaper: Bool
    private let isFirstVersion: Bool
    private var segments: [NaiveQueue]
    private var pushedOut: [ObjectID] = []

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        isPaper = parameters.text("dialect") == "paper"
        let isFirst = parameters.text("dialect") == "libcachesim-v0"
        isFirstVersion = isFirst
        let count = parameters.integer("segments")
        let text = parameters.text("shares")
        let shares =
            text.isEmpty
            ? (count == 2 && !isFirst ? [1, 4] : [Double](repeating: 1, count: count))
            : text.split(separator: ":").map { Double($0)! }
        limits = shares.map { isFirst ? capacity / count : Int($0 / shares.reduce(0, +) * Double(capacity)) }
        segments = Array(repeating: NaiveQueue(), count: count)
    }

    var residents: [ObjectID] { segments.flatMap(\.ids) }
    var ghosts: [ObjectID] { pushedOut }

    func remove(_ id: ObjectID) {
        pushedOut.removeAll { $0 == id }
        for index in segments.indices { segments[index].take(id) }
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        if let level = segments.firstIndex(where: { $0.contains(request.id) }) {
            promote(request.id, from: level)
            return NaiveStep(hit: true)
        }
        guard request.weight <= capacity else {
            pushedOut.removeAll { $0 == request.id }
            return NaiveStep(hit: false)
        }
        var step = NaiveStep(hit: false, evicted: pushedOut)
        pushedOut = []
        if !isPaper, request.weight > limits[0] { return step }
        while segments.reduce(0, { $0 + $1.weight }) + request.weight > capacity {
            let lowest = segments.firstIndex { !$0.isEmpty }!
            step.evicted.append(segments[lowest].takeOldest().id)
        }
        let roomy = segments.indices.first { segments[$0].weight + request.weight <= limits[$0] }
        while isFirstVersion, roomy == nil, segments[0].weight + request.weight > limits[0] {
            step.evicted.append(segments[0].takeOldest().id)
        }
        segments[isPaper ? 0 : roomy ?? 0].append(request.id, request.weight)
        return step
    }

    private func promote(_ id: ObjectID, from level: Int) {
        let weight = segments[level].items.first { $0.id == id }!.weight
        guard level + 1 < segments.count, !isPaper || weight <= limits[level + 1] else {
            if !isFirstVersion { segments[level].refresh(id) }
            return
        }
        segments[level].take(id)
        segments[level + 1].append(id, weight)
        cool(level + 1)
    }

    private func cool(_ level: Int) {
        if level == 0, isPaper { return }
        while segments[level].weight > limits[level] {
            let oldest = segments[level].takeOldest()
            if level == 0 {
                pushedOut.append(oldest.id)
            } else {
                segments[level - 1].append(oldest.id, oldest.weight)
                cool(level - 1)
            }
        }
    }
}

/// 2Q over three queues.
final class NaiveTwoQ: NaiveModel {
    private let capacity: Int
    private let inLimit: Int
    private let outLimit: Int
    private let isPaper: Bool
    private var a1in = NaiveQueue()
    private var am = NaiveQueue()
    private var a1out = NaiveQueue()

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        inLimit = naiveShare(capacity, parameters, "in")
        outLimit = naiveShare(capacity, parameters, "out")
        isPaper = parameters.text("dialect") == "paper"
    }

    var residents: [ObjectID] { a1in.ids + am.ids }
    var ghosts: [ObjectID] { a1out.ids }

    func remove(_ id: ObjectID) {
        a1in.take(id)
        am.take(id)
        a1out.take(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        if a1in.contains(request.id) { return NaiveStep(hit: true) }
        if am.contains(request.id) {
            am.refresh(request.id)
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        let known = a1out.take(request.id) != nil
        guard request.weight <= capacity, isPaper || request.weight <= inLimit else { return step }
        while a1in.weight + am.weight + request.weight > capacity {
            if a1in.weight > inLimit || am.isEmpty {
                let oldest = a1in.takeOldest()
                step.evicted.append(oldest.id)
                remember(oldest)
            } else {
                step.evicted.append(am.takeOldest().id)
            }
        }
        if known, !isPaper, request.weight > capacity - inLimit { return step }
        if known {
            while !isPaper, am.weight + request.weight > capacity - inLimit {
                step.evicted.append(am.takeOldest().id)
            }
            am.append(request.id, request.weight)
        } else {
            a1in.append(request.id, request.weight)
        }
        return step
    }

    private func remember(_ object: (id: ObjectID, weight: Int)) {
        guard object.weight <= outLimit else { return }
        while a1out.weight + object.weight > outLimit { _ = a1out.takeOldest() }
        a1out.append(object.id, object.weight)
    }
}
