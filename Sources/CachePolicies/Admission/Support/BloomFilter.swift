internal import CacheCore

/// A set of objects that may hold a few more than were put in, and takes a byte or two for each.
///
/// Bloom, "Space/time trade-offs in hash coding with allowable errors", Communications of the ACM 13(7), 1970, with the
/// probes made from two hashes as Kirsch and Mitzenmacher, ESA 2006. All operations but emptying are O(probes).
struct BloomFilter: ~Copyable {
    /// With fewer bits the probes of two objects, which are evenly spaced, are too often the same.
    private static var fewestWords: Int { 16 }

    private let words: FixedBuffer<UInt64>
    private let bits: UInt64
    private let probes: UInt64

    /// A filter that holds `expected` objects with that share of false positives.
    init(expected: Int, falsePositives: Double) {
        let ln2 = PortableMath.log(2)
        let bitsPerObject = -PortableMath.log(falsePositives) / (ln2 * ln2)
        let count = max(Self.fewestWords, Int((Double(expected) * bitsPerObject / 64).rounded(.up)))
        words = FixedBuffer(repeating: 0, count: count)
        bits = UInt64(count) * 64
        probes = UInt64(max(1, (bitsPerObject * ln2).rounded()))
    }

    /// Whether an object was put in; true for a few that were not.
    func contains(_ id: ObjectID) -> Bool {
        let (first, step) = Self.hashes(id)
        for probe in 0..<probes {
            let bit = place(first &+ probe &* step)
            if words[UInt32(bit >> 6)] & (1 << (bit & 63)) == 0 { return false }
        }
        return true
    }

    /// Puts an object in.
    mutating func insert(_ id: ObjectID) {
        let (first, step) = Self.hashes(id)
        for probe in 0..<probes {
            let bit = place(first &+ probe &* step)
            words[UInt32(bit >> 6)] |= 1 << (bit & 63)
        }
    }

    /// Empties the filter. O(its size).
    mutating func removeAll() {
        for word in 0..<UInt32(words.count) { words[word] = 0 }
    }

    private func place(_ hash: UInt64) -> UInt64 { hash.multipliedFullWidth(by: bits).high }

    private static func hashes(_ id: ObjectID) -> (UInt64, UInt64) {
        let first = mix64(UInt64(id) &+ 0x9E37_79B9_7F4A_7C15)
        return (first, mix64(first) | 1)
    }
}
