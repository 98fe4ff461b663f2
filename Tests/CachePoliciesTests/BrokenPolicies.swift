import CacheCore

/// A FIFO with one defect each: what the contract's checks must catch.
enum BrokenPolicies {
    enum Defect: String, CaseIterable {
        case overfills = "lets one object more in than fits"
        case hidesVictims = "does not report what it evicts"
        case neverForgets = "does not report what it forgets"
        case keepsGhosts = "remembers every object for ever"
        case admitsOversized = "lets an object in that is larger than the cache"
        case ignoresRemove = "keeps what is removed"
        case countsWrong = "does not count what is removed"
        case lies = "says that an object entered that it refused"
        case peeks = "changes its state in contains"
        case reportsTwice = "reports a victim twice"
    }

    static let all: [PolicyEntry] = [
        entry(Overfills.self, Overfills.self), entry(HidesVictims.self, HidesVictims.self),
        entry(NeverForgets.self, NeverForgets.self), entry(KeepsGhosts.self, KeepsGhosts.self),
        entry(AdmitsOversized.self, AdmitsOversized.self), entry(IgnoresRemove.self, IgnoresRemove.self),
        entry(CountsWrong.self, CountsWrong.self), entry(Lies.self, Lies.self), entry(Peeks.self, Peeks.self),
        entry(ReportsTwice.self, ReportsTwice.self),
    ]

    protocol Flaw { static var defect: Defect { get } }
    enum Overfills: Flaw { static let defect = Defect.overfills }
    enum HidesVictims: Flaw { static let defect = Defect.hidesVictims }
    enum NeverForgets: Flaw { static let defect = Defect.neverForgets }
    enum KeepsGhosts: Flaw { static let defect = Defect.keepsGhosts }
    enum AdmitsOversized: Flaw { static let defect = Defect.admitsOversized }
    enum IgnoresRemove: Flaw { static let defect = Defect.ignoresRemove }
    enum CountsWrong: Flaw { static let defect = Defect.countsWrong }
    enum Lies: Flaw { static let defect = Defect.lies }
    enum Peeks: Flaw { static let defect = Defect.peeks }
    enum ReportsTwice: Flaw { static let defect = Defect.reportsTwice }

    private static func entry<Kind: Flaw>(_: Kind.Type, _: Kind.Type) -> PolicyEntry {
        PolicyEntry(unit: BrokenFIFO<Kind, UnitSizes>.self, bytes: BrokenFIFO<Kind, ByteSizes>.self)
    }
}

/// A FIFO over plain arrays with the defect of `Kind`.
struct BrokenFIFO<Kind: BrokenPolicies.Flaw, Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private final class Queue {
        var items: [(id: ObjectID, weight: Int)] = []
    }
    private let queue = Queue()
    private let capacity: Int
    private var removed = 0
    private var defect: BrokenPolicies.Defect { Kind.defect }

    static var descriptor: PolicyDescriptor {
        PolicyDescriptor(name: "\(Kind.defect)", family: "recency", summary: Kind.defect.rawValue, citation: "")
    }

    init(_ configuration: PolicyConfiguration) throws(AssayError) { capacity = configuration.capacity.amount }

    var residentCount: Int { queue.items.count + (defect == .countsWrong ? removed : 0) }
    var residentWeight: Int { queue.items.reduce(0) { $0 + $1.weight } }

    mutating func touch(_ request: Request) -> Bool { queue.items.contains { $0.id == request.id } }

    mutating func insert<Sink: EvictionSink & ~Copyable>(_ request: Request, evicting sink: inout Sink) -> Bool {
        let weight = Sizes.weight(of: request)
        guard weight <= capacity || defect == .admitsOversized else {
            sink.forgotten(request.id)
            return defect == .lies
        }
        let slack = defect == .overfills ? 1 : 0
        while residentWeight + weight > capacity + slack, !queue.items.isEmpty {
            let victim = queue.items.removeFirst()
            if defect != .hidesVictims { sink.evicted(victim.id) }
            if defect == .reportsTwice { sink.evicted(victim.id) }
            if defect != .neverForgets, defect != .keepsGhosts { sink.forgotten(victim.id) }
        }
        if defect == .lies, weight == 1 {
            sink.forgotten(request.id)
            return true
        }
        queue.items.append((request.id, weight))
        return true
    }

    mutating func remove(_ id: ObjectID) {
        guard defect != .ignoresRemove else { return }
        let before = queue.items.count
        queue.items.removeAll { $0.id == id }
        removed += before - queue.items.count
    }

    func contains(_ id: ObjectID) -> Bool {
        let found = queue.items.contains { $0.id == id }
        if defect == .peeks, found, !queue.items.isEmpty { queue.items.removeFirst() }
        return found
    }
}
