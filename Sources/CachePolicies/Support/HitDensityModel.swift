internal import CacheCore

/// The expected hits per request of objects by class and age, learned from when such objects were hit or evicted: what
/// LHD ranks by.
///
/// Memory: 8 bytes for each of 16 classes and each age, and 4 more once it has been renewed. To count and to look up is
/// O(1), to renew O(16 * ages).
struct HitDensityModel: ~Copyable {
    private static var kinds: Int { 16 }

    /// What happened at one age of one class, weighted by how long ago.
    struct Evidence: BitwiseCopyable {
        var hits: Float = 0
        var evictions: Float = 0
    }

    /// How many ages are told apart; the last stands for all that are older.
    let ages: Int
    /// The unit of age is `1 << shift` requests.
    private(set) var shift: Int
    private let evidence: FixedBuffer<Evidence>
    /// Empty until there is something to derive them from.
    private var densities = FixedBuffer<Float>(repeating: 0, count: 0)

    /// A model without evidence, for a cache of about that many objects.
    init(ages: Int, objects: Int) {
        self.ages = ages
        shift = Self.shift(ages: ages, objects: objects)
        evidence = FixedBuffer(repeating: Evidence(), count: Self.kinds * ages)
    }

    /// The class of the sum of two ages at a hit: about the logarithm of how much shorter it is than the oldest age.
    func kind(_ sum: Int) -> UInt8 {
        guard sum > 0 else { return UInt8(Self.kinds - 1) }
        guard sum < ages else { return 0 }
        let doublings = sum.leadingZeroBitCount - ages.leadingZeroBitCount
        return UInt8(min(sum << doublings < ages ? doublings + 1 : doublings, Self.kinds - 1))
    }

    /// Counts a hit.
    func countHit(_ kind: UInt8, _ age: Int) { evidence.update(entry(kind, age)) { $0.hits += 1 } }

    /// Counts an eviction.
    func countEviction(_ kind: UInt8, _ age: Int) { evidence.update(entry(kind, age)) { $0.evictions += 1 } }

    /// The expected hits per request of what is left of an object's time.
    @inline(__always)
    func density(_ kind: UInt8, _ age: Int) -> Float {
        densities.count == 0 ? (Float(kind) + 1) / (Float(age) + 1) : densities[entry(kind, age)]
    }

    /// Derives the densities anew; all evidence so far counts `decay` times as much from now on.
    mutating func renew(decay: Float) {
        if densities.count == 0 { densities = FixedBuffer(repeating: 0, count: evidence.count) }
        for kind in 0..<UInt8(Self.kinds) {
            // From the oldest age down, all sums over later ages come along.
            var (laterHits, laterEvents, lifetime) = (0.0, 0.0, 0.0)
            for age in (0..<ages).reversed() {
                let entry = entry(kind, age)
                let old = evidence[entry]
                let now = Evidence(hits: old.hits * decay, evictions: old.evictions * decay)
                evidence[entry] = now
                laterHits += Double(now.hits)
                laterEvents += Double(now.hits) + Double(now.evictions)
                lifetime += laterEvents
                densities[entry] = laterEvents > 1e-5 ? Float(laterHits / lifetime) : 0
            }
        }
    }

    /// Fits the unit of age to a number of objects, forgets all evidence if it changes, and returns by how much.
    mutating func tune(objects: Int) -> Int {
        let change = Self.shift(ages: ages, objects: objects) - shift
        guard change != 0 else { return 0 }
        shift += change
        for entry in 0..<UInt32(evidence.count) { evidence[entry] = Evidence() }
        return change
    }

    /// An age in the unit that came after a change; what is older than every age stays so.
    func rescaled(_ age: UInt16, by change: Int) -> UInt16 {
        guard age < ages else { return age }
        return change > 0 ? age >> UInt16(min(change, 16)) : UInt16(min(Int(age) << min(-change, 16), ages - 1))
    }

    @inline(__always)
    private func entry(_ kind: UInt8, _ age: Int) -> UInt32 { UInt32(truncatingIfNeeded: Int(kind) &* ages &+ age) }

    /// The ages must reach a hundred times as many requests as there are objects.
    private static func shift(ages: Int, objects: Int) -> Int {
        var shift = 0
        while ages << shift < 100 * objects { shift += 1 }
        return shift
    }
}
