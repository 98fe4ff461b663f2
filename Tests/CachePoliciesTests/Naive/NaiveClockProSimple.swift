import CacheCore

/// CLOCK-Pro Simple over three arrays, oldest first, and dictionaries of epochs and bits.
final class NaiveClockProSimple: NaiveModel {
    private let c: Int
    private let leastCold: Int
    private var hot = NaiveQueue()
    private var cold = NaiveQueue()
    private var left = NaiveQueue()
    private var epochs: [ObjectID: Int] = [:]
    private var marked: Set<ObjectID> = []
    private var now = 0
    private var target = 0
    private var step = NaiveStep(hit: false)

    required init(capacity: Int, parameters: ParameterValues) {
        c = capacity
        leastCold = capacity / 100
    }

    var residents: [ObjectID] { hot.ids + cold.ids }
    var ghosts: [ObjectID] { left.ids }

    func remove(_ id: ObjectID) {
        hot.take(id)
        cold.take(id)
        left.take(id)
        marked.remove(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let (id, weight) = (request.id, request.weight)
        if residents.contains(id) {
            marked.insert(id)
            return NaiveStep(hit: true)
        }
        step = NaiveStep(hit: false)
        guard weight <= c else {
            remove(id)
            return step
        }
        var isHot: Bool
        if left.take(id) != nil {
            isHot = mayPromote(id, weight)
        } else {
            now += 1
            isHot = hot.weight + cold.weight + weight <= c - leastCold
        }
        if isHot { hot.append(id, weight) } else { cold.append(id, weight) }
        epochs[id] = now
        makeRoom()
        return step
    }

    private func makeRoom() {
        while hot.weight + cold.weight > c {
            if !cold.isEmpty {
                judge(cold.items[0].id)
            } else if !demote(upTo: now) {
                let oldest = hot.takeOldest()
                cold.append(oldest.id, oldest.weight)
            }
        }
        while let ghost = left.ids.first, !isInTest(ghost) { forgetOldest() }
    }

    private func isInTest(_ id: ObjectID) -> Bool {
        guard let oldest = hot.ids.first else { return true }
        return epochs[oldest]! < epochs[id]!
    }

    private func mayPromote(_ id: ObjectID, _ weight: Int) -> Bool {
        guard isInTest(id) else { return false }
        adjust(weight)
        while !hot.isEmpty, hot.weight + weight > c - target {
            guard demote(upTo: epochs[id]!) else { return false }
        }
        return isInTest(id)
    }

    private func judge(_ id: ObjectID) {
        let weight = cold.items[0].weight
        if marked.remove(id) != nil {
            let isHot = mayPromote(id, weight)
            cold.take(id)
            if isHot { hot.append(id, weight) } else { cold.append(id, weight) }
            now += 1
            epochs[id] = now
            return
        }
        cold.take(id)
        step.evicted.append(id)
        if isInTest(id) { left.append(id, weight) }
        while left.weight > c { forgetOldest() }
    }

    private func demote(upTo epoch: Int) -> Bool {
        var last = epoch
        while let oldest = hot.items.first, epochs[oldest.id]! <= last {
            _ = hot.takeOldest()
            guard marked.remove(oldest.id) != nil else {
                cold.append(oldest.id, oldest.weight)
                return true
            }
            last += 1
            epochs[oldest.id] = last
            hot.append(oldest.id, oldest.weight)
        }
        return false
    }

    private func forgetOldest() { adjust(-left.takeOldest().weight) }

    private func adjust(_ delta: Int) { target = max(leastCold, min(c - leastCold, target + delta)) }
}
