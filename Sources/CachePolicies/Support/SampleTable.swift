internal import CacheCore

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

/// The residents of a policy that draws its victims: an array in no order, with a stamp of the policy's own beside each
/// id, so that a look at a random resident touches one cache line.
///
/// The newcomer enters first, at the array's end, and is never drawn; a leaver's place is filled by the last resident,
/// which is the newcomer at the first eviction. Numbers come from the configuration's seed, without bias. By Caffeine's
/// rules they come from `java.util.Random` and its settings' seed, over all places and the newcomer's too, and are
/// drawn again where they meet the newcomer.
///
/// Memory: 4 bytes an object of the trace; 4 bytes and a stamp, padded, a resident, 8 more when sizes are kept. All
/// operations are O(1), a choice O(samples).
struct SampleTable<Stamp: BitwiseCopyable, Sizes: SizeStore & ~Copyable>: ~Copyable {
    /// A resident. Not private, because Swift 6.3.1 emits a broken module for a private type in the layout of a generic
    /// one that another file uses.
    struct Entry: BitwiseCopyable {
        var id: ObjectID
        var stamp: Stamp
    }

    private static var none: UInt32 { .max }
    /// The seed of Caffeine's simulator.
    private static var caffeineSeed: Int64 { 1_033_096_058 }

    private let places: FixedBuffer<UInt32>
    private let entries: FixedBuffer<Entry>
    private let sizes: Sizes
    private var generator: SeededGenerator
    private var java = JavaRandom(seed: Self.caffeineSeed)
    private let capacity: Int
    private let samples: Int
    private let rules: SampleRules
    private var weightInUse = 0
    /// The place of the resident that the next eviction takes; `none` if that is still to be drawn.
    private var drawn = Self.none
    /// The number of residents.
    private(set) var count = 0

    /// An empty table with the configuration's `samples` and dialect; `filler` is any stamp.
    init(_ configuration: PolicyConfiguration, filler: Stamp) {
        self.init(
            configuration, samples: configuration.parameters.integer("samples"), rules: SampleRules(configuration),
            filler: filler)
    }

    /// An empty table that takes `samples` draws a victim; `filler` is any stamp.
    init(_ configuration: PolicyConfiguration, samples: Int, rules: SampleRules, filler: Stamp) {
        // The newcomer enters before room is made for it.
        let limit = configuration.residentLimit + 1
        capacity = configuration.capacity.amount
        generator = SeededGenerator(seed: configuration.seed)
        self.samples = samples
        self.rules = rules
        // One more, where an exchange writes what concerns nobody.
        places = FixedBuffer(repeating: Self.none, count: configuration.objects.count + 1)
        entries = FixedBuffer(repeating: Entry(id: 0, stamp: filler), count: limit)
        sizes = Sizes(slots: limit)
    }

    /// The total weight of the residents.
    var weight: Int { Sizes.isUnit ? count : weightInUse }

    /// Whether an object is resident.
    func contains(_ id: ObjectID) -> Bool { places[id] != Self.none }

    /// Asks the processor to fetch an id's entry in the index.
    func prefetch(_ id: ObjectID) { places.prefetch(id) }

    /// Asks the processor to fetch a resident's stamp.
    func prefetchEntry(_ id: ObjectID) { entries.prefetchIfFar(places[id]) }

    /// Changes the stamp of an object and returns true if it is resident.
    @inline(__always)
    func touch(_ id: ObjectID, _ body: (inout Stamp) -> Void) -> Bool {
        let place = places[id]
        guard place != Self.none else { return false }
        entries.update(place) { body(&$0.stamp) }
        return true
    }

