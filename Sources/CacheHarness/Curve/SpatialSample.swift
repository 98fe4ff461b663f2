internal import CacheCore

/// A share of the objects, chosen by hash, so that every request of a chosen object is in the sample and no other.
struct SpatialSample: Sendable, Hashable {
    private static let whole = 0x1p32

    /// Objects whose hash is below are in.
    private(set) var threshold: UInt64
    private let salt: UInt64

    /// The objects that a rate in `0 < rate <= 1` keeps; another seed keeps others.
    init(rate: Double, seed: UInt64) {
        threshold = max(1, UInt64((min(1, rate) * Self.whole).rounded()))
        salt = mix64(seed)
    }

    /// The probability that an object is in.
    var rate: Double { Double(threshold) / Self.whole }

    /// The object's hash, 32 bits.
    @inline(__always) func hash(of id: ObjectID) -> UInt64 { mix64(UInt64(id) &+ salt) >> 32 }

    /// Whether the object is in.
    @inline(__always) func contains(_ id: ObjectID) -> Bool { hash(of: id) < threshold }

    /// Drops every object whose hash is at least this.
    mutating func lower(to hash: UInt64) { threshold = min(threshold, hash) }
}

/// How many objects a sampled curve follows.
public enum SampleExtent: Sendable, Hashable {
    /// That share of them.
    case rate(Double)
    /// About that many at any moment, whatever the trace holds.
    case objects(Int)
}
