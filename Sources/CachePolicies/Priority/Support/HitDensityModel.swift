internal import CacheCore

/// The expected hits per request of objects by class and age, learned from when such objects were hit or evicted: what
/// LHD ranks by.
///
/// Memory: 12 bytes for each of 16 classes and each age, and 2 an age. To count and to look up is O(1), to renew
/// O(16 * ages).
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
    /// The class of each sum of two ages.
    private let kindOfSum: FixedBuffer<UInt8>
    private let evidence: FixedBuffer<Evidence>
    private let densities: FixedBuffer<Float>

    /// A model without evidence, for a cache of about that many objects.
    init(ages: Int, objects: Int) {
        self.ages = ages
        shift = Self.shift(ages: ages, objects: objects)
        kindOfSum = Self.kindOfSum(ages: ages)
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
        UInt32(kindOfSum[sum]) &* UInt32(truncatingIfNeeded: ages)
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

    /// How often a sum can be doubled before it reaches the number of ages, up to the last class.
    private static func kindOfSum(ages: Int) -> FixedBuffer<UInt8> {
        let table = FixedBuffer<UInt8>(repeating: UInt8(kinds - 1), count: 2 * ages + 1)
        for sum in 1..<UInt32(table.count) {
            var (doubled, doublings) = (Int(sum), 0)
            while doubled < ages { (doubled, doublings) = (2 * doubled, doublings + 1) }
            table[sum] = UInt8(min(doublings, kinds - 1))
        }
        return table
    }

    /// The ages must reach a hundred times as many requests as there are objects.
    private static func shift(ages: Int, objects: Int) -> Int {
        var shift = 0
        while ages << shift < 100 * objects { shift += 1 }
        return shift
    }
}
