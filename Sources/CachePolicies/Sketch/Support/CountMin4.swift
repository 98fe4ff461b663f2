internal import CacheCore

/// The frequency sketch of Caffeine's simulator, counter for counter: four 4-bit counters in four words of one table.
///
/// It differs from ``FrequencySketch`` in its hash, which starts from `Long.hashCode` of the original key; in its table,
/// which is as long as the next power of two of the expected objects and may grow, which forgets the counts; and in its
/// sample, which is a multiple of the table's length, counts only additions that changed a counter, and at each halving
/// loses what the counters' odd bits lost. Memory: 8 bytes an expected object, rounded up to a power of two.
struct CountMin4: ~Copyable {
    private var words: FixedBuffer<UInt64>
    private var additions = 0
    private var period: Int
    private let sample: Int

    /// A sketch for that many objects that halves after `sample` times its table; for 0 objects it counts nothing until
    /// it grows.
    init(objects: Int, sample: Int) {
        let length = objects == 0 ? 0 : FrequencySketch.words(for: objects)
        words = FixedBuffer(repeating: 0, count: length)
        period = sample * length
        self.sample = sample
    }

    /// Makes the table long enough for that many objects. A longer table starts empty.
    mutating func grow(to objects: Int) {
        let length = FrequencySketch.words(for: objects)
        guard length > words.count else { return }
        words = FixedBuffer(repeating: 0, count: length)
        period = sample * length
    }

    /// How often the key was added lately, from 0 to 15.
    func estimate(_ key: UInt64) -> Int {
        let item = CaffeineHash.spread(key)
        var least = UInt64.max
        for row in 0..<4 { least = min(least, (words[index(item, row)] >> Self.shift(item, row)) & 0xF) }
        return Int(least)
    }

    /// Counts one request for the key.
    mutating func add(_ key: UInt64) {
        guard words.count > 0 else { return }
        let item = CaffeineHash.spread(key)
        var changed = false
        for row in 0..<4 {
            let index = index(item, row)
            let shift = Self.shift(item, row)
            let word = words[index]
            guard (word >> shift) & 0xF != 0xF else { continue }
            words[index] = word &+ 1 << shift
            changed = true
        }
        guard changed else { return }
        additions += 1
        if additions == period { halve() }
    }

    private mutating func halve() {
        var odd = 0
        for index in 0..<UInt32(words.count) {
            odd += (words[index] & 0x1111_1111_1111_1111).nonzeroBitCount
            words[index] = (words[index] >> 1) & 0x7777_7777_7777_7777
        }
        additions = (additions - odd / 4) >> 1
    }

    private func index(_ item: Int32, _ row: Int) -> UInt32 {
        CaffeineHash.seeded(item, row) & UInt32(words.count - 1)
    }

    private static func shift(_ item: Int32, _ row: Int) -> UInt64 {
        (UInt64(UInt32(bitPattern: item) & 3) << 2 + UInt64(row)) << 2
    }
}

/// How Caffeine's simulator hashes a key for its sketches and filters.
enum CaffeineHash {
    /// `Long.hashCode` of a key, spread over 32 bits.
    static func spread(_ key: UInt64) -> Int32 {
        var hash = UInt32(truncatingIfNeeded: key ^ key >> 32)
        hash = (hash >> 16 ^ hash) &* 0x045D_9F3B
        hash = (hash >> 16 ^ hash) &* 0x045D_9F3B
        return Int32(bitPattern: hash >> 16 ^ hash)
    }

    /// One of four hashes of a spread key. The key is widened with its sign, as Java widens an int.
    static func seeded(_ item: Int32, _ row: Int) -> UInt32 {
        let seed: UInt64 =
            switch row {
            case 0: 0xC3A5_C85C_97CB_3127
            case 1: 0xB492_B66F_BE98_F273
            case 2: 0x9AE1_6A3B_2F90_404F
            default: 0xCBF2_9CE4_8422_2325
            }
        var hash = (UInt64(bitPattern: Int64(item)) &+ seed) &* seed
        hash = hash &+ hash >> 32
        return UInt32(truncatingIfNeeded: hash)
    }
}
