import CacheCore

/// CART over four queues and two sets, after figure 4 of the paper.
final class NaiveCART: NaiveModel {
    private let c: Int
    private let isPaper: Bool
    private var t1 = NaiveQueue()
    private var t2 = NaiveQueue()
    private var b1 = NaiveQueue()
    private var b2 = NaiveQueue()
    private var referenced: Set<ObjectID> = []
    private var long: Set<ObjectID> = []
    private var p = 0.0
    private var q = 0

    required init(capacity: Int, parameters: ParameterValues) {
        c = capacity
        isPaper = parameters.text("dialect") == "paper"
    }

    var residents: [ObjectID] { t1.ids + t2.ids }
    var ghosts: [ObjectID] { b1.ids + b2.ids }
    private var nS: Int { t1.items.filter { !long.contains($0.id) }.reduce(0) { $0 + $1.weight } }
    private var nL: Int { t1.weight + t2.weight - nS }

    func remove(_ id: ObjectID) {
        t1.take(id)
        t2.take(id)
        b1.take(id)
        b2.take(id)
        referenced.remove(id)
        long.remove(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let (id, weight) = (request.id, request.weight)
        if residents.contains(id) {
            referenced.insert(id)
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        guard weight <= c else {
            remove(id)
            return step
        }
        while t1.weight + t2.weight > c - weight { step.evicted.append(replace()) }
        if b1.contains(id) {
            p = min(p + delta(nS, b1.weight) * Double(weight), Double(c))
            b1.take(id)
            long.insert(id)
            t1.append(id, weight)
        } else if b2.contains(id) {
            p = max(p - delta(nL, b2.weight) * Double(weight), 0)
            b2.take(id)
            long.insert(id)
            t1.append(id, weight)
            raise(weight)
        } else {
            long.remove(id)
            t1.append(id, weight)
        }
        while b1.weight + b2.weight > c {
            if b1.weight > max(0, q) || b2.isEmpty { _ = b1.takeOldest() } else { _ = b2.takeOldest() }
        }
        return step
    }

    private func delta(_ other: Int, _ own: Int) -> Double {
        guard own > 0 else { return 1 }
        return isPaper ? max(1, Double(other) / Double(own)) : Double(max(1, other / own))
    }

    private func raise(_ weight: Int) {
        if t2.weight + b2.weight + t1.weight - nS >= c { q = min(q + weight, 2 * c - t1.weight) }
    }

    private func replace() -> ObjectID {
        while let head = t2.items.first, referenced.remove(head.id) != nil {
            _ = t2.takeOldest()
            t1.append(head.id, head.weight)
            raise(head.weight)
        }
        while let head = t1.items.first, long.contains(head.id) || referenced.contains(head.id) {
            _ = t1.takeOldest()
            if referenced.remove(head.id) != nil {
                t1.append(head.id, head.weight)
                if t1.weight >= b1.weight || Double(t1.weight) >= p + 1 { long.insert(head.id) }
            } else {
                t2.append(head.id, head.weight)
                q = max(q - head.weight, c - t1.weight)
            }
        }
        if !t1.isEmpty, Double(t1.weight) >= max(1, p) || t2.isEmpty {
            let head = t1.takeOldest()
            b1.append(head.id, head.weight)
            return head.id
        }
        let head = t2.takeOldest()
        b2.append(head.id, head.weight)
        return head.id
    }
}
