public import CacheCore
internal import PolicySupport

/// W-TinyLFU whose window and main cache choose their victims at random.
///
/// The window and filter of Einziger, Friedman and Manes, "TinyLFU", ACM Transactions on Storage 13(4), 2017, without any
/// order, as in Caffeine's simulator: a full window gives up a random object, which challenges a random one of the main
/// cache, perhaps itself. A hit only counts. Hit and miss are O(1); 4 bytes an object of the trace, 4 a resident object
/// and 8 to 16 for the sketch. The window holds at least 1: at capacity 1 a newcomer or the resident leaves by chance.
///
/// Dialect `caffeine`: the counts of Caffeine's simulator to the request whatever the seed, if the trace calls its
/// objects by numbers (see ``WTinyLFUPolicy``): its sketch, comparison and generator.
public struct RandomWTinyLFUPolicy: ~Copyable, EvictionPolicy {
    private static var none: UInt32 { .max }

    /// Each object's place in `window`, or in `main` after all places of the window.
    private let places: FixedBuffer<UInt32>
    private let window: FixedBuffer<ObjectID>
    private let main: FixedBuffer<ObjectID>
    private var windowCount = 0
    private var mainCount = 0
    private var filter: TinyLFU
    private let rules: TinyLFU.Rules
    private var generator: SeededGenerator
    private var javaGenerator = JavaRandom(seed: JavaRandom.caffeineSeed)
    private let capacity: Int
    private let windowLimit: Int

    /// The window's share, the sketch's sample, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "random-w-tinylfu", family: "sketch",
            summary: "W-TinyLFU whose window and main cache choose their victims at random.",
            citation: "Einziger et al., ACM Transactions on Storage 13(4), 2017",
            parameters: [
                ParameterSpecification("window", .number(default: 0.01, 0...1), "The window's share of the capacity."),
                ParameterSpecification(
                    "sample", .integer(default: 10, 1...1000), "Requests between two halvings, in capacities."),
                TinyLFU.Rules.parameter,
            ], isDeterministic: false, objectsOnly: "One random victim a newcomer makes room for one object.",
            memory: MemoryCost(perObject: 4, perResident: 20))
    }

    /// An empty cache.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let limit = configuration.residentLimit
        let shares = WindowShares(configuration)
        let rules = TinyLFU.Rules(configuration)
        self.rules = rules
        capacity = configuration.capacity.amount
        windowLimit = shares.window
        generator = SeededGenerator(seed: configuration.seed)
        filter = TinyLFU(configuration, rules, objects: limit, sample: configuration.parameters.integer("sample"))
        places = FixedBuffer(repeating: Self.none, count: configuration.objects.count)
        window = FixedBuffer(repeating: 0, count: min(shares.window, limit) + 1)
        main = FixedBuffer(repeating: 0, count: min(shares.main, limit) + 1)
    }

    public var residentCount: Int { windowCount + mainCount }
    public var residentWeight: Int { residentCount }

    /// Counts the request.
    public mutating func touch(_ request: Request) -> Bool {
        filter.record(request.id)
        return contains(request.id)
    }

    /// Puts the object into the window and lets a random one that overflows challenge a random one of the main cache.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        window[UInt32(windowCount)] = request.id
        places[request.id] = UInt32(windowCount)
        windowCount += 1
        if windowCount > windowLimit {
            let candidate = window[draw(below: windowCount)]
            removeFromWindow(candidate)
            main[UInt32(mainCount)] = candidate
            places[candidate] = UInt32(window.count + mainCount)
            mainCount += 1
            if residentCount > capacity {
                let victim = main[draw(below: mainCount)]
                let loser = filter.admits(candidate, over: victim) ? victim : candidate
                removeFromMain(loser)
                sink.evicted(loser)
                sink.forgotten(loser)
            }
        }
        return contains(request.id)
    }

    /// Takes the object out of the window or the main cache.
    public mutating func remove(_ id: ObjectID) {
        guard contains(id) else { return }
        if places[id] < window.count { removeFromWindow(id) } else { removeFromMain(id) }
    }

    public func contains(_ id: ObjectID) -> Bool { places[id] != Self.none }
    public func prefetch(_ id: ObjectID) {
        places.prefetch(id)
        filter.prefetch(id)
    }

    /// The last object takes the place of the one that leaves.
    private mutating func removeFromWindow(_ id: ObjectID) {
        let place = places[id]
        windowCount -= 1
        let last = window[UInt32(windowCount)]
        window[place] = last
        places[last] = place
        places[id] = Self.none
    }

    private mutating func removeFromMain(_ id: ObjectID) {
        let place = places[id]
        mainCount -= 1
        let last = main[UInt32(mainCount)]
        main[place - UInt32(window.count)] = last
        places[last] = place
        places[id] = Self.none
    }

    private mutating func draw(below bound: Int) -> UInt32 {
        rules == .caffeine
            ? UInt32(javaGenerator.nextInt(below: Int32(bound))) : UInt32(generator.next(below: bound))
    }
}
