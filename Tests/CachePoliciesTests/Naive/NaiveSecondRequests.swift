import CacheCore

/// LARC after algorithm 1 of the paper, with both queues as arrays.
final class NaiveLARC: NaiveModel {
    private let c: Double
    private var cr: Double
    private var q = NaiveQueue()
    private var qr = NaiveQueue()

    required init(capacity: Int, parameters: ParameterValues) {
        c = Double(capacity)
        cr = 0.1 * c
    }

    var residents: [ObjectID] { q.ids }
    var ghosts: [ObjectID] { qr.ids }

    func remove(_ id: ObjectID) {
        q.take(id)
        qr.take(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        if let held = q.items.first(where: { $0.id == request.id }) {
            q.refresh(request.id)
            cr = max(0.1 * c, cr - Double(held.weight) * c / (c - cr))
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        let size = Double(request.weight)
        cr = min(0.9 * c, cr + size * c / cr)
        let isRemembered = qr.take(request.id) != nil
        if isRemembered, size <= c {
            while Double(q.weight) + size > c { step.evicted.append(q.takeOldest().id) }
            q.append(request.id, request.weight)
            return step
        }
        // In objects: append, then drop the oldest if there are more than cr.
        let before = Double(qr.weight)
        guard size <= max(cr, before) else { return step }
        qr.append(request.id, request.weight)
        while Double(qr.weight) > max(cr, before) { _ = qr.takeOldest() }
        return step
    }
}

/// LRFU after the definition of the combined recency and frequency: a sum over all requests since the object entered.
final class NaiveLRFU: NaiveModel {
    private let capacity: Int
    private let lambda: Double
    private var requests: [ObjectID: [Int]] = [:]
    private var weights: [ObjectID: Int] = [:]
    private var now = 0

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        lambda = parameters.number("lambda")
    }

    var residents: [ObjectID] { Array(weights.keys) }
    var ghosts: [ObjectID] { [] }

    func remove(_ id: ObjectID) {
        weights[id] = nil
        requests[id] = nil
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        now += 1
        if weights[request.id] != nil {
            requests[request.id]!.append(now)
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        guard request.weight <= capacity else { return step }
        while weights.values.reduce(0, +) + request.weight > capacity {
            let least = weights.keys.min { (value($0), requests[$0]!.last!) < (value($1), requests[$1]!.last!) }!
            step.evicted.append(least)
            remove(least)
        }
        weights[request.id] = request.weight
        requests[request.id] = [now]
        return step
    }

    private func value(_ id: ObjectID) -> Double {
        requests[id]!.reduce(0) { $0 + PortableMath.exp(-lambda * Double(now - $1) * PortableMath.log(2)) }
    }
}

/// Nothing at all.
final class NaiveNOP: NaiveModel {
    let residents: [ObjectID] = []
    let ghosts: [ObjectID] = []

    required init(capacity: Int, parameters: ParameterValues) {}
    func access(_ request: NaiveRequest) -> NaiveStep { NaiveStep(hit: false) }
    func remove(_ id: ObjectID) {}
}
