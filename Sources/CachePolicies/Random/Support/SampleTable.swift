internal import CacheCore
internal import PolicySupport

/// Whose draws a sampling policy makes.
enum SampleRules: String, Dialect {
    case paper, caffeine

    /// The parameters of a policy that takes that many samples by default.
    static func parameters(samples: Int) -> [ParameterSpecification] {
        [
            ParameterSpecification(
                "samples", .integer(default: samples, 1...1000),
                "How many residents are drawn, with replacement, to find a victim among them."),
            parameter,
        ]
    }
}

/// The residents of a policy that draws its victims: an array in no order, with a stamp of the policy's own for each, apart
/// from the ids so that a look at random residents reads little else.
///
/// The newcomer enters first, at the array's end, and is never drawn; a leaver's place is filled by the last resident,
/// which is the newcomer at the first eviction. Numbers come from the configuration's seed, without bias. By Caffeine's
/// rules they come from `java.util.Random` and its settings' seed, over all places and the newcomer's too, and are
/// drawn again where they meet the newcomer.
///
/// Memory: 4 bytes an object of the trace; 4 bytes and a stamp a resident, 8 more when sizes are kept, and 8 more for
/// worths. All operations are O(1), a choice O(samples).
struct SampleTable<Stamp: BitwiseCopyable, Sizes: SizeStore & ~Copyable>: ~Copyable {
    static var none: UInt32 { .max }

    let places: FixedBuffer<UInt32>
    let ids: FixedBuffer<ObjectID>
    let stamps: FixedBuffer<Stamp>
    /// What each resident is worth; empty unless asked for.
    let worths: FixedBuffer<Double>
    private let sizes: Sizes
    var generator: WyrandGenerator
    private var java = JavaRandom(seed: JavaRandom.caffeineSeed)
    private let capacity: Int
    let samples: Int
    private let rules: SampleRules
    /// The places of samples among which the lowest is.
    let low: FixedBuffer<UInt32>
    private var weightInUse = 0
    /// The place of the resident that the next eviction takes; `none` if that is still to be drawn.
    private var drawn = Self.none
    /// The number of residents.
    private(set) var count = 0

    /// An empty table with the configuration's `samples` and dialect; `filler` is any stamp. Residents are worth 1 unless
    /// it is told that they have worths of their own.
    init(_ configuration: PolicyConfiguration, filler: Stamp, hasWorths: Bool = false) {
        self.init(
            configuration, samples: configuration.parameters.integer("samples"), rules: SampleRules(configuration),
            filler: filler, hasWorths: hasWorths)
    }

    /// An empty table that takes `samples` draws a victim; `filler` is any stamp.
    init(
        _ configuration: PolicyConfiguration, samples: Int, rules: SampleRules, filler: Stamp, hasWorths: Bool = false
    ) {
        // The newcomer enters before room is made for it.
        let limit = configuration.residentLimit + 1
        capacity = configuration.capacity.amount
        generator = WyrandGenerator(seed: configuration.seed)
        self.samples = samples
        low = FixedBuffer(repeating: 0, count: samples + 1)
        self.rules = rules
        places = FixedBuffer(repeating: Self.none, count: configuration.objects.count)
        ids = FixedBuffer(repeating: 0, count: limit)
        stamps = FixedBuffer(repeating: filler, count: MemoryLayout<Stamp>.size > 0 ? limit : 0)
        worths = FixedBuffer(repeating: 1, count: hasWorths ? limit : 0)
        sizes = Sizes(slots: limit)
    }

    /// The total weight of the residents.
    var weight: Int { Sizes.isUnit ? count : weightInUse }

    /// Whether an object is resident.
    func contains(_ id: ObjectID) -> Bool { places[id] != Self.none }

    /// Asks the processor to fetch an id's entry in the index.
    func prefetch(_ id: ObjectID) { places.prefetch(id) }

    /// Asks the processor to fetch a resident's stamp.
    func prefetchEntry(_ id: ObjectID) { stamps.prefetchIfFar(places[id]) }

    /// Stores a resident's stamp, if there is anything in it.
    @inline(__always)
    func setStamp(_ stamp: Stamp, at place: UInt32) {
        if MemoryLayout<Stamp>.size > 0 { stamps[place] = stamp }
    }

    /// Changes the stamp of an object and returns true if it is resident.
    @inline(__always)
    func touch(_ id: ObjectID, _ body: (inout Stamp) -> Void) -> Bool {
        let place = places[id]
        guard place != Self.none else { return false }
        stamps.update(place, body)
        return true
    }

    /// Lets an object in and evicts residents until all fits, each time the sample with the lowest rank; among equals
    /// the one that was drawn first. Returns false for an object that can never fit.
    @inline(__always)
    mutating func insert<Rank: Comparable, Sink: EvictionSink & ~Copyable>(
        _ request: Request, stamp: Stamp, evicting sink: inout Sink, rank: (Stamp) -> Rank
    ) -> Bool {
        let stamps = stamps.base
        return insert(request, stamp: stamp, worth: 1, evicting: &sink, rankAt: { rank(stamps[Int($0)]) })
    }

    /// The same with a worth, and ranks by places.
    @inline(__always)
    mutating func insert<Rank: Comparable, Sink: EvictionSink & ~Copyable>(
        _ request: Request, stamp: Stamp, worth: Double, evicting sink: inout Sink, rankAt rank: (UInt32) -> Rank
    ) -> Bool {
        guard add(request, stamp: stamp, refusing: &sink) else { return false }
        if worths.count > 0 { worths[UInt32(count - 1)] = worth }
        while weight > capacity {
            let known = drawn
            evict(known != Self.none ? known : lowest(of: count, sparing: places[request.id], rank), into: &sink)
        }
        drawn = Self.none
        return true
    }

