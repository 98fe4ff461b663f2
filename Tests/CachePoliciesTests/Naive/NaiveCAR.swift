import CacheCore

/// CAR over four queues and a set of referenced objects, after figure 2 of the paper.
final class NaiveCAR: NaiveModel {
    private let c: Int
    private let dialect: String
    private var t1 = NaiveQueue()
    private var t2 = NaiveQueue()
    private var b1 = NaiveQueue()
    private var b2 = NaiveQueue()
    private var referenced: Set<ObjectID> = []
    private var p = 0.0
    private var seenInB1 = false
    private var seenInB2 = false
    private var step = NaiveStep(hit: false)

    required init(capacity: Int, parameters: ParameterValues) {
        c = capacity
        dialect = parameters.text("dialect")
    }

    var residents: [ObjectID] { t1.ids + t2.ids }
    var ghosts: [ObjectID] { b1.ids + b2.ids }

    func remove(_ id: ObjectID) {
        t1.take(id)
        t2.take(id)
        b1.take(id)
        b2.take(id)
        referenced.remove(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let (id, weight) = (request.id, request.weight)
        if residents.contains(id) {
            referenced.insert(id)
            return NaiveStep(hit: true)
        }
        step = NaiveStep(hit: false)
        if dialect == "libcachesim" {
            accessAsLibCacheSim(id, weight)
        } else if weight > c {
            remove(id)
        } else {
            accessAsInPaper(id, weight)
        }
        return step
    }

    private func accessAsInPaper(_ id: ObjectID, _ weight: Int) {
        while t1.weight + t2.weight + weight > c { replace() }
        if b1.contains(id) {
            p = min(p + delta(b2.weight, b1.weight) * Double(weight), Double(c))
            b1.take(id)
            t2.append(id, weight)
        } else if b2.contains(id) {
            p = max(p - delta(b1.weight, b2.weight) * Double(weight), 0)
            b2.take(id)
            t2.append(id, weight)
        } else {
            while t1.weight + b1.weight > c - weight, !b1.isEmpty { _ = b1.takeOldest() }
            while !b2.isEmpty, all + weight > 2 * c { _ = b2.takeOldest() }
            t1.append(id, weight)
        }
        while all > 2 * c { _ = b2.isEmpty ? b1.takeOldest() : b2.takeOldest() }
    }

    private var all: Int { t1.weight + t2.weight + b1.weight + b2.weight }

    private func accessAsLibCacheSim(_ id: ObjectID, _ weight: Int) {
        if b1.contains(id) {
            p = min(p + delta(b2.weight, b1.weight), Double(c))
            b1.take(id)
            seenInB1 = true
        } else if b2.contains(id) {
            p = max(p - delta(b1.weight, b2.weight), 0)
            b2.take(id)
            seenInB2 = true
        }
        guard weight <= c else { return }
        while t1.weight + t2.weight + weight > c {
            replace()
            if !(seenInB1 && seenInB2), t1.weight + b1.weight >= c, !b1.isEmpty { _ = b1.takeOldest() }
        }
        if seenInB1 || seenInB2 { t2.append(id, weight) } else { t1.append(id, weight) }
        seenInB1 = false
        seenInB2 = false
    }

    private func delta(_ other: Int, _ own: Int) -> Double {
        guard own > 0 else { return 1 }
        return dialect == "paper" ? max(1, Double(other) / Double(own)) : Double(max(1, other / own))
    }

    private func replace() {
        while true {
            if Double(t1.weight) >= max(1, p) || t2.isEmpty {
                let oldest = t1.takeOldest()
                if referenced.remove(oldest.id) == nil { return leave(oldest, &b1) }
                t2.append(oldest.id, oldest.weight)
            } else {
                let oldest = t2.takeOldest()
                if referenced.remove(oldest.id) == nil { return leave(oldest, &b2) }
                t2.append(oldest.id, oldest.weight)
            }
        }
    }

    private func leave(_ object: (id: ObjectID, weight: Int), _ bottom: inout NaiveQueue) {
        step.evicted.append(object.id)
        bottom.append(object.id, object.weight)
    }
}
