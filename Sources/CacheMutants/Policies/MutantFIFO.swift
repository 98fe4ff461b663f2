import CacheCore

/// A FIFO over plain arrays with the defect that its parameter names.
struct MutantFIFO<Sizes: SizeStore & ~Copyable>: EvictionPolicy {
    private final class Queue {
        var items: [(id: ObjectID, weight: Int)] = []
        var last: ObjectID?
        var inserted = 0
    }

    /// What a lookup may change, for the defects that change something there.
    private let queue = Queue()
    private let capacity: Int
    private let bug: PolicyDefect?
    private var generator: SeededGenerator
    private var drift = 0

    static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "mutant-fifo", family: "recency", summary: "A FIFO with a defect.", citation: "none",
            parameters: [
                ParameterSpecification(
                    "bug", .choice(default: "none", ["none"] + PolicyDefect.allCases.map(\.rawValue)), "The defect.")
            ])
    }

    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        bug = PolicyDefect(rawValue: configuration.parameters.text("bug"))
        generator = SeededGenerator(seed: configuration.seed)
    }

    var residentCount: Int { queue.items.count + (bug == .driftsCount ? drift : 0) }
    var residentWeight: Int { weight + (bug == .driftsWeight ? drift : 0) }
    private var weight: Int {
        let sum = queue.items.reduce(0) { $0 + $1.weight }
        return bug == .cutsWeights ? sum % (1 << 32) : sum
    }
    private func place(of id: ObjectID) -> Int? { queue.items.firstIndex { $0.id == id } }

    mutating func touch(_ request: Request) -> Bool {
        let found = place(of: request.id)
        if let found, bug == .losesHits { queue.items.remove(at: found) }
        if bug == .hitsGhosts, queue.last == request.id { return true }
        if bug == .missesLast, queue.items.last?.id == request.id { return false }
        return found != nil
    }

    mutating func insert<Sink: EvictionSink & ~Copyable>(_ request: Request, evicting sink: inout Sink) -> Bool {
        let weight = Sizes.weight(of: request)
        if bug == .missesLast, let old = place(of: request.id) { queue.items.remove(at: old) }
        if bug == .emptiesForOversized, weight > capacity { makeRoom(for: capacity, into: &sink) }
        guard weight <= capacity || bug == .admitsOversized else {
            if bug != .keepsRefused { sink.forgotten(request.id) }
            if bug == .forgetsTwice { sink.forgotten(request.id) }
            return bug == .claimsEntry
        }
        makeRoom(for: bug == .cutsWeights ? weight % (1 << 32) : weight, into: &sink)
        queue.inserted += 1
        if bug == .evictsEarly, queue.inserted.isMultiple(of: 5), !queue.items.isEmpty { evict(at: 0, into: &sink) }
        queue.items.append((request.id, weight))
        if bug == .forgetsResident, queue.inserted.isMultiple(of: 10) { sink.forgotten(request.id) }
        return !(bug == .deniesEntry && queue.inserted.isMultiple(of: 8))
    }

    private mutating func makeRoom<Sink: EvictionSink & ~Copyable>(for weight: Int, into sink: inout Sink) {
        let limit = capacity + (bug == .overfills ? 1 : 0)
        while self.weight + weight > limit, !queue.items.isEmpty {
            let before = self.weight
            evict(at: victim(), into: &sink)
            if bug == .driftsWeight { drift += before - self.weight - weight }
        }
    }

    private mutating func victim() -> Int {
        switch bug {
        case .rollsDice: Int.random(in: queue.items.indices)
        case .followsSeed: generator.next(below: queue.items.count)
        case .evictsNewest: queue.items.count - 1
        default: 0
        }
    }

    private func evict<Sink: EvictionSink & ~Copyable>(at place: Int, into sink: inout Sink) {
        let id = queue.items.remove(at: place).id
        queue.last = id
        if bug != .hidesVictims { sink.evicted(bug == .tellsStaying ? queue.items.last?.id ?? id : id) }
        if bug == .tellsTwice { sink.evicted(id) }
        if bug != .keepsVictims { sink.forgotten(id) }
    }

    mutating func remove(_ id: ObjectID) {
        guard bug != .ignoresRemove, let place = place(of: id) else { return }
        queue.items.remove(at: place)
        if bug == .driftsCount { drift += 1 }
        if bug == .removesNeighbour, place < queue.items.count { queue.items.remove(at: place) }
    }

    func contains(_ id: ObjectID) -> Bool {
        guard let place = place(of: id) else { return false }
        if bug == .peeks { queue.items.removeFirst() }
        if bug == .counts { queue.items.append(queue.items.remove(at: place)) }
        return true
    }

    mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        if bug == .turnsWhenAsked, !queue.items.isEmpty { queue.items.append(queue.items.removeFirst()) }
        return bug == .namesNewest ? queue.items.last?.id : queue.items.first?.id
    }

    var canServeBlock: Bool { bug == .exchangesNewest && Sizes.isUnit && queue.items.count == capacity }

    mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var misses: UInt64 = 0
        for position in 0..<block.count {
            let isMiss = place(of: block[position]) == nil
            if isMiss { queue.items[queue.items.count - 1] = (block[position], 1) }
            misses = misses << 1 | (isMiss ? 1 : 0)
        }
        return misses
    }
}

/// The same rule in the plainest way: the mutants' twin.
struct PlainFIFO<Sizes: SizeStore & ~Copyable>: EvictionPolicy {
    private var items: [(id: ObjectID, weight: Int)] = []
    private let capacity: Int

    static var descriptor: PolicyDescriptor { MutantFIFO<Sizes>.descriptor }

    init(_ configuration: PolicyConfiguration) throws(AssayError) { capacity = configuration.capacity.amount }

    var residentCount: Int { items.count }
    var residentWeight: Int { items.reduce(0) { $0 + $1.weight } }
    mutating func touch(_ request: Request) -> Bool { contains(request.id) }
    mutating func remove(_ id: ObjectID) { items.removeAll { $0.id == id } }
    func contains(_ id: ObjectID) -> Bool { items.contains { $0.id == id } }

    mutating func insert<Sink: EvictionSink & ~Copyable>(_ request: Request, evicting sink: inout Sink) -> Bool {
        let weight = Sizes.weight(of: request)
        guard weight <= capacity else {
            sink.forgotten(request.id)
            return false
        }
        while residentWeight + weight > capacity {
            let id = items.removeFirst().id
            sink.evicted(id)
            sink.forgotten(id)
        }
        items.append((request.id, weight))
        return true
    }
}
