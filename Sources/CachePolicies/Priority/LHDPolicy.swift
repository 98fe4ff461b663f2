public import CacheCore
internal import PolicySupport

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
/// resident object (24 in bytes), and 194 an age, which makes 3.9 MB. Any capacity from 1 on works alike; an object larger
/// than that is never admitted, one of size 0 is the last to leave. The size that an object was admitted with counts until
/// it leaves. In objects all sizes are 1.
///
/// libCacheSim's `lhd`, the authors' simulator, draws from an unseeded generator, so no dialect can follow it. It samples
/// 8 candidates until the 50th renewal and explores only so long; fixes the unit of age at 1024 requests until the fifth;
/// files all objects under application 1, by which its first ranks count classes from 17 on; takes over a changed size at
/// a hit; and lets one victim older than every age drag the average rank to minus infinity for hundreds of evictions.
public struct LHDPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private typealias Tag = TaggedResidents<Sizes>.Tag

    /// One in so many requests makes an explorer, while there is space for one.
    private static var exploresOneIn: Int { 32 }
    /// The share of older evidence, and of older victims in the average rank.
    private static var decay: Float { 0.9 }

    private var residents: TaggedResidents<Sizes>
    private var model: HitDensityModel
    private var sample: DrawnPlaces
    /// The objects that last entered below the average victim's rank.
    private var admitted: AdmittedList
    private var now: UInt32 = 0
    private var hasEvicted = false
    private var averageRank: Float = 0
    private var explorerBudget: Int
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
            ], isDeterministic: false, memory: MemoryCost(perObject: 4, perResident: 16, fixed: 3_880_000))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let parameters = configuration.parameters
        let renewal = parameters.integer("interval")
        capacity = configuration.capacity.amount
        residents = TaggedResidents(configuration)
        model = HitDensityModel(ages: parameters.integer("ages"), objects: configuration.expectedResidents)
        sample = DrawnPlaces(count: parameters.integer("associativity"), seed: configuration.seed)
        admitted = AdmittedList(count: parameters.integer("admissions"))
        explorerBudget = configuration.share("explorers")
        interval = renewal
        requestsLeft = renewal
    }

    public var residentCount: Int { residents.count }
    public var residentWeight: Int { residents.weight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Counts a hit at the object's age, which starts again.
    public mutating func touch(_ request: Request) -> Bool {
        guard let place = residents.place(of: request.id) else { return false }
        hit(place)
        passTime()
        return true
    }

    /// Evicts the candidate with the lowest rank, and counts an eviction at its age.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if !hasEvicted {
            hasEvicted = true
            if !Sizes.isUnit { tune() }
        }
        let id = evictLowest()
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// Gives the object the class of those that were never hit.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        add(request.id, weight: weight)
        passTime()
    }

    /// Whether the cache is full of objects that weigh 1.
    public var canServeBlock: Bool { Sizes.isUnit && residents.count == capacity }

    /// Serves a full cache, and fetches the next candidates once a newcomer is in.
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var misses: UInt64 = 0
        for request in 0..<block.count {
            residents.prefetch(block.upcoming(request))
            residents.prefetchEntry(block.approaching(request))
            let id = block[request]
            misses &<<= 1
            if let place = residents.place(of: id) {
                hit(place)
            } else {
                misses |= 1
                _ = evictLowest()
                add(id, weight: 1)
                sample.drawAhead(of: residents.count) { first, second in
                    residents.tags.prefetch(first)
                    residents.tags.prefetch(second)
                }
            }
            passTime()
        }
        return misses
    }

    /// Takes the object out.
    public mutating func remove(_ id: ObjectID) {
        if let place = residents.place(of: id) { drop(place) }
    }

    public func contains(_ id: ObjectID) -> Bool { residents.place(of: id) != nil }
    public func prefetch(_ id: ObjectID) { residents.prefetch(id) }
    public func prefetchEntry(_ id: ObjectID) { residents.prefetchEntry(id) }

    @inline(__always)
    private func age(of tag: Tag) -> Int { model.age(now &- tag.time) }

    @inline(__always)
    private func candidate(at place: UInt32) -> Candidate {
        let tag = residents.tags[place]
        let age = Int(now &- tag.time) &>> model.shift
        if age >= model.ages &- 1 { return Candidate(place, rank: -1) }
        if Sizes.isUnit, !tag.isMarked { return Candidate(place, rank: model.density(tag.marks, age)) }
        var rank = model.density(tag.row, age)
        if !Sizes.isUnit {
            let weight = residents.weight(at: place)
            // To evict it would free nothing.
            rank = weight == 0 ? .infinity : rank / Float(weight)
        }
        return Candidate(place, rank: tag.isExplorer ? rank + 1 : rank)
    }

    /// The candidate with the lowest rank: of the sample the first, which the admitted have to undercut.
    @inline(__always)
    private mutating func lowest() -> Candidate {
        let places = sample.take(of: residents.count)
        var lowest = candidate(at: places[0])
        for number in 1..<max(1, sample.count) { lowest.yield(to: candidate(at: places[number])) }
        if !admitted.isRanked(at: now) { rankAdmitted() }
        assert(admitted.lowest == lowestAdmitted().0, "the list has not been told of a change")
        lowest.yield(to: admitted.lowest)
        return lowest
    }

    @inline(never)
    private mutating func rankAdmitted() {
        let (lowest, requests) = lowestAdmitted()
        admitted.setLowest(lowest, at: now, for: requests)
    }

    /// The first of the admitted with the lowest rank, and how many requests pass until an age changes: it stays the lowest for
    /// so long while nothing happens to them.
    private func lowestAdmitted() -> (Candidate, Int) {
        var (lowest, requests) = (Candidate.none, 1 << 31)
        for entry in 0..<admitted.count {
            let id = admitted[entry]
            guard id != AdmittedList.nobody, let place = residents.place(of: id) else { continue }
            lowest.yield(to: candidate(at: place))
            requests = min(requests, model.requestsToNextAge(now &- residents.tags[place].time))
        }
        return (lowest, requests)
    }

    @inline(__always)
    private mutating func hit(_ place: UInt32) {
        let tag = residents.tags[place]
        let age = age(of: tag)
        model.countHit(tag.row, age)
        if tag.isMarked { unmark(tag, at: place) }
        let before = residents.records[place].lastAge
        residents.records.update(place) { record in
            record.lastAge = UInt16(truncatingIfNeeded: age)
            // In bytes the unit of age may change.
            if !Sizes.isUnit { record.ageBefore = before }
        }
        enter(model.row(ofAges: UInt32(truncatingIfNeeded: age) &+ UInt32(before)) | tag.marks & Tag.listed, at: place)
    }

    private mutating func evictLowest() -> ObjectID {
        let victim = lowest()
        let rank = victim.rank
        if rank >= 0, rank < .infinity { averageRank = Self.decay * averageRank + (1 - Self.decay) * rank }
        let tag = residents.tags[victim.place]
        let id = residents.records[victim.place].id
        model.countEviction(tag.row, age(of: tag))
        drop(victim.place)
        return id
    }

    /// Lets in an object that is not resident; there is room for it.
    @inline(__always)
    private mutating func add(_ id: ObjectID, weight: Int) {
        let (place, marks) = residents.append(id, weight: weight, ageBefore: model.ages)
        if marks != 0 { admitted.forgetLowest() }
        // Row 0 is the class of those that were never hit.
        enter(marks, at: place)
        guard admitted.count > 0, !residents.tags[place].isExplorer, candidate(at: place).rank < averageRank else {
            return
        }
        residents.tags.update(place) { $0.marks |= Tag.listed }
        let former = admitted.append(id)
        if former != AdmittedList.nobody { residents.unlist(former) }
    }

    /// Stores a tag as asked for now, by chance as an explorer.
    @inline(__always)
    private mutating func enter(_ marks: UInt32, at place: UInt32) {
        var marks = marks
        if explorerBudget > 0, sample.next(below: Self.exploresOneIn) == 0 {
            marks |= Tag.explorer
            explorerBudget -= residents.weight(at: place)
        }
        residents.tags[place] = Tag(time: now, marks: marks)
    }

    /// An object is no explorer any more, or, if it is listed, is about to be ranked anew.
    private mutating func unmark(_ tag: Tag, at place: UInt32) {
        if tag.isExplorer { explorerBudget += residents.weight(at: place) }
        if tag.isListed { admitted.forgetLowest() }
    }

    @inline(__always)
    private mutating func passTime() {
        now &+= 1
        requestsLeft &-= 1
        guard requestsLeft == 0 else { return }
        requestsLeft = interval
        model.renew(decay: Self.decay)
        admitted.forgetLowest()
    }

    @inline(__always)
    private mutating func drop(_ place: UInt32) {
        let tag = residents.tags[place]
        if tag.isMarked { unmark(tag, at: place) }
        if let filler = residents.drop(place), filler.isListed { admitted.forgetLowest() }
    }

    /// Fits the unit of age to the objects that fill the cache, which in bytes shows only once it is full.
    private mutating func tune() {
        let change = model.tune(objects: residents.count)
        admitted.forgetLowest()
        for place in 0..<UInt32(residents.count) {
            let row = residents.records.update(place) { record in
                record.lastAge = model.rescaled(record.lastAge, by: change)
                record.ageBefore = model.rescaled(record.ageBefore, by: change)
                return model.row(ofAges: UInt32(record.lastAge) + UInt32(record.ageBefore))
            }
            residents.tags.update(place) { $0.marks = row | $0.marks & ~(Tag.listed &- 1) }
        }
    }
}
