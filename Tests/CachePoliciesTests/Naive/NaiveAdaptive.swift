import CacheCore

/// ARC over four queues, after figure 4 of the paper.
final class NaiveARC: NaiveModel {
    private let c: Int
    private let dialect: String
    private var t1 = NaiveQueue()
    private var t2 = NaiveQueue()
    private var b1 = NaiveQueue()
    private var b2 = NaiveQueue()
    private var p = 0.0
    private var step = NaiveStep(hit: false)

    required init(capacity: Int, parameters: ParameterValues) {
        c = capacity
        dialect = parameters.text("dialect")
    }

    var residents: [ObjectID] { t1.ids + t2.ids }
    var ghosts: [ObjectID] { b1.ids + b2.ids }
    private var isLibCacheSim: Bool { dialect.hasPrefix("libcachesim") }
    private var all: Int { t1.weight + t2.weight + b1.weight + b2.weight }

    func remove(_ id: ObjectID) {
        t1.take(id)
        t2.take(id)
        b1.take(id)
        b2.take(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let (id, weight) = (request.id, request.weight)
        if let known = t1.take(id) ?? t2.take(id) {
            t2.append(id, known)
            return NaiveStep(hit: true)
        }
        step = NaiveStep(hit: false)
        guard weight <= c else {
            b1.take(id)
            b2.take(id)
            return step
        }
        if b1.contains(id) {
            p = min(Double(c), p + delta(b2.weight, b1.weight, weight))
            b1.take(id)
            while needsRoom(weight) { replace(false) }
            t2.append(id, weight)
        } else if b2.contains(id) {
            p = max(0, p - delta(b1.weight, b2.weight, weight))
            b2.take(id)
            while needsRoom(weight) { replace(true) }
            t2.append(id, weight)
        } else {
            makeRoomForNew(weight)
            t1.append(id, weight)
        }
        while !isLibCacheSim, all > 2 * c {
            if b2.isEmpty { _ = b1.takeOldest() } else { _ = b2.takeOldest() }
        }
        return step
    }

    private func needsRoom(_ weight: Int) -> Bool { t1.weight + t2.weight + weight > c }

    private func delta(_ other: Int, _ own: Int, _ weight: Int) -> Double {
        guard own > 0 else { return isLibCacheSim ? 1 : Double(weight) }
        switch dialect {
        case "caffeine": return Double(max(1, other / own) * weight)
        case "paper": return max(1, Double(other) / Double(own)) * Double(weight)
        default: return max(1, Double(other) / Double(own))
        }
    }

    private func makeRoomForNew(_ weight: Int) {
        guard isLibCacheSim else {
            while t1.weight + b1.weight + weight > c {
                if b1.isEmpty { step.evicted.append(t1.takeOldest().id) } else { _ = b1.takeOldest() }
            }
            while all + weight > 2 * c, !b2.isEmpty { _ = b2.takeOldest() }
            while needsRoom(weight) { replace(false) }
            return
        }
        while needsRoom(weight) {
            if t1.weight + b1.weight + weight > c {
                if b1.isEmpty {
                    step.evicted.append(t1.takeOldest().id)
                    continue
                }
                _ = b1.takeOldest()
            } else {
                repeat {
                    if all >= 2 * c, !b2.isEmpty { _ = b2.takeOldest() }
                } while dialect == "libcachesim-v0" && all >= 2 * c && !b2.isEmpty
            }
            replace(false)
        }
    }

    private func replace(_ inB2: Bool) {
        let size = Double(t1.weight)
        let limit = dialect == "libcachesim-v0" ? c : .max
        if !t1.isEmpty && (size > p || size == p && inB2) || t2.isEmpty {
            leave(&t1, &b1, limit)
        } else {
            leave(&t2, &b2, limit)
        }
    }

    private func leave(_ top: inout NaiveQueue, _ bottom: inout NaiveQueue, _ limit: Int) {
        let oldest = top.takeOldest()
        step.evicted.append(oldest.id)
        while bottom.weight > limit - oldest.weight { _ = bottom.takeOldest() }
        bottom.append(oldest.id, oldest.weight)
    }
}

/// Bélády's MIN by a search for the farthest next use. Among objects that are never used again any may leave.
final class NaiveBelady: NaiveList {
    private var nextUses: [ObjectID: Int] = [:]
    private var bypasses = false

    required init(capacity: Int, parameters: ParameterValues) {
        super.init(capacity: capacity, parameters: parameters)
        bypasses = parameters.text("bypass") == "true"
    }

    /// When an object is used again.
    func nextUse(_ id: ObjectID) -> Int { nextUses[id] ?? 0 }

    override func access(_ request: NaiveRequest) -> NaiveStep {
        nextUses[request.id] = request.next
        if bypasses, !queue.contains(request.id), request.weight <= capacity {
            var step = NaiveStep(hit: false)
            while queue.weight + request.weight > capacity {
                if nextUse(request.id) >= queue.ids.map(nextUse).max()! { return step }
                step.evicted.append(takeVictim())
            }
            queue.append(request.id, request.weight)
            return step
        }
        return super.access(request)
    }

    override func takeVictim() -> ObjectID {
        let victim = queue.ids.max { nextUse($0) < nextUse($1) }!
        queue.take(victim)
        return victim
    }
}
