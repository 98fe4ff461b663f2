public import CacheCore

/// Lets an object in at its second miss: what is asked for once stays out.
///
/// Maggs and Sitaraman, "Algorithmic nuggets in content delivery", ACM SIGCOMM CCR 45(3), 2015, call it cache on second
/// hit. First misses are kept in a Bloom filter (Bloom, Communications of the ACM 13(7), 1970) sized for the trace's
/// objects; once `window` of them are in it, a second filter takes over and the older one is emptied, so that an object is
/// forgotten after one to two windows. O(1) a miss; with the default share of false positives 2.4 bytes an object of the
/// window. A false positive lets an object in too early.
///
/// `exact=true` keeps a set instead: libCacheSim's `bloomfilter`, which is one in name alone. In a live cache, which has no end of
/// objects, that set grows with each of them, and a filter without a `window` is sized for the cache's ids.
public struct SecondHitAdmission: ~Copyable, AdmissionPolicy {
    private var current: BloomFilter
    private var previous: BloomFilter
    private var entered = 0
    private let window: Int
    private let isExact: Bool
    private let seen: FixedBuffer<Bool>
    /// What was seen where ids are not always the same object's.
    private var seenIdentities: Set<UInt64> = []
    private let identities: ObjectKeys?
    /// The largest window of a live cache: filters of a gigabyte or two.
    private static var largestWindow: Int { 1 << 28 }

    /// It looks at what comes alone.
    public static var needsVictim: Bool { false }

    /// The window, the share of false positives, and whether to be exact.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "second-hit", aliases: ["bloom-filter"], family: "admission",
            summary: "Lets an object in at its second miss.",
            citation: "Maggs and Sitaraman, ACM SIGCOMM CCR 45(3), 2015",
            parameters: [
                ParameterSpecification(
                    "window", .integer(default: 0, 0...Int.max),
                    "First misses that are remembered at least; 0 for the trace's objects."),
                ParameterSpecification(
                    "false-positives", .number(default: 0.01, 0.000001...0.5), "The filter's share of false positives."),
                ParameterSpecification("exact", .flag, "Whether a set is kept instead of a filter."),
            ])
    }

    /// A filter that has seen nothing.
    ///
    /// - Throws: `AssayError` with code `usage` for a window that a live cache cannot hold.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let objects = configuration.objects.count
        let parameters = configuration.parameters
        let asked = parameters.integer("window")
        let isExact = parameters.flag("exact")
        let isLive = configuration.identities != nil
        // A replay has no more objects to remember than these.
        let most = isLive ? Self.largestWindow : max(1, objects)
        guard !isLive || asked <= most else {
            throw AssayError(
                .usage, "second-hit: window=\(asked) is more than the \(most) that a live cache remembers; give less.")
        }
        let remembered = asked == 0 ? max(1, objects) : min(asked, most)
        let share = parameters.number("false-positives")
        window = remembered
        self.isExact = isExact
        identities = configuration.identities
        current = BloomFilter(expected: isExact ? 1 : remembered, falsePositives: share)
        previous = BloomFilter(expected: isExact ? 1 : remembered, falsePositives: share)
        seen = FixedBuffer(repeating: false, count: isExact && !isLive ? objects : 0)
    }

    /// Whether it was seen; remembers it otherwise.
    public mutating func admits(_ request: Request, over victim: ObjectID?) -> Bool {
        if isExact, let identities { return !seenIdentities.insert(identities[request.id]).inserted }
        if isExact {
            defer { seen[request.id] = true }
            return seen[request.id]
        }
        let name = identities.map { ObjectID(truncatingIfNeeded: $0[request.id]) } ?? request.id
        if current.contains(name) || previous.contains(name) { return true }
        current.insert(name)
        entered += 1
        if entered == window {
            swap(&current, &previous)
            current.removeAll()
            entered = 0
        }
        return false
    }
}