    /// Draws the victim that a newcomer would push out, with the numbers that its insertion would draw: if that follows
    /// it evicts this one and draws no more for it. Nil if nothing is resident.
    mutating func drawVictim<Rank: Comparable>(rank: (Stamp) -> Rank) -> ObjectID? {
        let stamps = stamps.base
        return drawVictimByPlace { rank(stamps[Int($0)]) }
    }

    /// The same with ranks by places.
    mutating func drawVictimByPlace<Rank: Comparable>(_ rank: (UInt32) -> Rank) -> ObjectID? {
        guard count > 0 else { return nil }
        drawn = lowest(of: count + 1, sparing: UInt32(count), rank)
        return ids[drawn]
    }

    /// Lets an object in and evicts whatever is drawn first until all fits. By Caffeine's rules that may be the
    /// newcomer. Returns whether the object is resident.
    mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, stamp: Stamp, evictingAny sink: inout Sink
    ) -> Bool {
        guard add(request, stamp: stamp, refusing: &sink) else { return false }
        while weight > capacity {
            evict(drawn != Self.none ? drawn : drawAny(of: count, sparing: places[request.id]), into: &sink)
        }
        drawn = Self.none
        return contains(request.id)
    }

    /// Whether the table is full of objects that weigh 1, and the next victim is still to be drawn: then blocks may be served.
    var canServeBlock: Bool { Sizes.isUnit && rules == .paper && count == capacity && drawn == Self.none }

    /// As ``drawVictim(rank:)`` for insertions that evict whatever is drawn first, which may be the newcomer.
    mutating func drawAnyVictim(for newcomer: ObjectID) -> ObjectID? {
        guard count > 0 else { return nil }
        drawn = drawAny(of: count + 1, sparing: UInt32(count))
        return drawn == UInt32(count) ? newcomer : ids[drawn]
    }

    /// Takes an object out if it is resident.
    mutating func remove(_ id: ObjectID) {
        let place = places[id]
        if place != Self.none { release(place) }
    }

    private mutating func add<Sink: EvictionSink & ~Copyable>(
        _ request: Request, stamp: Stamp, refusing sink: inout Sink
    ) -> Bool {
        let weight = Sizes.weight(of: request)
        guard weight <= capacity else {
            sink.forgotten(request.id)
            return false
        }
        precondition(count < ids.count, "more residents than the smallest size allows")
        let place = UInt32(count)
        places[request.id] = place
        ids[place] = request.id
        setStamp(stamp, at: place)
        sizes.setWeight(weight, at: place)
        count += 1
        weightInUse += weight
        return true
    }

    private mutating func evict<Sink: EvictionSink & ~Copyable>(_ place: UInt32, into sink: inout Sink) {
        let id = ids[place]
        release(place)
        sink.evicted(id)
        sink.forgotten(id)
    }

    private mutating func release(_ place: UInt32) {
        let last = UInt32(count - 1)
        places[ids[place]] = Self.none
        count -= 1
        drawn = Self.none
        weightInUse -= sizes.weight(at: place)
        guard place != last else { return }
        ids[place] = ids[last]
        if stamps.count > 0 { stamps[place] = stamps[last] }
        if worths.count > 0 { worths[place] = worths[last] }
        places[ids[last]] = place
        sizes.setWeight(sizes.weight(at: last), at: place)
    }

    /// The place with the lowest rank of as many as are to be drawn; among equals the one drawn first.
    @inline(__always)
    mutating func lowest<Rank: Comparable>(
        of count: Int, sparing newcomer: UInt32, _ rank: (UInt32) -> Rank
    ) -> UInt32 {
        guard rules == .paper else { return lowestAsCaffeine(of: count, sparing: newcomer, rank) }
        let last = UInt32(count - 1)
        var draws = generator
        var (victim, other) = draws.nextPair(below: last)
        victim = victim == newcomer ? last : victim
        var lowest = rank(victim)
        // By selection, because nobody can foresee which is lower.
        func undercut(by drawn: UInt32) {
            let place = drawn == newcomer ? last : drawn
            let found = rank(place)
            let isLower = found < lowest
            victim = isLower ? place : victim
            lowest = isLower ? found : lowest
        }
        var left = samples &- 1
        while left > 0 {
            undercut(by: other)
            guard left > 1 else { break }
            let pair = draws.nextPair(below: last)
            undercut(by: pair.0)
            other = pair.1
            left &-= 2
        }
        generator = draws
        return victim
    }

    private mutating func lowestAsCaffeine<Rank: Comparable>(
        of count: Int, sparing newcomer: UInt32, _ rank: (UInt32) -> Rank
    ) -> UInt32 {
        var victim = draw(of: count, sparing: newcomer)
        var lowest = rank(victim)
        for _ in 1..<samples {
            let place = draw(of: count, sparing: newcomer)
            let found = rank(place)
            if found < lowest { (victim, lowest) = (place, found) }
        }
        return victim
    }

    /// One of the first `count` places other than the newcomer's. There must be one.
    @inline(__always)
    private mutating func draw(of count: Int, sparing newcomer: UInt32) -> UInt32 {
        if rules == .paper {
            let place = UInt32(generator.next(below: count - 1))
            return place == newcomer ? UInt32(count - 1) : place
        }
        while true {
            let place = UInt32(java.nextInt(below: Int32(count)))
            if place != newcomer { return place }
        }
    }

    /// One of the first `count` places; the newcomer's only by Caffeine's rules.
    private mutating func drawAny(of count: Int, sparing newcomer: UInt32) -> UInt32 {
        rules == .paper ? draw(of: count, sparing: newcomer) : UInt32(java.nextInt(below: Int32(count)))
    }
}
