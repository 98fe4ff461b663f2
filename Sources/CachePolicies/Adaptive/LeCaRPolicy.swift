public import CacheCore
internal import PolicySupport

/// Lets LRU and LFU choose victims, each as often as its past victims deserve.
///
/// Vietri et al., "Driving cache replacement with ML-based LeCaR", HotStorage 2018. If the LRU and the LFU object differ,
/// one of the two is drawn by the experts' weights, and the victim enters that expert's history. A miss found in a
/// history takes weight from its expert by `exp(-learning-rate * d^t)`, where `t` is the number of requests since the
/// eviction and `d` is `discount^(1/N)` for a cache of `N` objects; the object returns with the count it had, plus one.
/// Where the paper is silent, the authors' program is followed: each history is half the capacity, nothing is
/// remembered when the experts agree, and no weight falls below a hundredth. Ties of LFU fall by recency.
///
/// Every operation is O(1), but for a returning ghost's, which is O(counts that occur). 4 bytes an object of the trace, 64 a resident
/// object and 36 a ghost (8 more in bytes). Any capacity from 1 on works alike, with no history at 1; an object larger than the
/// capacity is never admitted, one larger than a history leaves no ghost. In bytes histories are weighed too, sizes play no part
/// in the choice, and `N` is how many are resident.
///
/// libCacheSim's `lecar` draws from an unseeded generator, so no dialect can follow it; it differs in that a returning
/// object starts at count 1, weights are compared in hundredths, and ghosts on which both agreed stay until the object
/// is asked for again.
public struct LeCaRPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var resident: UInt32 { 0 }
    /// What LRU and what LFU has evicted.
    private static var recencyGhosts: UInt32 { 1 }
    private static var frequencyGhosts: UInt32 { 2 }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    /// The residents by recency, and the histories.
    private var table: SegmentTable<Sizes>
    /// The residents by count.
    private var order: CountedOrder
    /// The request at which the ghost in a slot was evicted.
    private let evictions: FixedBuffer<UInt32>
    private var weights: ExpertWeights
    private var generator: SeededGenerator
    private var time: UInt32 = 0
    private var newCount: UInt32 = 1
    private let learningRate: Double
    private let logarithmOfDiscount: Double
    private let historyLimit: Int
    /// The most weight that may be resident.
    public let capacity: Int

    /// The rates of learning and of forgetting, and how the experts start.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lecar", family: "adaptive", summary: "Learns how often to follow LRU and how often LFU.",
            citation: "Vietri et al., HotStorage 2018",
            parameters: [
                ParameterSpecification(
                    "learning-rate", .number(default: 0.45, 0.001...10), "How much weight an error costs an expert."),
                ParameterSpecification(
                    "discount", .number(default: 0.005, 0.000001...1),
                    "What is left of an error's cost when as many requests have passed as the cache holds objects."),
                ParameterSpecification(
                    "weight", .number(default: 0.5, 0.0001...0.9999), "The weight that LRU starts with."),
                ParameterSpecification(
                    "history", .number(default: 0.5, 0...2), "The size of each history as a share of the capacity."),
                ParameterSpecification(
                    "least", .number(default: 0.01, 0.0001...0.5), "The weight that no expert falls below."),
            ], isDeterministic: false,
            memory: MemoryCost(
                perObject: 4, perResident: 64, perGhost: 36, ghosts: 1, ghostsByParameter: ["history": 2]))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        let (first, least) = (parameters.number("weight"), parameters.number("least"))
        guard (least...(1 - least)).contains(first) else {
            throw AssayError(
                .usage, "lecar: weight=\(first) is out of range; it goes from least (\(least)) to 1 - least.")
        }
        let history = configuration.share("history")
        let objects = configuration.objects.count
        capacity = configuration.capacity.amount
        historyLimit = history
        learningRate = parameters.number("learning-rate")
        logarithmOfDiscount = PortableMath.log(parameters.number("discount"))
        weights = ExpertWeights(first: first, least: least)
        generator = SeededGenerator(seed: configuration.seed)
        let residents = configuration.residentLimit
        let slots = min(objects, residents + 2 * configuration.objectLimit(of: history))
        table = SegmentTable(objects: objects, slots: slots, resident: 1, ghosts: 2)
        // The ends of the lists have slots too.
        order = CountedOrder(slots: slots + 3, residents: residents)
        evictions = FixedBuffer(repeating: 0, count: slots + 3)
    }

    public var residentCount: Int { table.residentCount }
    public var residentWeight: Int { table.residentWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Makes the object the most recent and counts the hit.
    public mutating func touch(_ request: Request) -> Bool {
        time &+= 1
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        table.moveToHead(slot)
        order.raise(slot)
        return true
    }

    /// Blames the expert in whose history the object is, and forgets it there.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        newCount = 1
        let slot = table.slot(of: request.id)
        guard slot != Self.none else { return true }
        let age = Double(time &- evictions[slot])
        let objects = Sizes.isUnit ? capacity : max(1, table.residentCount)
        let regret = learningRate * PortableMath.exp(logarithmOfDiscount * age / Double(objects))
        if table.segment(at: slot) == Self.recencyGhosts {
            weights.blameFirst(regret)
        } else {
            weights.blameSecond(regret)
        }
        newCount = order.count(of: slot) &+ 1
        table.release(slot)
        return true
    }

    /// Evicts what the experts agree on, or the choice of the one that is drawn.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let (oldest, rarest) = (table.tail(of: Self.resident), order.oldestOfLowest)
        // Drawn even if the experts agree, so that what follows does not depend on whether they do.
        let takesOldest = generator.nextUnit() < weights.first
        let victim = takesOldest ? oldest : rarest
        order.remove(victim)
        guard oldest != rarest else { return table.evict(victim, into: &sink) }
        evictions[victim] = time
        table.evict(
            victim, toGhosts: takesOldest ? Self.recencyGhosts : Self.frequencyGhosts, limit: historyLimit, into: &sink)
    }

    /// Makes the object the most recent.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        order.insert(table.add(request.id, weight: weight, toHeadOf: Self.resident), count: newCount)
    }

    /// Takes the object out of its lists.
    public mutating func remove(_ id: ObjectID) {
        let slot = table.slot(of: id)
        guard slot != Self.none else { return }
        if table.isResident(slot) { order.remove(slot) }
        table.release(slot)
    }

    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) {
        table.prefetchEntry(id)
        order.prefetch(table.slot(of: id))
    }
    public func prefetchNeighbours(_ id: ObjectID) {
        table.prefetchNeighbours(id)
        order.prefetchNeighbours(table.slot(of: id))
    }
}
