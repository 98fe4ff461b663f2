import CacheCore

/// What the policies with a small and a main FIFO share: queues, ghosts, and a dictionary of counters.
class NaiveSmallAndMain: NaiveModel {
    let capacity: Int
    let parameters: ParameterValues
    var smallLimit: Int
    lazy var isPaper = parameters.text("dialect") == "paper"
    var isFilling = true
    var small = NaiveQueue()
    var main = NaiveQueue()
    var ghost = NaiveQueue()
    var counts: [ObjectID: Int] = [:]
    var step = NaiveStep(hit: false)

    required init(capacity: Int, parameters: ParameterValues) {
        self.capacity = capacity
        self.parameters = parameters
        smallLimit = max(1, naiveShare(capacity, parameters, "small"))
    }

    var residents: [ObjectID] { small.ids + main.ids }
    var ghosts: [ObjectID] { ghost.ids }
    var mainLimit: Int { capacity - smallLimit }
    var ghostLimit: Int { naiveShare(capacity, parameters, "ghost") }
    var weight: Int { small.weight + main.weight }
    /// The most hits that main counts.
    var largest: Int { 3 }
    /// Whether the ghost is taken before it is known whether there is room.
    var looksUpFirst: Bool { true }

    func remove(_ id: ObjectID) {
        small.take(id)
        main.take(id)
        ghost.take(id)
    }

    func access(_ request: NaiveRequest) -> NaiveStep {
        if residents.contains(request.id) {
            hit(request.id)
            return NaiveStep(hit: true)
        }
        step = NaiveStep(hit: false)
        let known = (looksUpFirst || request.weight > capacity) && ghost.take(request.id) != nil
        if request.weight <= capacity { miss(request, known) }
        return step
    }

    func hit(_ id: ObjectID) { counts[id, default: 0] += 1 }
    func miss(_ request: NaiveRequest, _ known: Bool) {}

    /// Whether an object was hit often enough to go from small to main.
    func isDue(_ id: ObjectID) -> Bool { counts[id, default: 0] >= parameters.integer("threshold") }

    func evict() {
        isFilling = false
        let fromSmall = isPaper ? small.weight >= smallLimit || main.isEmpty : main.weight <= mainLimit
        guard fromSmall, !small.isEmpty else { return leaveMain() }
        while !small.isEmpty {
            let oldest = small.takeOldest()
            guard isDue(oldest.id) else { return leaveSmall(oldest) }
            counts[oldest.id] = 0
            main.append(oldest.id, oldest.weight)
            if isPaper, main.weight > mainLimit { leaveMain() }
        }
    }

    func leaveMain() {
        while true {
            let oldest = main.takeOldest()
            let count = min(largest, counts[oldest.id, default: 0])
            if count == 0 {
                step.evicted.append(oldest.id)
                return
            }
            counts[oldest.id] = count - 1
            main.append(oldest.id, oldest.weight)
        }
    }

    func leaveSmall(_ object: (id: ObjectID, weight: Int)) {
        step.evicted.append(object.id)
        guard object.weight <= ghostLimit else { return }
        while ghost.weight + object.weight > ghostLimit { _ = ghost.takeOldest() }
        ghost.append(object.id, object.weight)
    }
}

/// QD-LP-FIFO over three queues.
final class NaiveQDLP: NaiveSmallAndMain {
    override var largest: Int { (1 << parameters.integer("bits")) - 1 }

    override func hit(_ id: ObjectID) {
        counts[id] = min(main.contains(id) ? largest : .max, counts[id, default: 0] + 1)
    }

    override func miss(_ request: NaiveRequest, _ known: Bool) {
        let goesToMain = known && request.weight <= mainLimit
        if !isPaper, request.weight > smallLimit || known && request.weight == smallLimit && !goesToMain { return }
        while weight + request.weight > capacity {
            if small.isEmpty || isPaper && goesToMain && main.weight + request.weight > mainLimit {
                leaveMain()
            } else {
                pass()
            }
        }
        if !isPaper, !goesToMain, request.weight == smallLimit { return }
        counts[request.id] = 0
        if goesToMain {
            enterMain(request.id, request.weight)
        } else {
            small.append(request.id, request.weight)
        }
    }

    private func pass() {
        let oldest = small.takeOldest()
        if counts[oldest.id, default: 0] < parameters.integer("threshold") {
            leaveSmall(oldest)
        } else if oldest.weight <= mainLimit {
            counts[oldest.id] = 0
            enterMain(oldest.id, oldest.weight)
        } else if isPaper {
            leaveSmall(oldest)
        } else {
            step.evicted.append(oldest.id)
        }
    }

    private func enterMain(_ id: ObjectID, _ weight: Int) {
        while main.weight + weight > mainLimit { leaveMain() }
        main.append(id, weight)
    }
}

/// S3-FIFO over three queues and a dictionary of counters.
final class NaiveS3FIFO: NaiveSmallAndMain {
    override var looksUpFirst: Bool { !isPaper }

    override func hit(_ id: ObjectID) { counts[id] = min(3, counts[id, default: 0] + 1) }

    override func miss(_ request: NaiveRequest, _ known: Bool) {
        if !isPaper, request.weight > smallLimit { return }
        while weight + request.weight > capacity { evict() }
        let known = isPaper ? ghost.take(request.id) != nil : known
        if !isPaper, request.weight == smallLimit, !known { return }
        counts[request.id] = 0
        if known || parameters.text("dialect") == "libcachesim" && isFilling && small.weight >= smallLimit {
            main.append(request.id, request.weight)
        } else {
            small.append(request.id, request.weight)
        }
    }
}

