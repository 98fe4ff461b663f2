public import CacheCore
internal import PolicySupport

/// Keeps the objects whose last two requests were closest together, by the number of other objects between them.
///
/// Jiang and Zhang, "LIRS: an efficient low inter-reference recency set replacement policy to improve buffer cache
/// performance", SIGMETRICS 2002. LIR objects (low inter-reference recency) hold all of the cache but the share of the HIR objects (high), which wait in a
/// queue `Q` for eviction. The stack `S` orders by recency the LIR objects and whatever was requested since the least
/// recent of them, ghosts too: what is requested while it is there becomes LIR, and the LIR object at the bottom becomes
/// HIR. As in the authors' program, which made the published results, a request for the object on top of the stack
/// changes nothing. The paper sets no bound to the ghosts; here those that were evicted first give way. A miss is `VictimPolicy.insert`:
/// `willAdmit` takes the ghost, `evictOne` until there is room, `admit`. The steps on the lists are in `LIRSTable`.
///
/// Every operation is O(1), amortised: an object leaves the stack once for each time it entered. 4 bytes an object of
/// the trace and 28 a resident object or ghost (36 in bytes). Below 101 objects one is HIR, so that capacity 1 is an
/// LRU, 2 keeps one LIR object, and 3 keeps two. An object larger than the capacity is never admitted. In bytes the
/// shares are weights: a newcomer that fits beside the LIR objects in their share is LIR; one that is larger than the
/// HIR share pushes LIR objects into the queue until there is room, and one that is larger than the LIR share stays HIR.
/// Caffeine follows these rules with its default of twice the capacity for the ghosts, which is the default here.
///
/// Dialect `libcachesim`: takes none of the other parameters. The HIR share is 1 % rounded down, at least 1, and objects
/// larger than that are refused (capacity 1 never hits); no request is passed over; the stack may weigh twice the
/// capacity, then ghosts are dropped. What it does otherwise
/// is in `LIRSPolicy+LibCacheSim.swift`. Slots for all objects of the trace.
public struct LIRSPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    typealias Table = LIRSTable<Sizes>
    private typealias Status = LIRSTable<Sizes>.Status
    private enum Rules: String, Dialect { case paper, libcachesim }

    var table: LIRSTable<Sizes>
    private let rules: Rules
    let lirLimit: Int
    private let ghostLimit: Int
    /// Whether the newcomer was a ghost of the stack.
    private(set) var wasInStack = false
    /// The most weight that may be resident.
    public let capacity: Int

    /// The share of the HIR objects, the bound of the ghosts, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lirs", family: "inter-reference",
            summary: "Keeps the objects with the fewest other objects between their last two requests.",
            citation: "Jiang and Zhang, SIGMETRICS 2002",
            parameters: [
                ParameterSpecification(
                    "hir", .number(default: 0.01, 0...1), "The share of the HIR objects, rounded up."),
                ParameterSpecification(
                    "hir-minimum", .integer(default: 1, 1...Capacity.largestAmount),
                    "The least weight that HIR objects may have; the authors' program has 2."),
                ParameterSpecification(
                    "non-resident", .number(default: 2, 0...1000),
                    "The most weight of the ghosts, as a multiple of the capacity; the paper has no bound."),
                Rules.parameter,
            ],
            memory: MemoryCost(
                perObject: 4, perResident: 28, perGhost: 28, ghosts: 2, ghostsByParameter: ["non-resident": 1]),
            deviations: ["dialect=libcachesim": [.evictsOnHit, .servesUncounted]])
    }

    /// An empty cache.
    ///
    /// - Throws: `AssayError` with code `usage` for a parameter that libCacheSim's dialect does not have.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let amount = configuration.capacity.amount
        let dialect = Rules(configuration)
        for name in ["hir", "hir-minimum", "non-resident"]
        where dialect == .libcachesim && configuration.parameters.isGiven(name) {
            throw AssayError(.usage, "lirs: \(name) goes with dialect=paper only; libCacheSim fixes it. Leave it out.")
        }
        let objects = configuration.objects.count
        let ghosts = configuration.share("non-resident")
        var hirLimit = max(1, Int(Double(amount) * 0.01))
        // A stray has a slot beyond the residents and ghosts that its dialect counts.
        var slots = objects
        if dialect == .paper {
            let share = amount - Int(Double(amount) * (1 - configuration.parameters.number("hir")))
            hirLimit = min(amount, max(share, configuration.parameters.integer("hir-minimum")))
            slots = configuration.residentLimit + configuration.objectLimit(of: ghosts)
        }
        capacity = amount
        rules = dialect
        lirLimit = amount - hirLimit
        ghostLimit = ghosts
        table = LIRSTable(objects: objects, slots: slots)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.lirWeight + table.queueWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// An LIR object goes to the top of `S`. An HIR object in `S` becomes LIR; one in `Q` alone goes to the top of `S` and the end of `Q`.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.slot(of: request.id)
        guard slot != Table.none, table.isResident(slot) else { return false }
        if table.status(at: slot) == Status.lir {
            let wasBottom = table.bottom == slot
            table.raise(slot)
            if wasBottom || rules == .libcachesim { table.prune() }
        } else if rules == .libcachesim {
            hitByLibCacheSim(slot)
        } else if table.isInStack(slot) {
            if table.top != slot { hitInStack(slot) }
        } else {
            // Without an LIR object below it nothing is recent enough for the stack.
            if table.bottom != Table.none { table.push(slot) }
            table.requeue(slot)
        }
        return true
    }

    /// Takes the ghost, if there is one, and reports what hits made leave.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        // A hit has no sink: the ghosts that it pruned are reported here.
        table.report(except: request.id, into: &sink)
        // What still has a slot and is not resident is a ghost, and ghosts are in the stack.
        let slot = table.slot(of: request.id)
        wasInStack = slot != Table.none
        if wasInStack { table.remove(slot) }
        return rules == .paper || makeRoomByLibCacheSim(for: weight)
    }

    /// Evicts the oldest object of `Q`; if that is empty, which happens in bytes only, the LIR object at the bottom goes there first.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if table.oldestInQueue == Table.none { demoteBottom() }
        table.evictOldestInQueue(ghostLimit: ghostLimit, into: &sink)
    }

    /// Makes the object LIR if it was in the stack or there is room in their share, HIR otherwise.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        table.report(except: request.id, into: &sink)
        if table.lirWeight + weight <= lirLimit {
            table.addLIR(request.id, weight: weight)
        } else if wasInStack && weight <= lirLimit {
            table.addLIR(request.id, weight: weight)
            while table.lirWeight > lirLimit { demoteBottom() }
        } else {
            // As in `touch`.
            table.addHIR(request.id, weight: weight, toStack: table.bottom != Table.none)
        }
        if rules == .libcachesim { boundStack() }
        table.report(except: .max, into: &sink)
    }

    /// Takes the object out of the stack and its queue.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Table.none else { return }
        let wasBottom = table.bottom == slot
        table.remove(slot)
        // Pruning may make a stray leave, which a removal may not do: that dialect prunes when it next looks there.
        if wasBottom, rules == .paper { table.prune() }
    }

    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    /// Makes an HIR object of the stack LIR, unless it is larger than their share, as in bytes only.
    private mutating func hitInStack(_ slot: UInt32) {
        guard table.weight(at: slot) <= lirLimit else {
            table.raise(slot)
            return table.requeue(slot)
        }
        table.promote(slot)
        while table.lirWeight > lirLimit { demoteBottom() }
    }

    /// Moves the LIR object at the bottom of the stack to the end of the queue.
    private mutating func demoteBottom() {
        let slot = table.bottom
        table.demote(slot)
        table.enqueue(slot)
        table.prune()
    }
}
