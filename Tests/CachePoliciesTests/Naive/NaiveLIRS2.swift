import CacheCore

/// LIRS2 over one array for the stack, in which each object stands twice: the boundary is searched anew each time.
final class NaiveLIRS2: NaiveModel {
    private struct Entry: Equatable {
        var id: ObjectID
        var number: Int
    }
    private struct Known {
        var latest: Entry
        var older: Entry
        var isOnce = true
    }
    private let capacity: Int
    private let lirLimit: Int
    private let ghostLimit: Int
    private let lengthLimit: Int
    /// Top last.
    private var stack: [Entry] = []
    private var known: [ObjectID: Known] = [:]
    private var lir: Set<ObjectID> = []
    private var queue: [ObjectID] = []
    private(set) var ghosts: [ObjectID] = []
    private var entriesMade = 0

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        let share = capacity - Int(Double(capacity) * (1 - parameters.number("hir")))
        lirLimit = max(0, capacity - max(share, parameters.integer("hir-minimum")))
        ghostLimit = Int(Double(capacity) * parameters.number("non-resident"))
        lengthLimit = capacity * parameters.integer("stack")
    }

    var residents: [ObjectID] { lir + queue }

    /// Where the lowest older entry of an LIR object is.
    private var boundary: Int? { stack.firstIndex { lir.contains($0.id) && known[$0.id]!.older == $0 } }

    func remove(_ id: ObjectID) {
        stack.removeAll { $0.id == id }
        queue.removeAll { $0 == id }
        ghosts.removeAll { $0 == id }
        lir.remove(id)
        known[id] = nil
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let id = request.id
        if residents.contains(id) {
            if stack.last?.id != id || lirLimit == 0 { move(id) }
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        ghosts.removeAll { $0 == id }
        if residents.count == capacity {
            let victim = queue.removeFirst()
            step.evicted.append(victim)
            ghosts.append(victim)
        }
        if known[id] == nil { enter(id) } else { move(id) }
        while ghosts.count > ghostLimit { remove(ghosts[0]) }
        return step
    }

    private func push(_ id: ObjectID) -> Entry {
        entriesMade += 1
        let entry = Entry(id: id, number: entriesMade)
        stack.append(entry)
        return entry
    }

    private func enter(_ id: ObjectID) {
        let older = push(id)
        known[id] = Known(latest: push(id), older: older)
        if lir.count < lirLimit { lir.insert(id) } else { queue.append(id) }
        shorten()
    }

    private func move(_ id: ObjectID) {
        var entries = known[id]!
        let wasAbove = boundary.map { stack.firstIndex(of: entries.older)! >= $0 } ?? false
        let becomesLIR = wasAbove && !entries.isOnce && !lir.contains(id)
        stack.removeAll { $0 == entries.older }
        entries = Known(latest: push(id), older: entries.latest, isOnce: false)
        known[id] = entries
        queue.removeAll { $0 == id }
        if becomesLIR {
            if lir.count == lirLimit {
                let demoted = stack[boundary!].id
                lir.remove(demoted)
                queue.append(demoted)
            }
            lir.insert(id)
        } else if !lir.contains(id) {
            queue.append(id)
        }
        shorten()
    }

    private func shorten() {
        while let boundary, stack.count - boundary > lengthLimit {
            guard let index = stack.indices.first(where: { $0 > boundary && !lir.contains(stack[$0].id) }) else {
                return
            }
            stack.insert(stack.remove(at: index), at: boundary)
        }
    }
}
