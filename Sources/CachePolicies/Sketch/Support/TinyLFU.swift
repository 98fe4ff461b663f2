internal import CacheCore
internal import PolicySupport

/// Counts every request in a sketch and lets a candidate in if it was asked for more often lately than the victim.
///
/// Einziger, Friedman and Manes, "TinyLFU: a highly efficient cache admission policy", ACM Transactions on Storage
/// 13(4), 2017. Each operation is O(1), amortised.
struct TinyLFU: ~Copyable {
    /// Whose sketch and whose comparison.
    enum Rules: String, Dialect { case paper, caffeine }

    /// A warm candidate that loses is let in now and then, so that nobody can keep the cache from learning.
    private static let warm = 6
    private static let chance: Float = 1 / 128

    private var sketch: FrequencySketch
    private var table: CountMin4
    private var random = JavaRandom(seed: JavaRandom.caffeineSeed)
    private let keys: ObjectKeys?
    private let identities: ObjectKeys?
    private let isCaffeine: Bool

    /// A filter for about `objects` objects that halves its counters after `sample` times as many requests.
    init(_ configuration: PolicyConfiguration, _ rules: Rules, objects: Int, sample: Int) {
        isCaffeine = rules == .caffeine
        keys = configuration.keys ?? configuration.identities
        identities = configuration.identities
        sketch = FrequencySketch(objects: isCaffeine ? 1 : objects, sampleSize: objects * sample)
        table = CountMin4(objects: isCaffeine ? objects : 0, sample: sample)
    }

    /// Counts one request for the object.
    @inline(__always)
    mutating func record(_ id: ObjectID) {
        if isCaffeine { table.add(key(id)) } else { sketch.add(name(id)) }
    }

    /// How often the object was asked for lately, from 0 to 15.
    @inline(__always)
    func frequency(_ id: ObjectID) -> Int { isCaffeine ? table.estimate(key(id)) : sketch.estimate(name(id)) }

    /// Whether the candidate may take the victim's place. In Caffeine's dialect a warm one that loses draws a number.
    @inline(__always)
    mutating func admits(_ candidate: ObjectID, over victim: ObjectID) -> Bool {
        admits(frequency(candidate), over: frequency(victim))
    }

    /// The same where the victim's id may be another object's by now.
    mutating func admits(_ candidate: ObjectID, overIdentity identity: UInt64) -> Bool {
        let name = ObjectID(truncatingIfNeeded: identity)
        return admits(frequency(candidate), over: isCaffeine ? table.estimate(identity) : sketch.estimate(name))
    }

    @inline(__always)
    private mutating func admits(_ frequency: Int, over other: Int) -> Bool {
        if frequency > other { return true }
        return isCaffeine && frequency >= Self.warm && random.nextFloat() < Self.chance
    }

    /// Makes Caffeine's table long enough for that many objects.
    mutating func grow(to objects: Int) { table.grow(to: objects) }

    /// Asks the processor to fetch the object's counters.
    @inline(__always)
    func prefetch(_ id: ObjectID) {
        if !isCaffeine { sketch.prefetch(name(id)) }
    }

    /// What the sketch counts an object under: its id, or what outlives its id.
    @inline(__always)
    private func name(_ id: ObjectID) -> ObjectID {
        guard let identities else { return id }
        return ObjectID(truncatingIfNeeded: identities[id])
    }

    /// What Caffeine hashes for an object: its original key, or its id if there is none.
    func key(_ id: ObjectID) -> UInt64 { keys?[id] ?? UInt64(id) }
}
