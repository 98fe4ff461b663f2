public import CacheCore

/// Evicts, of a sample, the object that is expected to bring the fewest hits for the space and time that it takes.
///
/// Least hit density: Beckmann, Chen and Cidon, "LHD: improving cache hit rate by maximizing hit density", NSDI 2018. How
/// many objects of a class are hit or evicted at each age gives the hits per request of the time still to come, which is
/// divided by the size. An object's class is the logarithm of its last two ages at a hit. Ages are counted in units of
/// about a two-hundredth of the cache. The model is renewed every `interval` requests, older evidence by then at nine
/// tenths; until the first time the rank is `(class + 1) / (age + 1)` over the size, much like GDSF. Objects that enter
/// below the average victim's rank stay candidates for a while; a few, for a hundredth of the space, are explorers that
/// rank one higher. Candidates are drawn with replacement.
///
/// A hit is O(1), a miss O(associativity + admissions), a renewal O(16 * ages). 4 bytes an object of the trace, 16 a
/// resident object (24 in bytes), and 192 an age, which makes 3.8 MB, a third less before the first renewal. Any capacity
/// from 1 on works alike; an object larger than that is never admitted, one of size 0 is the last to leave. The size that
/// an object was admitted with counts until it leaves. In objects all sizes are 1.
///
/// libCacheSim's `lhd`, the authors' simulator, draws from an unseeded generator, so no dialect can follow it. It samples
/// 8 candidates until the 50th renewal and explores only so long; fixes the unit of age at 1024 requests until the fifth;
/// files all objects under application 1, by which its first ranks count classes from 17 on; takes over a changed size at
/// a hit; and lets one victim older than every age drag the average rank to minus infinity for hundreds of evictions.
public struct LHDPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private static var none: UInt32 { .max }
    /// One in so many requests makes an explorer, while there is space for one.
    private static var exploresOneIn: UInt64 { 32 }
    /// The share of older evidence, and of older victims in the average rank.
    private static var decay: Float { 0.9 }

    /// A resident object; they stand in no order, without gaps.
    private struct Tag: BitwiseCopyable {
        var id: ObjectID = 0
        /// When it was asked for; the difference to now is right after it wraps around.
        var time: UInt32 = 0
        var lastAge: UInt16 = 0
        var ageBefore: UInt16 = 0
        var kind: UInt8 = 0
        var isExplorer = false
    }

    private let index: FixedBuffer<UInt32>
    private let tags: FixedBuffer<Tag>
    private let sizes: Sizes
    /// The objects that last entered below the average victim's rank.
    private let admitted: FixedBuffer<UInt32>
    private var model: HitDensityModel
    private var generator: SeededGenerator
    private var count = 0
    private var weight = 0
    private var now: UInt32 = 0
    private var hasEvicted = false
    private var nextAdmitted: UInt32 = 0
    private var averageRank: Float = 0
    private var explorerBudget: Int
    private let associativity: Int
    private let interval: Int
    private var requestsLeft: Int
    /// The most weight that may be resident.
    public let capacity: Int

    /// How many candidates there are, and how the model is kept.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "lhd", family: "size-aware",
            summary: "Evicts, of a sample, the object expected to bring the fewest hits for its space and time.",
            citation: "Beckmann, Chen and Cidon, NSDI 2018",
            parameters: [
                ParameterSpecification(
                    "associativity", .integer(default: 32, 1...1024), "How many candidates are drawn."),
                ParameterSpecification(
                    "admissions", .integer(default: 8, 0...1024),
                    "How many objects that entered with a low rank are candidates too."),
                ParameterSpecification(
                    "interval", .integer(default: 1 << 20, 1...(1 << 40)), "The requests between renewals of the model."
                ),
                ParameterSpecification("ages", .integer(default: 20000, 16...65535), "How many ages are told apart."),
                ParameterSpecification(
                    "explorers", .number(default: 0.01, 0...1), "The share of the capacity that explorers may take."),
            ], isDeterministic: false, memory: MemoryCost(perObject: 4, perResident: 16, fixed: 3_840_000))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        let (limit, ages) = (configuration.residentLimit, parameters.integer("ages"))
        let renewal = parameters.integer("interval")
        capacity = configuration.capacity.amount
        index = FixedBuffer(repeating: Self.none, count: configuration.objects.count)
        tags = FixedBuffer(repeating: Tag(), count: limit)
        sizes = Sizes(slots: limit)
        admitted = FixedBuffer(repeating: Self.none, count: parameters.integer("admissions"))
        model = HitDensityModel(ages: ages, objects: configuration.expectedResidents)
        generator = SeededGenerator(seed: configuration.seed)
        explorerBudget = configuration.share("explorers")
        associativity = parameters.integer("associativity")
        interval = renewal
        requestsLeft = renewal
    }

    /// The number of resident objects.
    public var residentCount: Int { count }
    /// The total weight of the resident objects.
    public var residentWeight: Int { Sizes.isUnit ? count : weight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Counts a hit at the object's age, which starts again.
    public mutating func touch(_ request: Request) -> Bool {
        let place = index[request.id]
        guard place != Self.none else { return false }
        var tag = tags[place]
        let age = age(of: tag)
        model.countHit(tag.kind, age)
        if tag.isExplorer { explorerBudget += sizes.weight(at: place) }
        tag.ageBefore = tag.lastAge
        tag.lastAge = UInt16(age)
        tag.kind = model.kind(Int(tag.lastAge) + Int(tag.ageBefore))
        enter(&tag, at: place)
        passTime()
        return true
    }

    /// Evicts the candidate with the lowest rank, and counts an eviction at its age.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if !hasEvicted {
            hasEvicted = true
            if !Sizes.isUnit { tune() }
        }
        let (place, rank) = lowest()
        if rank >= 0, rank < .infinity { averageRank = Self.decay * averageRank + (1 - Self.decay) * rank }
        let tag = tags[place]
        model.countEviction(tag.kind, age(of: tag))
        drop(place)
        sink.evicted(tag.id)
        sink.forgotten(tag.id)
    }

    /// Gives the object the class of those that were never hit.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        let place = UInt32(count)
        index[request.id] = place
        sizes.setWeight(weight, at: place)
        count += 1
        if !Sizes.isUnit { self.weight += weight }
        var tag = Tag(id: request.id, ageBefore: UInt16(model.ages), kind: model.kind(model.ages))
        enter(&tag, at: place)
        if admitted.count > 0, !tag.isExplorer, rank(place) < averageRank {
            admitted[nextAdmitted] = request.id
            nextAdmitted = nextAdmitted + 1 == UInt32(admitted.count) ? 0 : nextAdmitted + 1
        }
        passTime()
    }

    /// Takes the object out.
    public mutating func remove(_ id: ObjectID) {
        let place = index[id]
        if place != Self.none { drop(place) }
    }

    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { index[id] != Self.none }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { index.prefetch(id) }
    /// Fetches the object's tag.
    public func prefetchEntry(_ id: ObjectID) { tags.prefetchIfFar(index[id]) }

    /// The object's age in the model's unit; the last age stands for all that are older.
    @inline(__always)
    private func age(of tag: Tag) -> Int { min(Int(now &- tag.time) &>> model.shift, model.ages - 1) }

    @inline(__always)
    private func rank(_ place: UInt32) -> Float {
        let tag = tags[place]
        let age = Int(now &- tag.time) &>> model.shift
        if age >= model.ages - 1 { return -1 }
        var rank = model.density(tag.kind, age)
        if !Sizes.isUnit {
            let weight = sizes.weight(at: place)
            // To evict it would free nothing.
            rank = weight == 0 ? .infinity : rank / Float(weight)
        }
        return rank + (tag.isExplorer ? 1 : 0)
    }

    /// The candidate with the lowest rank: of the sample the first, which the admitted have to undercut.
    private mutating func lowest() -> (place: UInt32, rank: Float) {
        let residents = UInt64(count)
        var draws = generator
        var drawn = draws.next()
        var victim = UInt32(truncatingIfNeeded: ((drawn & 0xFFFF_FFFF) &* residents) &>> 32)
        var lowest = rank(victim)
        for number in 1..<max(1, associativity) {
            // Two draws of 32 bits from each number of the generator; their bias is less than residents / 2^32.
            drawn = number & 1 == 0 ? draws.next() : drawn &>> 32
            let place = UInt32(truncatingIfNeeded: ((drawn & 0xFFFF_FFFF) &* residents) &>> 32)
            undercut(&victim, &lowest, by: place)
        }
        generator = draws
        for entry in 0..<UInt32(admitted.count) {
            let id = admitted[entry]
            guard id != Self.none else { continue }
            let place = index[id]
            guard place != Self.none else { continue }
            undercut(&victim, &lowest, by: place)
        }
        return (victim, lowest)
    }

    /// Takes a candidate if its rank is lower. By selection, because nobody can foresee which.
    @inline(__always)
    private func undercut(_ victim: inout UInt32, _ lowest: inout Float, by place: UInt32) {
        let rank = rank(place)
        let isLower = rank < lowest
        victim = isLower ? place : victim
        lowest = isLower ? rank : lowest
    }

    /// Stores a tag as asked for now, by chance as an explorer.
    private mutating func enter(_ tag: inout Tag, at place: UInt32) {
        tag.time = now
        tag.isExplorer = explorerBudget > 0 && generator.next(below: Self.exploresOneIn) == 0
        if tag.isExplorer { explorerBudget -= sizes.weight(at: place) }
        tags[place] = tag
    }

    private mutating func passTime() {
        now &+= 1
        requestsLeft -= 1
        guard requestsLeft == 0 else { return }
        requestsLeft = interval
        model.renew(decay: Self.decay)
    }

    /// Fills the place with the last tag.
    private mutating func drop(_ place: UInt32) {
        let tag = tags[place]
        let weight = sizes.weight(at: place)
        if tag.isExplorer { explorerBudget += weight }
        if !Sizes.isUnit { self.weight -= weight }
        count -= 1
        let last = UInt32(count)
        index[tag.id] = Self.none
        guard place != last else { return }
        tags[place] = tags[last]
        sizes.setWeight(sizes.weight(at: last), at: place)
        index[tags[place].id] = place
    }

    /// Fits the unit of age to the objects that fill the cache, which in bytes shows only once it is full.
    private mutating func tune() {
        let change = model.tune(objects: count)
        for place in 0..<UInt32(count) {
            tags.update(place) { tag in
                tag.lastAge = model.rescaled(tag.lastAge, by: change)
                tag.ageBefore = model.rescaled(tag.ageBefore, by: change)
                tag.kind = model.kind(Int(tag.lastAge) + Int(tag.ageBefore))
            }
        }
    }
}
