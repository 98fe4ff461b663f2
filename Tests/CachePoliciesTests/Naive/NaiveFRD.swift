import CacheCore

/// FRD over two arrays: the filter, and the reuse distance stack with what is remembered in it.
final class NaiveFRD: NaiveModel {
    private let capacity: Int
    private let stackLimit: Int
    private let historyLimit: Int
    /// Most recent last.
    private var filter = NaiveQueue()
    private var stack: [ObjectID] = []
    private var stackResidents: [ObjectID: Int] = [:]
    /// Evicted from the filter and still in the stack, with their weights; first evicted first.
    private var history = NaiveQueue()
    private var forgottenOnHit: Set<ObjectID> = []

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        stackLimit = Int(Double(capacity) * (1 - parameters.number("filter")))
        historyLimit = Int(Double(capacity) * parameters.number("history"))
    }

    var residents: [ObjectID] { filter.ids + stackResidents.keys }
    var ghosts: [ObjectID] { history.ids + forgottenOnHit }
    private var stackWeight: Int { stackResidents.values.reduce(0, +) }
    private var weight: Int { filter.weight + stackWeight }

    func remove(_ id: ObjectID) {
        filter.take(id)
        history.take(id)
        stackResidents[id] = nil
        stack.removeAll { $0 == id }
        forgottenOnHit.remove(id)
        prune()
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let id = request.id
        if residents.contains(id) {
            stack.removeAll { $0 == id }
            filter.refresh(id)
            stack.append(id)
            prune()
            return NaiveStep(hit: true)
        }
        let isRemembered = history.contains(id)
        guard request.weight <= capacity else {
            remove(id)
            return NaiveStep(hit: false)
        }
        history.take(id)
        stack.removeAll { $0 == id }
        var step = NaiveStep(hit: false)
        if isRemembered, request.weight <= stackLimit {
            while stackWeight + request.weight > stackLimit { evictFromStack(&step) }
            while weight + request.weight > capacity { evictFromFilter(&step) }
            stackResidents[id] = request.weight
            stack.append(id)
        } else if weight + request.weight <= capacity {
            if stackWeight + request.weight <= stackLimit {
                stackResidents[id] = request.weight
                stack.append(id)
            } else {
                filter.append(id, request.weight)
            }
        } else {
            while weight + request.weight > capacity {
                if filter.isEmpty { evictFromStack(&step) } else { evictFromFilter(&step) }
            }
            filter.append(id, request.weight)
            stack.append(id)
        }
        prune()
        forgottenOnHit = []
        return step
    }

    private func evictFromStack(_ step: inout NaiveStep) {
        let oldest = stack.removeFirst()
        stackResidents[oldest] = nil
        step.evicted.append(oldest)
        prune()
    }

    private func evictFromFilter(_ step: inout NaiveStep) {
        let oldest = filter.takeOldest()
        step.evicted.append(oldest.id)
        guard stack.contains(oldest.id) else { return }
        if oldest.weight > historyLimit { return stack.removeAll { $0 == oldest.id } }
        history.append(oldest.id, oldest.weight)
        while history.weight > historyLimit {
            let forgotten = history.takeOldest().id
            stack.removeAll { $0 == forgotten }
        }
    }

    private func prune() {
        while let bottom = stack.first, stackResidents[bottom] == nil {
            stack.removeFirst()
            if history.take(bottom) != nil { forgottenOnHit.insert(bottom) }
        }
    }
}
