import CacheCore

/// The double clock over three queues.
final class NaiveDClock: NaiveModel {
    private let capacity: Int
    private let activeLimit: Int
    private let countsOwnEviction: Bool
    private var inactive = NaiveQueue()
    private var active = NaiveQueue()
    private var marked: Set<ObjectID> = []
    private var shadows = NaiveQueue()
    private var leftAt: [ObjectID: Int] = [:]
    private var age = 0

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        activeLimit = min(naiveShare(capacity, parameters, "active"), capacity - 1)
        countsOwnEviction = parameters.text("dialect") == "paper"
    }

    var residents: [ObjectID] { inactive.ids + active.ids }
    var ghosts: [ObjectID] { shadows.ids }

    func remove(_ id: ObjectID) {
        inactive.take(id)
        active.take(id)
        marked.remove(id)
        shadows.take(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let (id, weight) = (request.id, request.weight)
        if active.contains(id) {
            marked.insert(id)
            return NaiveStep(hit: true)
        }
        if let known = inactive.take(id) {
            if known > activeLimit {
                inactive.append(id, known)
            } else {
                age += known
                activate(id, known)
            }
            return NaiveStep(hit: true)
        }
        let isShadow = shadows.take(id) != nil
        var step = NaiveStep(hit: false)
        guard weight <= capacity else { return step }
        let returnsSoon = isShadow && weight <= activeLimit && age - leftAt[id]! <= active.weight
        if returnsSoon { age += weight }
        while inactive.weight + active.weight + weight > capacity {
            if inactive.isEmpty { demote() }
            let victim = inactive.takeOldest()
            step.evicted.append(victim.id)
            leftAt[victim.id] = age + (countsOwnEviction ? victim.weight : 0)
            age += victim.weight
            guard victim.weight <= activeLimit else { continue }
            shadows.append(victim.id, victim.weight)
            while shadows.weight > activeLimit { _ = shadows.takeOldest() }
        }
        if returnsSoon { activate(id, weight) } else { inactive.append(id, weight) }
        return step
    }

    private func activate(_ id: ObjectID, _ weight: Int) {
        while active.weight + weight > activeLimit { demote() }
        active.append(id, weight)
    }

    private func demote() {
        let oldest = active.takeOldest()
        if marked.remove(oldest.id) != nil {
            active.append(oldest.id, oldest.weight)
            return demote()
        }
        inactive.append(oldest.id, oldest.weight)
    }
}
