import CacheCore

/// Priorities by object, searched from end to end.
class NaiveRanking: NaiveModel {
    struct Record {
        var weight: Int
        var frequency = 0
        var key = 0.0
        var used = 0
    }
    let capacity: Int
    let dialect: String
    var records: [ObjectID: Record] = [:]
    /// What newcomers start from.
    var age = 0.0
    var time = 0
    var residents: [ObjectID] { Array(records.keys) }
    var ghosts: [ObjectID] { [] }
    var weight: Int { records.values.reduce(0) { $0 + $1.weight } }

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        dialect = parameters.text("dialect")
    }

    func remove(_ id: ObjectID) { records[id] = nil }

    func access(_ request: NaiveRequest) -> NaiveStep {
        time += 1
        if records[request.id] != nil {
            hit(request)
            records[request.id]?.used = time
            return NaiveStep(hit: true)
        }
        return NaiveStep(hit: false, evicted: request.weight <= capacity ? insert(request) : [])
    }

    func hit(_ request: NaiveRequest) {}
    func insert(_ request: NaiveRequest) -> [ObjectID] { [] }

    /// All objects, the first to leave first.
    func ordered(_ tie: (ObjectID, Record) -> Int) -> [ObjectID] {
        records.sorted { ($0.value.key, tie($0.key, $0.value)) < ($1.value.key, tie($1.key, $1.value)) }.map(\.key)
    }
}

final class NaiveGDSF: NaiveRanking {
    private func priority(_ request: NaiveRequest, _ record: Record) -> Double {
        let size = Double(record.weight == 0 ? 1 : record.weight)
        let frequency = Double(record.frequency)
        return dialect == "libcachesim" ? age + frequency * 1e6 / size : age + frequency * (request.cost / size)
    }

    private var queue: [ObjectID] { ordered { id, record in dialect == "caffeine" ? Int(id) : record.used } }

    override func hit(_ request: NaiveRequest) {
        guard var record = records[request.id] else { return }
        record.frequency += 1
        record.key = priority(request, record)
        records[request.id] = record
    }

    override func insert(_ request: NaiveRequest) -> [ObjectID] {
        var record = Record(weight: request.weight, frequency: 1, used: time)
        record.key = priority(request, record)
        records[request.id] = record
        var leaving: [ObjectID] = []
        var excess = weight - capacity
        for id in queue where excess > 0 {
            leaving.append(id)
            excess -= records[id]?.weight ?? 0
        }
        if dialect != "libcachesim", leaving.contains(request.id) {
            records[request.id] = nil
            return []
        }
        for id in leaving {
            age = max(age, records[id]?.key ?? 0)
            records[id] = nil
        }
        return leaving
    }
}

/// LFU with dynamic aging; libCacheSim's way by a walk over the numbers that are in use.
final class NaiveLFUDA: NaiveRanking {
    private var isTheirs: Bool { dialect == "libcachesim" }
    /// When each object below the age got there.
    private var stranded: [ObjectID: Int] = [:]

    override func hit(_ request: NaiveRequest) {
        guard var record = records[request.id] else { return }
        record.frequency += 1
        let oldAge = age
        if isTheirs {
            takeOut(request.id)
            record.key += oldAge
            if record.key < age { stranded[request.id] = time }
        } else {
            record.key = age + Double(record.frequency)
        }
        records[request.id] = record
    }

    override func insert(_ request: NaiveRequest) -> [ObjectID] {
        var leaving: [ObjectID] = []
        while weight + request.weight > capacity {
            let reachable = ordered { $1.used }.filter { stranded[$0] == nil }
            let longest = stranded.min { $0.value < $1.value }?.key
            guard let victim = reachable.first ?? longest else { break }
            if !reachable.isEmpty { age = records[victim]?.key ?? 0 }
            takeOut(victim)
            leaving.append(victim)
        }
        records[request.id] = Record(weight: request.weight, frequency: 1, key: age + 1, used: time)
        return leaving
    }

    override func remove(_ id: ObjectID) { if records[id] != nil { takeOut(id) } }

    /// Takes an object out and lets libCacheSim's age follow the lowest key.
    private func takeOut(_ id: ObjectID) {
        let key = records.removeValue(forKey: id)?.key
        let wasStranded = stranded.removeValue(forKey: id) != nil
        let keys = records.filter { stranded[$0.key] == nil }.map(\.value.key)
        if isTheirs, !wasStranded, key == age, let lowest = keys.min() { age = lowest }
    }
}

