public import CacheCore
internal import PolicySupport

/// Sets of at most 64 objects, of which each evicts at random for itself; a sketch of requests may filter newcomers.
///
/// Einziger, in Caffeine's simulator (`sketch.TinyCache`, never published), over the sets of Einziger and Friedman, "TinySet",
/// ICCCN 2015. A key is hashed to a set; where that is full, a newcomer takes the place of an object drawn from it. With
/// `filter=counts` (`sketch.TinyCache_GhostCache`) it does so only if the sketch, which holds ten fingerprints for each place
/// and evicts at random too, has counted more requests for it, of at most ten, than for the object that was drawn. With
/// a `window` (64 in `sketch.WindowTinyCache`, with the filter) what took nobody's place enters a set of that many places
/// for all keys as well, and stays while it is in either.
///
/// Every operation is O(64); 9 bytes an object of the trace and 8 a resident object, with the filter 28. Sets may be
/// full while others are not. The capacity is divided among the fewest sets as evenly as it can be, and of it the window takes
/// its part where it is larger than the window: capacities of up to 64 are one set, and those of more than four times the
/// objects are taken for that many, which hardly fill a set.
///
/// Dialect `caffeine`: the counts of Caffeine's simulator, by its seeds for `java.util.Random`, if the trace calls its
/// objects by numbers; the rules are the same. It rounds capacities up to a multiple of 64: give that one. With a window it
/// counts as evicted what leaves one of the two sets.
public struct TinyCachePolicy: ~Copyable, EvictionPolicy {
    private enum Rules: String, Dialect { case paper, caffeine }

    /// Where an object is, a bit for each.
    private enum Residence {
        static let main: UInt8 = 1
        static let window: UInt8 = 2
    }

    /// The fingerprints for each place, and the most of one object that count.
    private static let sample = 10

    private let main: TinySets<UInt64>
    private let window: TinySets<UInt64>
    private let counts: TinySets<UInt16>
    private let residences: FixedBuffer<UInt8>
    /// The mixed key of each object at its last request: ids may be other objects' later.
    private let mixed: FixedBuffer<UInt64>
    private var draws: (main: JavaRandom, window: JavaRandom, counts: JavaRandom)
    private let keys: ObjectKeys?
    private let hasFilter: Bool
    private let hasWindow: Bool
    /// The number of resident objects.
    public private(set) var residentCount = 0