    /// Lets an object in and evicts residents until all fits, each time the sample with the lowest rank; among equals
    /// the one that was drawn first. Returns false for an object that can never fit.
    @inline(__always)
    mutating func insert<Rank: Comparable, Sink: EvictionSink & ~Copyable>(
        _ request: Request, stamp: Stamp, evicting sink: inout Sink, rank: (Stamp) -> Rank
    ) -> Bool {
        guard add(request, stamp: stamp, refusing: &sink) else { return false }
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
        guard count > 0 else { return nil }
        drawn = lowest(of: count + 1, sparing: UInt32(count), rank)
        return entries[drawn].id
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

    /// Whether the table is full of objects that weigh 1 and ``exchangeAny(_:stamp:)`` may be called.
    var canExchange: Bool { Sizes.isUnit && rules == .paper && count == capacity && drawn == Self.none }

    /// Serves requests that change nothing where they hit, and each of which that misses pushes out whatever is drawn first, as
    /// ``insert(_:stamp:evictingAny:)`` does. Returns a bit for each, the lowest for the last, set where it missed.
    ///
    /// To the processor a hit is the toss of a coin, and guessing wrong costs it more than the work of both: so hits and misses
    /// take the same instructions.
    @inline(__always)
    mutating func exchangeAny(_ block: ObjectBlock, stamp: Stamp) -> UInt64 {
        var misses: UInt64 = 0
        let nobody = ObjectID(places.count - 1)
        for request in 0..<block.count {
            places.prefetch(block.upcoming(request))
            let id = block[request]
            let place = places[id]
            let missed: UInt32 = place == Self.none ? .max : 0
            var draws = generator
            let victim = UInt32(draws.next(below: count))
            generator = missed != 0 ? draws : generator
            let kept = victim & missed | place & ~missed
            // A hit writes down again what is known.
            let leaver = entries[kept].id & missed | nobody & ~missed
            places[leaver] = Self.none
            entries[kept] = Entry(id: id, stamp: stamp)
            places[id] = kept
            misses = misses &<< 1 | UInt64(missed & 1)
        }
        return misses
    }

    /// As ``drawVictim(rank:)`` for insertions that evict whatever is drawn first, which may be the newcomer.
    mutating func drawAnyVictim(for newcomer: ObjectID) -> ObjectID? {
        guard count > 0 else { return nil }
        drawn = drawAny(of: count + 1, sparing: UInt32(count))
        return drawn == UInt32(count) ? newcomer : entries[drawn].id
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
        precondition(count < entries.count, "more residents than the smallest size allows")
        let place = UInt32(count)
        places[request.id] = place
        entries[place] = Entry(id: request.id, stamp: stamp)
        sizes.setWeight(weight, at: place)
        count += 1
        weightInUse += weight
        return true
    }

    private mutating func evict<Sink: EvictionSink & ~Copyable>(_ place: UInt32, into sink: inout Sink) {
        let id = entries[place].id
        release(place)
        sink.evicted(id)
        sink.forgotten(id)
    }

    private mutating func release(_ place: UInt32) {
        let last = UInt32(count - 1)
        let filler = entries[last]
        places[entries[place].id] = Self.none
        count -= 1
        drawn = Self.none
        weightInUse -= sizes.weight(at: place)
        guard place != last else { return }
        entries[place] = filler
        places[filler.id] = place
        sizes.setWeight(sizes.weight(at: last), at: place)
    }

    /// The place with the lowest rank of as many as are to be drawn; among equals the one drawn first.
    @inline(__always)
    private mutating func lowest<Rank: Comparable>(
        of count: Int, sparing newcomer: UInt32, _ rank: (Stamp) -> Rank
    ) -> UInt32 {
        guard rules == .paper else { return lowestAsCaffeine(of: count, sparing: newcomer, rank) }
        let last = UInt32(count - 1)
        var draws = generator
        var (victim, other) = draws.nextPair(below: last)
        victim = victim == newcomer ? last : victim
        var lowest = rank(entries[victim].stamp)
        // By selection, because nobody can foresee which is lower.
        func undercut(by drawn: UInt32) {
            let place = drawn == newcomer ? last : drawn
            let found = rank(entries[place].stamp)
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
        of count: Int, sparing newcomer: UInt32, _ rank: (Stamp) -> Rank
    ) -> UInt32 {
        var victim = draw(of: count, sparing: newcomer)
        var lowest = rank(entries[victim].stamp)
        for _ in 1..<samples {
            let place = draw(of: count, sparing: newcomer)
            let found = rank(entries[place].stamp)
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
