internal import CacheCore

/// The Bloom filter of Caffeine's simulator, bit for bit: four bits a key in a table of a power of two of words.
///
/// Bloom, "Space/time trade-offs in hash coding with allowable errors", CACM 13(7), 1970. Sized for three times the
/// expected keys with 3 % false positives. All operations are O(1) but ``clear()``.
struct CaffeineBloomFilter: ~Copyable {
    /// -ln(0.03) / ln(2)^2.
    private static let bitsPerKey = 7.298440837582058
    private let words: FixedBuffer<UInt64>
    private let shift: UInt32

    /// A filter for that many keys between two times that it is cleared.
    init(keys: Int) {
        let optimal = max(2, Int(Double(3 * keys) * Self.bitsPerKey) >> 6)
        let length = FrequencySketch.words(for: optimal)
        words = FixedBuffer(repeating: 0, count: length)
        shift = UInt32(UInt32.bitWidth - length.trailingZeroBitCount)
    }

    /// Whether the key may have been put in since the last time it was cleared.
    func mayContain(_ key: UInt64) -> Bool {
        let item = CaffeineHash.spread(key)
        return (0..<4).allSatisfy { row in
            let hash = CaffeineHash.seeded(item, row)
            return words[hash >> shift] & 1 << UInt64(hash & 63) != 0
        }
    }

    /// Puts a key in.
    func put(_ key: UInt64) {
        let item = CaffeineHash.spread(key)
        for row in 0..<4 {
            let hash = CaffeineHash.seeded(item, row)
            words.update(hash >> shift) { $0 |= 1 << UInt64(hash & 63) }
        }
    }

    /// Forgets every key. O(words).
    func clear() {
        for index in 0..<UInt32(words.count) { words[index] = 0 }
    }
}

/// When a feedback policy looks back: periods of requests, and the candidates that were refused lately.
struct Feedback: ~Copyable {
    private let refused: CaffeineBloomFilter
    private let period: Int
    private var requests = 0
    /// The number of periods that have begun.
    private(set) var periods = 0
    /// The period in which something was last adjusted.
    private(set) var adjusted = 0

    /// Periods of at most `longest` requests and at most the capacity.
    init(capacity: Int, longest: Int) {
        period = min(longest, capacity)
        refused = CaffeineBloomFilter(keys: period)
    }

    /// Counts one request: refused candidates are forgotten twice a period.
    mutating func count() {
        if requests % period == 0 { periods += 1 }
        if requests % max(1, period / 2) == 0 { refused.clear() }
        requests += 1
    }

    /// Notes that the key was refused.
    func refuse(_ key: UInt64) { refused.put(key) }

    /// Whether the key was refused lately, or one like it.
    func wasRefused(_ key: UInt64) -> Bool { refused.mayContain(key) }

    /// Whether something was adjusted in this period.
    var isSettled: Bool { adjusted == periods }

    /// Notes that something was adjusted in this period.
    mutating func settle() { adjusted = periods }
}