    /// The filter, the window, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "tiny-cache", family: "sketch",
            summary: "Sets of 64 objects that evict at random; a sketch of requests may filter newcomers.",
            citation: "Einziger, Caffeine's simulator; Einziger and Friedman, ICCCN 2015",
            parameters: [
                ParameterSpecification(
                    "filter", .choice(default: "none", ["none", "counts"]),
                    "Whether a newcomer must have been asked for more often than the object that it takes the place of."
                ),
                ParameterSpecification(
                    "window", .integer(default: 0, 0...64), "The places of the window, if the capacity is larger."),
                Rules.parameter,
            ], isDeterministic: false, objectsOnly: "A set has room for a number of objects.",
            memory: MemoryCost(perObject: 9, perResident: 8), deviations: ["": .leavesRoom])
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let capacity = max(1, min(configuration.capacity.amount, 4 * configuration.objects.count))
        let asked = configuration.parameters.integer("window")
        let spare = asked < capacity ? asked : 0
        let sets = (capacity - spare - 1) / TinySets<UInt64>.largest + 1
        let filters = configuration.parameters.text("filter") == "counts"
        let first = Rules(configuration) == .caffeine ? JavaRandom.caffeineSeed : Int64(bitPattern: configuration.seed)
        main = TinySets(sets: sets, capacity: capacity - spare)
        window = TinySets(sets: 1, capacity: spare)
        counts = TinySets(
            sets: filters ? sets * Self.sample : 1,
            capacity: filters ? sets * Self.sample * TinySets<UInt16>.largest : 0)
        residences = FixedBuffer(repeating: 0, count: configuration.objects.count)
        mixed = FixedBuffer(repeating: 0, count: configuration.objects.count)
        draws = (
            JavaRandom(seed: first), JavaRandom(seed: Rules(configuration) == .caffeine ? 0 : first &+ 2),
            JavaRandom(seed: first &+ 1)
        )
        keys = configuration.keys ?? configuration.identities
        hasFilter = filters
        hasWindow = spare > 0
    }

    public var residentWeight: Int { residentCount }

    /// Counts the request for an object that is resident.
    public mutating func touch(_ request: Request) -> Bool {
        mixed[request.id] = TinyHash.mixed(keys?[request.id] ?? UInt64(request.id))
        guard contains(request.id) else { return false }
        if hasFilter { record(request.id) }
        return true
    }

    /// Puts the object into its set, by exchange if that is full, and otherwise into the window if there is one.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        let exchanged = enterMain(request.id, into: &sink)
        if hasWindow, !exchanged { enterWindow(request.id, into: &sink) }
        if hasFilter { record(request.id) }
        if !contains(request.id) { sink.forgotten(request.id) }
        return contains(request.id)
    }

    /// Whether the object took another's place.
    private mutating func enterMain<Sink: EvictionSink & ~Copyable>(_ id: ObjectID, into sink: inout Sink) -> Bool {
        let hash = TinyHash(mixed: mixed[id])
        let set = hash.set(of: main.sets)
        let isFull = main.isFull(set)
        if isFull {
            let place = Int(draws.main.nextInt(below: Int32(main.room(in: set))))
            let victim = ObjectID(truncatingIfNeeded: main.entry(at: place, in: set))
            if hasFilter, requests(for: id) <= requests(for: victim) { return false }
            main.remove(at: place, in: set)
            leave(victim, Residence.main, into: &sink)
        }
        main.insert(TinySets.entry(hash.chain, UInt64(id)), in: set)
        enter(id, Residence.main)
        return isFull
    }

    private mutating func enterWindow<Sink: EvictionSink & ~Copyable>(_ id: ObjectID, into sink: inout Sink) {
        if window.isFull(0) {
            let place = Int(draws.window.nextInt(below: Int32(window.room(in: 0))))
            let victim = ObjectID(truncatingIfNeeded: window.entry(at: place, in: 0))
            window.remove(at: place, in: 0)
            leave(victim, Residence.window, into: &sink)
        }
        window.insert(TinySets.entry(TinyHash(mixed: mixed[id]).chain, UInt64(id)), in: 0)
        enter(id, Residence.window)
    }

    private mutating func enter(_ id: ObjectID, _ residence: UInt8) {
        if residences[id] == 0 { residentCount += 1 }
        residences[id] |= residence
    }

    private mutating func leave<Sink: EvictionSink & ~Copyable>(
        _ id: ObjectID, _ residence: UInt8, into sink: inout Sink
    ) {
        residences[id] &= ~residence
        guard residences[id] == 0 else { return }
        residentCount -= 1
        sink.evicted(id)
        sink.forgotten(id)
    }

    /// How many of the last requests for an object the sketch remembers.
    private func requests(for id: ObjectID) -> Int {
        let hash = fingerprint(of: id)
        return counts.count(of: TinySets.entry(hash.chain, hash.fingerprint), in: hash.set(of: counts.sets))
    }

    /// Remembers a request, in the place of any other of its set if that is full.
    private mutating func record(_ id: ObjectID) {
        guard requests(for: id) < Self.sample else { return }
        let hash = fingerprint(of: id)
        let set = hash.set(of: counts.sets)
        if counts.isFull(set) {
            counts.remove(at: Int(draws.counts.nextInt(below: Int32(counts.room(in: set)))), in: set)
        }
        counts.insert(TinySets.entry(hash.chain, hash.fingerprint), in: set)
    }

    /// The sketch hashes what Caffeine's sets hold of a key: 63 bits, and a last one that is set.
    private func fingerprint(of id: ObjectID) -> TinyHash { TinyHash(mixed: TinyHash.mixed(mixed[id] << 1 | 1)) }

    /// Takes the object out of its sets.
    public mutating func remove(_ id: ObjectID) {
        guard contains(id) else { return }
        let hash = TinyHash(mixed: mixed[id])
        let entry: UInt64 = TinySets.entry(hash.chain, UInt64(id))
        if residences[id] & Residence.main != 0 { main.remove(entry, in: hash.set(of: main.sets)) }
        if residences[id] & Residence.window != 0 { window.remove(entry, in: 0) }
        residences[id] = 0
        residentCount -= 1
    }

    /// Whether the object is in either set.
    public func contains(_ id: ObjectID) -> Bool { residences[id] != 0 }
    public func prefetch(_ id: ObjectID) { residences.prefetch(id) }
}
