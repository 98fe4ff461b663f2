import CacheCore

/// LIRS over one array for the stack and one for each queue, after section 3 of the paper.
final class NaiveLIRS: NaiveModel {
    private let capacity: Int
    private let lirLimit: Int
    private let ghostLimit: Int
    private let isLibCacheSim: Bool
    /// Most recent last; every LIR object is here.
    private var stack: [ObjectID] = []
    private var queue: [ObjectID] = []
    private var lir: Set<ObjectID> = []
    /// First evicted first; each is in the stack.
    private var remembered: [ObjectID] = []
    /// Resident, though neither LIR nor in the queue: libCacheSim alone.
    private var strays: Set<ObjectID> = []
    private var weights: [ObjectID: Int] = [:]
    /// What hits made leave and what they made the policy forget: reported by the next insertion.
    private var leftOnHit: [ObjectID] = []
    private var forgottenOnHit: Set<ObjectID> = []

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        isLibCacheSim = parameters.text("dialect") == "libcachesim"
        let share = capacity - Int(Double(capacity) * (1 - parameters.number("hir")))
        let hir = max(share, parameters.integer("hir-minimum"))
        lirLimit = isLibCacheSim ? capacity - max(1, Int(Double(capacity) * 0.01)) : max(0, capacity - hir)
        ghostLimit = Int(Double(capacity) * parameters.number("non-resident"))
    }

    var residents: [ObjectID] { lir + queue + strays }
    var ghosts: [ObjectID] { remembered + forgottenOnHit }

    private func total(_ ids: some Sequence<ObjectID>) -> Int { ids.reduce(0) { $0 + weights[$1]! } }

    func remove(_ id: ObjectID) {
        erase(id)
        leftOnHit.removeAll { $0 == id }
        if !isLibCacheSim { prune() }
    }

    private func erase(_ id: ObjectID) {
        stack.removeAll { $0 == id }
        queue.removeAll { $0 == id }
        remembered.removeAll { $0 == id }
        lir.remove(id)
        strays.remove(id)
        forgottenOnHit.remove(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let id = request.id
        if residents.contains(id) {
            if isLibCacheSim { hitByLibCacheSim(id) } else { hit(id) }
            return NaiveStep(hit: true)
        }
        guard request.weight <= capacity else {
            remove(id)
            return NaiveStep(hit: false)
        }
        let wasInStack = remembered.contains(id)
        erase(id)
        var step = NaiveStep(hit: false, evicted: leftOnHit)
        leftOnHit = []
        if isLibCacheSim {
            missByLibCacheSim(id, request.weight, wasInStack)
        } else {
            miss(id, request.weight, wasInStack)
        }
        step.evicted += leftOnHit
        leftOnHit = []
        forgottenOnHit = []
        return step
    }

    private func hit(_ id: ObjectID) {
        if stack.last == id { return }
        let wasInStack = stack.contains(id)
        stack.removeAll { $0 == id }
        if lir.contains(id) {
            stack.append(id)
        } else if wasInStack && weights[id]! <= lirLimit {
            queue.removeAll { $0 == id }
            lir.insert(id)
            stack.append(id)
            shrinkLIR()
        } else {
            queue.removeAll { $0 == id }
            queue.append(id)
            if !lir.isEmpty { stack.append(id) }
        }
        prune()
    }

    private func miss(_ id: ObjectID, _ weight: Int, _ wasInStack: Bool) {
        while total(residents) + weight > capacity {
            if queue.isEmpty { demote() }
            let victim = queue.removeFirst()
            leftOnHit.append(victim)
            if !stack.contains(victim) { continue }
            if weights[victim]! > ghostLimit {
                stack.removeAll { $0 == victim }
                continue
            }
            remembered.append(victim)
            while total(remembered) > ghostLimit { forgetOldest() }
        }
        weights[id] = weight
        let fits = total(lir) + weight <= lirLimit
        if fits || wasInStack && weight <= lirLimit {
            lir.insert(id)
            stack.append(id)
            shrinkLIR()
        } else {
            queue.append(id)
            if !lir.isEmpty { stack.append(id) }
        }
    }

    private func shrinkLIR() {
        while total(lir) > lirLimit { demote() }
    }

    private func demote() {
        let bottom = stack.removeFirst()
        lir.remove(bottom)
        queue.append(bottom)
        prune()
    }

    private func forgetOldest() {
        let oldest = remembered.removeFirst()
        stack.removeAll { $0 == oldest }
        forgottenOnHit.insert(oldest)
    }

    private func prune() {
        while let bottom = stack.first, !lir.contains(bottom) {
            stack.removeFirst()
            if remembered.contains(bottom) {
                remembered.removeAll { $0 == bottom }
                forgottenOnHit.insert(bottom)
            } else if strays.remove(bottom) != nil {
                leftOnHit.append(bottom)
                forgottenOnHit.insert(bottom)
            }
        }
    }

    // MARK: libCacheSim

    private var hirLimit: Int { capacity - lirLimit }

    private func hitByLibCacheSim(_ id: ObjectID) {
        if lir.contains(id) {
            stack.removeAll { $0 == id }
            stack.append(id)
            prune()
        } else if stack.contains(id) {
            erase(id)
            while total(lir) + weights[id]! > lirLimit { demoteByLibCacheSim(nil) }
            lir.insert(id)
            stack.append(id)
        } else {
            queue.removeAll { $0 == id }
            queue.append(id)
            prune()
            // Whose size decides: after the one that was hit, whoever got the memory of its entry.
            var measured = id
            while total(lir) + weights[measured]! > lirLimit {
                let demoted = stack[0]
                if demoteByLibCacheSim(id) == measured { measured = demoted }
            }
            stack.append(id)
        }
        boundStack()
    }

    private func missByLibCacheSim(_ id: ObjectID, _ weight: Int, _ wasInStack: Bool) {
        guard weight <= lirLimit, weight <= hirLimit else { return }
        if wasInStack {
            while total(lir) + weight > lirLimit { demoteByLibCacheSim(nil) }
        } else if total(lir) + weight > lirLimit {
            while total(queue) + weight > hirLimit { evictByLibCacheSim() }
        }
        weights[id] = weight
        if total(lir) + weight <= lirLimit {
            lir.insert(id)
        } else {
            queue.append(id)
        }
        if lir.contains(id) || lir.isEmpty == false { stack.append(id) }
        boundStack()
    }

    /// Returns the last object that left the queue for good.
    @discardableResult
    private func demoteByLibCacheSim(_ hit: ObjectID?) -> ObjectID? {
        prune()
        let bottom = stack.removeFirst()
        var freed: ObjectID?
        lir.remove(bottom)
        while total(queue) + weights[bottom]! > hirLimit {
            if let front = queue.first, !stack.contains(front) { freed = front }
            if queue.first == hit {
                strays.insert(queue.removeFirst())
            } else {
                evictByLibCacheSim()
            }
        }
        queue.append(bottom)
        prune()
        return freed
    }

    private func evictByLibCacheSim() {
        let victim = queue.removeFirst()
        leftOnHit.append(victim)
        if stack.contains(victim) { remembered.append(victim) } else { forgottenOnHit.insert(victim) }
    }

    private func boundStack() {
        while total(stack) > 2 * capacity, !remembered.isEmpty { forgetOldest() }
    }
}
