internal import CacheCore

/// The expected hits per request of objects by class and age, learned from when such objects were hit or evicted: what
/// LHD ranks by.
///
/// Memory: 12 bytes for each of 16 classes and each age. To count and to look up is
/// O(1), to renew O(16 * ages).
struct HitDensityModel: ~Copyable {
    private static var kinds: Int { 16 }

    /// What happened at one age of one class, weighted by how long ago.
    struct Evidence: BitwiseCopyable {
        var hits: Float = 0
        var evictions: Float = 0
    }

    /// The classes of sums with equally many bits: of those below `middle`, and of the others.
    struct Scale: BitwiseCopyable {
        var middle: UInt32 = 0
        var below: UInt32 = 0
        var above: UInt32 = 0
    }

    /// How many ages are told apart; the last stands for all that are older.
    let ages: Int
    /// The unit of age is `1 << shift` requests.
    private(set) var shift: Int
    private let scales: FixedBuffer<Scale>
    private let evidence: FixedBuffer<Evidence>
    private let densities: FixedBuffer<Float>

    /// A model without evidence, for a cache of about that many objects.
    init(ages: Int, objects: Int) {
        self.ages = ages
        shift = Self.shift(ages: ages, objects: objects)
        scales = Self.scales(ages: ages)
        evidence = FixedBuffer(repeating: Evidence(), count: Self.kinds * ages)
        densities = FixedBuffer(repeating: 0, count: Self.kinds * ages)
        for kind in 0..<Self.kinds {
            let row = UInt32(kind * ages)
            for age in 0..<ages { densities[row + UInt32(age)] = (Float(kind) + 1) / (Float(age) + 1) }
        }
    }

    /// The age of what was last asked for so many requests ago; the last age stands for all that are older.
    @inline(__always)
    func age(_ requests: UInt32) -> Int { min(Int(requests) &>> shift, ages &- 1) }

    /// How many requests later the age of what was last asked for so many requests ago will be another one.
    func requestsToNextAge(_ requests: UInt32) -> Int { (Int(requests) >> shift + 1) << shift - Int(requests) }

    /// The row of the class of the sum of two ages at a hit: about the logarithm of how much shorter it is than the oldest age.
    @inline(__always)
    func row(ofAges sum: UInt32) -> UInt32 {
        let scale = scales[31 &- UInt32(truncatingIfNeeded: (sum &<< 1 | 1).leadingZeroBitCount)]
        return sum < scale.middle ? scale.below : scale.above
    }

    /// Counts a hit.
    @inline(__always)
    func countHit(_ row: UInt32, _ age: Int) { evidence.update(entry(row, age)) { $0.hits += 1 } }

    /// Counts an eviction.
    @inline(__always)
    func countEviction(_ row: UInt32, _ age: Int) { evidence.update(entry(row, age)) { $0.evictions += 1 } }

    /// The expected hits per request of what is left of an object's time.
    @inline(__always)
    func density(_ row: UInt32, _ age: Int) -> Float { densities[entry(row, age)] }

    /// Derives the densities anew; all evidence so far counts `decay` times as much from now on.
    mutating func renew(decay: Float) {
        for kind in 0..<Self.kinds {
            let row = UInt32(kind * ages)
            // From the oldest age down, all sums over later ages come along.
            var (laterHits, laterEvents, lifetime) = (0.0, 0.0, 0.0)
            for age in (0..<ages).reversed() {
                let entry = entry(row, age)
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
    private func entry(_ row: UInt32, _ age: Int) -> UInt32 { row &+ UInt32(truncatingIfNeeded: age) }

    /// The scale of each number of bits that a sum of two ages can have.
    private static func scales(ages: Int) -> FixedBuffer<Scale> {
        let scales = FixedBuffer<Scale>(repeating: Scale(), count: 18)
        for bits in 0..<18 {
            let doublings = Int.bitWidth - ages.leadingZeroBitCount - bits
            guard doublings >= 0 else { continue }
            // The least sum that reaches the oldest age by so many doublings; 0 never does.
            let middle = (ages + (1 << doublings) - 1) >> doublings
            let kind = bits == 0 ? kinds : doublings
            scales[UInt32(bits)] = Scale(
                middle: UInt32(middle), below: UInt32(min(kind + 1, kinds - 1) * ages),
                above: UInt32(min(kind, kinds - 1) * ages))
        }
        return scales
    }

    /// The ages must reach a hundred times as many requests as there are objects.
    private static func shift(ages: Int, objects: Int) -> Int {
        var shift = 0
        while ages << shift < 100 * objects { shift += 1 }
        return shift
    }
}
