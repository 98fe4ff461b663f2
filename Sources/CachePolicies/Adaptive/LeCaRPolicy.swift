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
/// A hit and a miss are O(1) amortised; where nothing resident was asked for just once, a miss is O(log n), with a block of 64
/// objects for each step. 8 bytes an object of the trace (16 in bytes), 27 a resident object and 10 a ghost. Any capacity from 1 on
/// works alike, with no history at 1; an object larger than the capacity is never admitted, one larger than a history leaves
/// no ghost. In bytes histories are weighed too, sizes play no part in the choice, and `N` is how many are resident.
///
/// libCacheSim's `lecar` draws from an unseeded generator, so no dialect can follow it; it differs in that a returning
/// object starts at count 1, weights are compared in hundredths, and ghosts on which both agreed stay until the object
/// is asked for again.
public struct LeCaRPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var recency: UInt32 { 0 }
    private static var frequency: UInt32 { 1 }

    private var log: CountedLog
    private let ghosts: TimedGhosts
    private let sizes: Sizes
    private var totalWeight = 0
    private var weights: ExpertWeights
    /// The victim is LRU's if 53 random bits are below.
    private var limit: UInt64
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
                perObject: 8, perResident: 27, perGhost: 10, ghosts: 1, ghostsByParameter: ["history": 2], fixed: 3500,
                perObjectInBytes: 16,
                perResidentInBytes: 27, perGhostInBytes: 10))
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
        limit = Self.limit(ExpertWeights(first: first, least: least))
        generator = SeededGenerator(seed: configuration.seed)
        log = CountedLog(
            objects: objects, residents: configuration.residentLimit,
            slotsPerResident: configuration.logSlotsPerResident)
        ghosts = TimedGhosts(limit: configuration.objectLimit(of: history))
        sizes = Sizes(slots: objects)
    }

    /// The number of resident objects.
    public var residentCount: Int { log.count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { Sizes.isUnit ? log.count : totalWeight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Makes the object the most recent and counts the hit.
    public mutating func touch(_ request: Request) -> Bool {
        time &+= 1
        guard contains(request.id) else { return false }
        log.raise(request.id)
        return true
    }

    /// Blames the expert in whose history the object is, and forgets it there.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        newCount = 1
        if log.place(of: request.id) != 0 { blame(request.id) }
        return true
    }

    /// Blames the expert in whose history the object is, and takes it out there.
    @inline(__always)
    private mutating func blame(_ id: ObjectID) {
        let place = log.place(of: id)
        let age = Double(time &- ghosts.time(at: place))
        let objects = Sizes.isUnit ? capacity : max(1, log.count)
        let regret = learningRate * PortableMath.exp(logarithmOfDiscount * age / Double(objects))
        if ghosts.expert(at: place) == Self.recency {
            weights.blameFirst(regret)
        } else {
            weights.blameSecond(regret)
        }
        limit = Self.limit(weights)
        newCount = log.count(of: id) &+ 1
        ghosts.take(place, weight: sizes.weight(at: id))
    }

    /// The number that 53 random bits are below as often as the first expert's weight says.
    private static func limit(_ weights: ExpertWeights) -> UInt64 { UInt64((weights.first * 0x1p53).rounded(.up)) }

    /// Evicts what the experts agree on, or the choice of the one that is drawn.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        let (oldest, rarest) = log.findVictims()
        // Drawn even if the experts agree, so that what follows does not depend on whether they do.
        let takesOldest = generator.next() >> 11 < limit
        let victim = takesOldest ? oldest : rarest
        let id = log.log.ids[victim]
        log.vacate(victim, log.count(of: id))
        let weight = sizes.weight(at: id)
        totalWeight -= Sizes.isUnit ? 0 : weight
        sink.evicted(id)
        guard oldest != rarest, weight <= historyLimit else {
            log.setPlace(0, of: id)
            return sink.forgotten(id)
        }
        remember(id, weight, by: takesOldest ? Self.recency : Self.frequency, into: &sink)
    }

    /// Makes the object the most recent.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        sizes.setWeight(weight, at: request.id)
        totalWeight += Sizes.isUnit ? 0 : weight
        log.append(request.id, count: newCount)
    }

    /// Takes the object out of its lists.
    public mutating func remove(_ id: ObjectID) {
        let place = log.place(of: id)
        guard place != 0 else { return }
        let weight = sizes.weight(at: id)
        if CountedLog.isResident(place) {
            log.vacate(place, log.count(of: id))
            totalWeight -= Sizes.isUnit ? 0 : weight
        } else {
            ghosts.take(place, weight: weight)
        }
        log.setPlace(0, of: id)
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { CountedLog.isResident(log.place(of: id)) }
    /// Fetches what is known of the object.
    public func prefetch(_ id: ObjectID) { log.prefetch(id) }
    /// Whether the cache is full of objects that weigh 1.
    public var canServeBlock: Bool { Sizes.isUnit && log.count == capacity }
    /// Serves requests without asking first whether they hit, and evicts afterwards.
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var (position, misses) = (0, UInt64(0))
        // Whether the last request returned a ghost whose victim has not left yet. Others must be known to be rare besides it, since
        // what returns is not.
        var owed = 0
        while position < block.count {
            let run = log.serve(block, from: position, owed: owed)
            time &+= UInt32(truncatingIfNeeded: run.requests)
            settle(UInt64(owed) << UInt64(run.requests) | run.misses, of: run.requests + owed)
            misses = misses << UInt64(run.requests) | run.misses
            position += run.requests
            owed = 0
            guard run.isCut else { continue }
            prefetch(block.upcoming(position))
            let id = block[position]
            if log.isGhost(id), log.zones.rare.count > 1 {
                returnGhost(id)
                owed = 1
                misses = misses << 1 | 1
            } else {
                misses = misses << 1 | serveAlone(id)
            }
            position += 1
        }
        settle(UInt64(owed), of: owed)
        return misses
    }

    /// Makes a ghost resident; somebody is to leave for it.
    @inline(__always)
    private mutating func returnGhost(_ id: ObjectID) {
        time &+= 1
        blame(id)
        log.append(id, count: newCount)
        log.count -= 1
    }

    @inline(never)
    private mutating func serveAlone(_ id: ObjectID) -> UInt64 {
        var sink = CountingSink()
        let request = Request(id: id, size: 1, index: 0)
        if touch(request) { return 0 }
        _ = insert(request, evicting: &sink)
        return 1
    }

    /// Makes up for the evictions of the last requests: as ``evictOne(into:)`` for each miss.
    @inline(never)
    private mutating func settle(_ misses: UInt64, of requests: Int) {
        guard misses != 0 else { return }
        var rest = misses << UInt64(64 - requests)
        var moment = time &- UInt32(truncatingIfNeeded: requests)
        var (victims, random) = (log.candidates(), generator)
        let limit = limit
        repeat {
            let hits = UInt32(truncatingIfNeeded: rest.leadingZeroBitCount)
            moment &+= hits &+ 1
            rest = (rest &<< UInt64(hits)) &<< 1
            let expert: UInt32 = random.next() &>> 11 < limit ? Self.recency : Self.frequency
            let id = log.take(expert, &victims)
            if victims.agree || historyLimit == 0 {
                log.setPlace(0, of: id)
            } else {
                if ghosts.weight(of: expert) == historyLimit {
                    ghosts.lose(1, of: expert)
                    log.setPlace(0, of: ghosts.dropOldest(of: expert))
                }
                if ghosts.isFull(expert) { packGhosts(of: expert) }
                log.setPlace(ghosts.append(id, weight: 1, at: moment, to: expert), of: id)
            }
        } while rest != 0
        generator = random
        log.keep(victims)
    }

    @inline(never)
    private func packGhosts(of expert: UInt32) {
        let words = log.words.base
        ghosts.pack(expert) { words[Int($0)] = words[Int($0)] & ~UInt64(UInt32.max) | UInt64($1) }
    }

    /// Puts an object into the history of an expert, whose oldest ghosts make room for it.
    @inline(__always)
    private mutating func remember<Sink: EvictionSink & ~Copyable>(
        _ id: ObjectID, _ weight: Int, by expert: UInt32, into sink: inout Sink
    ) {
        while ghosts.weight(of: expert) > historyLimit - weight {
            let ghost = ghosts.dropOldest(of: expert)
            ghosts.lose(sizes.weight(at: ghost), of: expert)
            log.setPlace(0, of: ghost)
            sink.forgotten(ghost)
        }
        if ghosts.isFull(expert) { packGhosts(of: expert) }
        log.setPlace(ghosts.append(id, weight: weight, at: time, to: expert), of: id)
    }
}