/// CAMP by looking at every object: the oldest of each ratio, and of those the lowest.
final class NaiveCAMP: NaiveModel {
    private struct Record {
        var weight: Int
        var ratio = 0
        var priority = 0
        var used = 0
    }
    private let capacity: Int
    private let precision: Int
    private var records: [ObjectID: Record] = [:]
    private var lowest = 0
    private var largestSize = 1
    private var time = 0
    var residents: [ObjectID] { Array(records.keys) }
    var ghosts: [ObjectID] { [] }

    init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        precision = parameters.integer("precision")
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        time += 1
        largestSize = max(largestSize, request.weight)
        var step = NaiveStep(hit: records[request.id] != nil)
        if !step.hit {
            guard request.weight <= capacity else { return step }
            while records.values.reduce(request.weight, { $0 + $1.weight }) > capacity { step.evicted.append(evict()) }
        }
        let weight = records[request.id]?.weight ?? request.weight
        let ratio = ratio(request.cost, weight)
        records[request.id] = Record(weight: weight, ratio: ratio, priority: lowest + ratio, used: time)
        return step
    }

    func remove(_ id: ObjectID) { records[id] = nil }

    private func ratio(_ cost: Double, _ weight: Int) -> Int {
        let exact = Int(min(Double(largestSize) / Double(weight == 0 ? 1 : weight) * cost, 2_147_483_647))
        var unit = 1
        while exact / unit >= 1 << precision { unit *= 2 }
        return exact / unit * unit
    }

    private func oldest() -> (id: ObjectID, record: Record)? {
        let lists = Dictionary(grouping: records) { $0.value.ratio }
        let oldest = lists.values.compactMap { list in list.min { $0.value.used < $1.value.used } }
        let lowest = oldest.min { ($0.value.priority, $0.value.ratio) < ($1.value.priority, $1.value.ratio) }
        return lowest.map { ($0.key, $0.value) }
    }

    private func evict() -> ObjectID {
        let victim = oldest()?.id ?? 0
        records[victim] = nil
        lowest = oldest()?.record.priority ?? lowest
        return victim
    }
}

/// GD-Wheel step by step: all objects in one array, each with its wheel and list, and hands that visit every list.
final class NaiveGDWheel: NaiveModel {
    private struct Item {
        var id: ObjectID
        var weight: Int
        var cost: Int
        var wheel: Int
        var list: Int
    }
    private let capacity: Int
    private let queues: Int
    /// In the order in which they came to their lists.
    private var items: [Item] = []
    private var hands: [Int]
    var residents: [ObjectID] { items.map(\.id) }
    var ghosts: [ObjectID] { [] }

    init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        queues = parameters.integer("queues")
        hands = Array(repeating: 0, count: parameters.integer("wheels"))
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        let held = items.first { $0.id == request.id }
        var step = NaiveStep(hit: held != nil)
        if held == nil {
            guard request.weight <= capacity else { return step }
            while items.reduce(request.weight, { $0 + $1.weight }) > capacity { step.evicted.append(evict()) }
        }
        remove(request.id)
        let cost = Int(min((request.cost + 0.5).rounded(.down), Double(unit(hands.count) - 1)))
        let wheel = hands.indices.last { cost / unit($0) > 0 } ?? 0
        put(Item(id: request.id, weight: held?.weight ?? request.weight, cost: cost, wheel: 0, list: 0), wheel, cost)
        return step
    }

    func remove(_ id: ObjectID) { items.removeAll { $0.id == id } }

    private func put(_ item: Item, _ wheel: Int, _ distance: Int) {
        var item = item
        item.wheel = wheel
        item.list = (hands[wheel] + distance / unit(wheel)) % queues
        items.append(item)
    }

    /// The cost of one step of a hand.
    private func unit(_ wheel: Int) -> Int { (0..<wheel).reduce(1) { product, _ in product * queues } }

    private func evict() -> ObjectID {
        while true {
            if let index = items.firstIndex(where: { $0.wheel == 0 && $0.list == hands[0] }) {
                return items.remove(at: index).id
            }
            // Only to save time: nothing is seen on the way round an empty wheel.
            let isEmpty = !items.contains { $0.wheel == 0 }
            hands[0] = isEmpty ? 0 : (hands[0] + 1) % queues
            if hands[0] == 0 { advance(1) }
        }
    }

    private func advance(_ wheel: Int) {
        guard wheel < hands.count else { return }
        hands[wheel] = (hands[wheel] + 1) % queues
        if hands[wheel] == 0 { advance(wheel + 1) }
        let falling = items.filter { $0.wheel == wheel && $0.list == hands[wheel] }
        items.removeAll { $0.wheel == wheel && $0.list == hands[wheel] }
        for item in falling { put(item, wheel - 1, item.cost % unit(wheel)) }
    }
}
