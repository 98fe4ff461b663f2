internal import CacheCore

/// The frequency filter of libCacheSim 0.3.5, counter for counter: a Bloom filter with counters instead of bits.
///
/// Fan, Cao, Almeida and Broder, "Summary cache: a scalable wide-area web cache sharing protocol", IEEE/ACM Transactions
/// on Networking 8(3), 2000. 14.4 counters an entry (0.1 % false positives) and 10 of them for a key, spaced evenly from two
/// hashes (XXH64 by Collet). Each addition raises all ten, and nothing saturates. The reference sizes it by the cache's
/// bytes where the cache counts bytes; here only those counters are kept that some object has, and each object knows its
/// own: at most 80 bytes an object, O(objects log objects) to set up. All operations are O(1) but ``halve()``.
struct CountingBloomFilter: ~Copyable {
    private static var probes: Int { 10 }
    /// -ln(0.001) / ln(2)^2, with the constant that the reference has for the latter.
    private static var countersPerEntry: Double { 6.907755278982137 / 0.480453013918201 }

    /// The constants of XXH64.
    private static let primes: [UInt64] = [
        0x9E37_79B1_85EB_CA87, 0xC2B2_AE3D_27D4_EB4F, 0x1656_67B1_9E37_79F9, 0x85EB_CA77_C2B2_AE63,
        0x27D4_EB2F_1656_67C5,
    ]

    /// The counters of each object, one after the other.
    private let places: FixedBuffer<UInt32>
    private let counters: FixedBuffer<UInt32>

    /// A filter for that many entries; nil makes one for no objects that is never asked.
    init(_ configuration: PolicyConfiguration, entries: Int?) {
        guard let entries else {
            places = FixedBuffer(repeating: 0, count: 0)
            counters = FixedBuffer(repeating: 0, count: 0)
            return
        }
        let objects = configuration.objects.count
        let length = UInt32(min(2_147_483_647, max(20, (Self.countersPerEntry * Double(entries)).rounded(.up))))
        let places = FixedBuffer<UInt32>(repeating: 0, count: objects * Self.probes)
        for id in 0..<UInt32(objects) {
            let key = configuration.keys?[id] ?? UInt64(id)
            let first = UInt32(truncatingIfNeeded: Self.hash(key, seed: 0x1234_5678))
            let step = UInt32(truncatingIfNeeded: Self.hash(key, seed: 0x1234_4321))
            for probe in 0..<UInt32(Self.probes) {
                places[id * UInt32(Self.probes) + probe] = (first &+ probe &* step) % length
            }
        }
        counters = FixedBuffer(repeating: 0, count: Self.renumber(places))
        self.places = places
    }

    /// Counts one more of an object.
    func add(_ id: ObjectID) {
        for place in range(id) { counters.update(places[place]) { $0 &+= 1 } }
    }

    /// At least as often as the object was added, but for halvings.
    func estimate(_ id: ObjectID) -> UInt32 {
        range(id).reduce(.max) { least, place in min(least, counters[places[place]]) }
    }

    /// Halves every counter. O(counters).
    func halve() {
        for counter in 0..<UInt32(counters.count) { counters.update(counter) { $0 >>= 1 } }
    }

    private func range(_ id: ObjectID) -> Range<UInt32> {
        id * UInt32(Self.probes)..<(id + 1) * UInt32(Self.probes)
    }

    /// Gives the places numbers without gaps, and returns how many there are.
    private static func renumber(_ places: borrowing FixedBuffer<UInt32>) -> Int {
        var used = (0..<UInt32(places.count)).map { places[$0] }
        used.sort()
        var distinct: [UInt32] = []
        for place in used where place != distinct.last { distinct.append(place) }
        for index in 0..<UInt32(places.count) {
            var (low, high) = (0, distinct.count)
            while low < high {
                let middle = (low + high) / 2
                if distinct[middle] < places[index] { low = middle + 1 } else { high = middle }
            }
            places[index] = UInt32(low)
        }
        return distinct.count
    }

    /// XXH64 of the eight bytes of a key.
    private static func hash(_ key: UInt64, seed: UInt64) -> UInt64 {
        func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }
        var hash = (seed &+ Self.primes[4] &+ 8) ^ rotated(key &* Self.primes[1], 31) &* Self.primes[0]
        hash = rotated(hash, 27) &* Self.primes[0] &+ Self.primes[3]
        hash = (hash ^ hash >> 33) &* Self.primes[1]
        hash = (hash ^ hash >> 29) &* Self.primes[2]
        return hash ^ hash >> 32
    }
}
