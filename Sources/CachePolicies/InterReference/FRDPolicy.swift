public import CacheCore
internal import PolicySupport

/// A filter takes in new objects; those that come back after they have left it enter a stack of their own.
///
/// Park and Park, "FRD: a filtering based buffer cache algorithm that considers both frequency and reuse distance", MSST
/// 2017. The filter is an LRU of a tenth of the capacity. The reuse distance stack holds the other residents and, in
/// order of recency, the history of what passed through the filter since the oldest of them was requested. A miss that
/// the history knows takes the place of the oldest resident of the stack, any other that of the oldest of the filter.
/// Until the cache is full newcomers fill the stack, then the filter, and have no history: one in the filter is not in
/// the stack until it is hit. The paper sets no bound to the history; here the oldest gives way.
///
/// Every operation is O(1), amortised: history leaves the stack once for each time it entered. 4 bytes an object of the
/// trace and 28 a resident object or ghost (36 in bytes). The filter is rounded up: capacity 1 has nothing else and is
/// an LRU, 2 and 3 have one object in the filter. An object larger than the capacity is never admitted. In bytes the
/// shares are weights: a newcomer larger than the filter takes room in the filter first and then in the stack, and an
/// object larger than the stack's share enters the filter again. Caffeine follows these rules without a bound, which
/// `history=1000` comes near; capacity 1 crashes there.
public struct FRDPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private typealias Table = LIRSTable<Sizes>
    private typealias Status = LIRSTable<Sizes>.Status

    private var table: LIRSTable<Sizes>
    private let stackLimit: Int
    private let historyLimit: Int
    private var newWeight = 0
    private var entersStack = false
    /// Whether something has left for the newcomer.
    private var madeRoom = false
    /// The most weight that may be resident.
    public let capacity: Int

    /// The share of the filter and the bound of the history.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "frd", family: "inter-reference",
            summary: "A small LRU filters newcomers for a stack that remembers what passed through it.",
            citation: "Park and Park, MSST 2017",
            parameters: [
                ParameterSpecification(
                    "filter", .number(default: 0.1, 0...1), "The share of the filter, rounded up."),
                ParameterSpecification(
                    "history", .number(default: 8, 0...1000),
                    "The most weight of what is remembered, as a multiple of the capacity; the paper has no bound."),
            ],
            memory: MemoryCost(
                perObject: 4, perResident: 28, perGhost: 28, ghosts: 8, ghostsByParameter: ["history": 1]))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        stackLimit = Int(Double(capacity) * (1 - configuration.parameters.number("filter")))
        historyLimit = configuration.share("history")
        table = LIRSTable(
            objects: configuration.objects.count,
            slots: configuration.residentLimit + configuration.objectLimit(of: historyLimit))
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.lirWeight + table.queueWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Moves the object to the top of the stack and, if it is in the filter, to the front of that.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.slot(of: request.id)
        guard slot != Table.none else { return false }
        let status = table.status(at: slot)
        guard status < Status.ghost else { return false }
        if status == Status.lir {
            let wasBottom = table.bottom == slot
            table.raise(slot)
            if wasBottom { table.prune() }
        } else {
            if table.isInStack(slot) { table.raise(slot) } else if table.bottom != Table.none { table.push(slot) }
            table.requeue(slot)
        }
        return true
    }

    /// Takes the history of the object, if there is any, and reports what hits made the stack forget.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        table.report(except: request.id, into: &sink)
        let slot = table.slot(of: request.id)
        let wasRemembered = slot != Table.none
        if wasRemembered { table.remove(slot) }
        newWeight = weight
        entersStack = wasRemembered && weight <= stackLimit
        madeRoom = false
        return true
    }

    /// Evicts the oldest resident of the stack for what enters there, that of the filter otherwise.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        madeRoom = true
        if entersStack && table.lirWeight + newWeight > stackLimit || table.oldestInQueue == Table.none {
            table.evictBottom(into: &sink)
        } else {
            table.evictOldestInQueue(ghostLimit: historyLimit, into: &sink)
        }
    }

    /// Puts what the history knew on top of the stack, and other objects where there is room, in the filter if nowhere.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        while entersStack, table.lirWeight + weight > stackLimit { table.evictBottom(into: &sink) }
        table.report(except: request.id, into: &sink)
        if entersStack || !madeRoom && table.lirWeight + weight <= stackLimit {
            table.addLIR(request.id, weight: weight)
        } else {
            table.addHIR(request.id, weight: weight, toStack: madeRoom && table.bottom != Table.none)
        }
    }

    /// Takes the object out of the filter and the stack.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Table.none else { return }
        table.remove(slot)
        table.prune()
    }

    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }
}
