import CacheCore

/// LFU by a search over everything that is known of each object.
class NaiveLFU: NaiveList {
    private struct Record {
        var count = 0
        var used = 0
        var entered = 0
    }
    private var records: [ObjectID: Record] = [:]
    private var time = 0
    private let ties: String
    private let isPerfect: Bool
    override var ghosts: [ObjectID] { isPerfect ? records.keys.filter { !queue.contains($0) } : [] }

    required init(capacity: Int, parameters: ParameterValues) {
        let isTunable = parameters.description.contains("ties=")
        ties = isTunable ? parameters.text("ties") : "lru"
        isPerfect = isTunable && parameters.text("history") == "perfect"
        super.init(capacity: capacity, parameters: parameters)
    }

    override func access(_ request: NaiveRequest) -> NaiveStep {
        time += 1
        let step = super.access(request)
        guard queue.contains(request.id) else {
            records[request.id] = nil
            return step
        }
        var record = records[request.id, default: Record()]
        if !step.hit { record.entered = time }
        record.count += 1
        record.used = time
        records[request.id] = record
        return step
    }

    /// The first to leave by count; among equals by the rule for ties.
    func leavesFirst(_ left: (count: Int, tie: Int), _ right: (count: Int, tie: Int)) -> Bool { left < right }

    override func takeVictim() -> ObjectID {
        func rank(_ id: ObjectID) -> (count: Int, tie: Int) {
            let record = records[id, default: Record()]
            switch ties {
            case "lru": return (record.count, record.used)
            case "mru": return (record.count, -record.used)
            case "fifo": return (record.count, record.entered)
            default: return (record.count, -record.entered)
            }
        }
        let victim = queue.ids.min { leavesFirst(rank($0), rank($1)) } ?? 0
        queue.take(victim)
        if !isPerfect { records[victim] = nil }
        return victim
    }

    override func remove(_ id: ObjectID) {
        super.remove(id)
        records[id] = nil
    }
}

final class NaiveMFU: NaiveLFU {
    override func leavesFirst(_ left: (count: Int, tie: Int), _ right: (count: Int, tie: Int)) -> Bool {
        (-left.count, left.tie) < (-right.count, right.tie)
    }
}

/// LRU-K by a search over the histories, written from the paper's pseudo-code: all times of an object, the last first.
final class NaiveLRUK: NaiveModel {
    private struct Record {
        var history: [Int] = []
        var last = 0
        var entered = 0
    }
    private let capacity: Int
    private let depth: Int
    private let correlatedPeriod: Int
    private let ghostLimit: Int
    private let usesFIFO: Bool
    private var cached = NaiveQueue()
    private var departed = NaiveQueue()
    private var records: [ObjectID: Record] = [:]
    private var time = 0
    var residents: [ObjectID] { cached.ids }
    var ghosts: [ObjectID] { departed.ids }

    init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        depth = parameters.integer("k")
        correlatedPeriod = parameters.integer("crp")
        usesFIFO = parameters.text("dialect") == "libcachesim"
        ghostLimit = usesFIFO ? 0 : naiveShare(capacity, parameters, "history")
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        time += 1
        if cached.contains(request.id) {
            hit(&records[request.id, default: Record()])
            return NaiveStep(hit: true)
        }
        var step = NaiveStep(hit: false)
        guard request.weight <= capacity else {
            remove(request.id)
            return step
        }
        departed.take(request.id)
        while cached.weight + request.weight > capacity { step.evicted.append(evict()) }
        records[request.id, default: Record()].history.insert(time, at: 0)
        records[request.id]?.last = time
        records[request.id]?.entered = time
        cached.append(request.id, request.weight)
        return step
    }

    func remove(_ id: ObjectID) {
        cached.take(id)
        departed.take(id)
        records[id] = nil
    }

    private func hit(_ record: inout Record) {
        if time - record.last > correlatedPeriod {
            let period = record.last - record.history[0]
            record.history = [time] + record.history.map { $0 + period }
        }
        record.last = time
    }

    private func evict() -> ObjectID {
        func record(_ id: ObjectID) -> Record { records[id, default: Record()] }
        let free = cached.ids.filter { time - record($0).last > correlatedPeriod }
        let candidates = free.isEmpty ? cached.ids : free
        let victim = candidates.min { left, right in
            let (a, b) = (record(left), record(right))
            if free.isEmpty { return a.last < b.last }
            let (oldA, oldB) = (a.history.count < depth, b.history.count < depth)
            if oldA, oldB { return usesFIFO ? a.entered < b.entered : a.last < b.last }
            if oldA || oldB { return oldA }
            return (a.history[depth - 1], a.last) < (b.history[depth - 1], b.last)
        }
        let id = victim ?? 0
        let weight = cached.take(id) ?? 0
        if ghostLimit == 0 || weight > ghostLimit {
            records[id] = nil
        } else {
            while departed.weight + weight > ghostLimit { records[departed.takeOldest().id] = nil }
            departed.append(id, weight)
        }
        return id
    }
}