/// libCacheSim's S3-LRU.
final class NaiveS3LRU: NaiveSmallAndMain {
    override func hit(_ id: ObjectID) {
        main.refresh(id)
        guard small.contains(id) else { return }
        super.hit(id)
        if isDue(id) { main.append(id, small.take(id)!) }
    }

    override func miss(_ request: NaiveRequest, _ known: Bool) {
        guard request.weight <= smallLimit else { return }
        while weight + request.weight > capacity {
            if main.weight > mainLimit || small.isEmpty {
                step.evicted.append(main.takeOldest().id)
            } else {
                leaveSmall(small.takeOldest())
            }
        }
        counts[request.id] = 0
        if known { main.append(request.id, request.weight) } else { small.append(request.id, request.weight) }
    }
}

/// Clock2Q+ over three queues; an object's place in the small queue says whether it is in the window.
final class NaiveClock2QPlus: NaiveSmallAndMain {
    /// Objects that were once out of the window, which they cannot enter again while they stay in the small queue.
    private var ripe: Set<ObjectID> = []

    override var largest: Int { 1 }
    override func isDue(_ id: ObjectID) -> Bool { ripe.contains(id) && super.isDue(id) }

    override func hit(_ id: ObjectID) {
        if main.contains(id) {
            counts[id] = 1
        } else if ripe.contains(id) {
            counts[id, default: 0] += 1
        }
    }

    override func miss(_ request: NaiveRequest, _ known: Bool) {
        if !isPaper, request.weight > smallLimit { return }
        while weight + request.weight > capacity { evict() }
        if !isPaper, request.weight == smallLimit, !known { return }
        counts[request.id] = 0
        ripe.remove(request.id)
        if known || !isPaper && isFilling && small.weight >= smallLimit {
            main.append(request.id, request.weight)
        } else {
            small.append(request.id, request.weight)
            ripen()
        }
    }

    private func ripen() {
        let window = Double(smallLimit) * parameters.number("window")
        for (place, object) in small.items.enumerated() {
            let behind = small.items[(place + 1)...]
            let length = isPaper ? behind.reduce(0) { $0 + $1.weight } : behind.count
            if Double(length) >= window { ripe.insert(object.id) }
        }
    }
}

/// S3-FIFO-D with a list of watched ghosts on either side.
final class NaiveS3FIFOD: NaiveSmallAndMain {
    private var lostBySmall = NaiveQueue()
    private var lostByMain = NaiveQueue()
    private var regrets = (small: 0, main: 0)
    private lazy var firstSmall = max(1, naiveShare(capacity, parameters, "small"))
    private lazy var watched = naiveShare(capacity, parameters, "watch")

    override var ghosts: [ObjectID] { ghost.ids + lostByMain.ids }
    override var ghostLimit: Int { capacity - firstSmall + (smallLimit - firstSmall) }

    override func remove(_ id: ObjectID) {
        super.remove(id)
        lostBySmall.take(id)
        lostByMain.take(id)
    }

    override func access(_ request: NaiveRequest) -> NaiveStep {
        adapt()
        if !residents.contains(request.id), request.weight <= capacity {
            if lostBySmall.contains(request.id) { regrets.small += 1 }
            if lostByMain.contains(request.id) { regrets.main += 1 }
        }
        if !residents.contains(request.id) {
            lostBySmall.take(request.id)
            lostByMain.take(request.id)
        }
        return super.access(request)
    }

    override func miss(_ request: NaiveRequest, _ known: Bool) {
        if !isPaper, request.weight > smallLimit || known && request.weight > mainLimit { return }
        while weight + request.weight > capacity {
            if !small.isEmpty, !isPaper || small.weight >= smallLimit || main.isEmpty {
                while promotes(small.takeOldest()), isPaper, !small.isEmpty {}
            } else {
                regret(of: { leaveMain() }, into: &lostByMain)
            }
        }
        counts[request.id] = 0
        guard known else { return small.append(request.id, request.weight) }
        while !isPaper, main.weight + request.weight > mainLimit { leaveMain() }
        main.append(request.id, request.weight)
    }

    private func adapt() {
        if lostByMain.isEmpty { regrets = (0, 0) }
        guard regrets.small + regrets.main > 100 else { return }
        let step = max(1, min(smallLimit, mainLimit) / 1000)
        if regrets.small > 2 * regrets.main, mainLimit > capacity / 100 {
            smallLimit += step
        } else if regrets.main > 2 * regrets.small, smallLimit > max(isPaper ? 1 : 0, capacity / 100) {
            smallLimit -= step
        }
        regrets = (Int(Double(regrets.small) * 0.8), Int(Double(regrets.main) * 0.8))
    }

    private func promotes(_ oldest: (id: ObjectID, weight: Int)) -> Bool {
        if counts[oldest.id, default: 0] >= parameters.integer("threshold") {
            counts[oldest.id] = 0
            main.append(oldest.id, oldest.weight)
            while main.weight > mainLimit { regret(of: { leaveMain() }, into: &lostByMain) }
            return true
        }
        leaveSmall(oldest)
        if oldest.weight <= ghostLimit { watch(oldest, in: &lostBySmall) }
        for item in lostBySmall.items where !ghost.contains(item.id) { lostBySmall.take(item.id) }
        return false
    }

    private func regret(of leave: () -> Void, into list: inout NaiveQueue) {
        let before = main.items
        leave()
        for object in before where !main.contains(object.id) { watch(object, in: &list) }
    }

    private func watch(_ object: (id: ObjectID, weight: Int), in list: inout NaiveQueue) {
        guard object.weight <= watched else { return }
        while list.weight + object.weight > watched { _ = list.takeOldest() }
        list.append(object.id, object.weight)
    }
}
