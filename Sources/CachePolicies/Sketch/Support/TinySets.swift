internal import CacheCore

/// Sets of a few entries each, in the order of their chains and within a chain the newest first.
///
/// Einziger and Friedman, "TinySet: an access efficient self adjusting Bloom filter construction", ICCCN 2015, without its two
/// bit maps: the chain is written into the high half of each entry instead. A capacity is divided among the sets as evenly as
/// it can be. Every operation is O(entries of a set).
struct TinySets<Entry: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>: ~Copyable {
    private let entries: FixedBuffer<Entry>
    private let counts: FixedBuffer<UInt8>
    private let capacity: Int

    /// The entries of a set that is as large as it can be: one for each chain.
    static var largest: Int { 64 }

    /// That many sets for `capacity` entries together, at most 64 a set.
    init(sets: Int, capacity: Int) {
        entries = FixedBuffer(repeating: 0, count: capacity)
        counts = FixedBuffer(repeating: 0, count: sets)
        self.capacity = capacity
    }

    /// The number of sets.
    var sets: Int { counts.count }

    /// An entry of a chain.
    static func entry(_ chain: UInt64, _ content: UInt64) -> Entry {
        Entry(truncatingIfNeeded: chain) << (Entry.bitWidth / 2) | Entry(truncatingIfNeeded: content)
    }

    /// How many entries a set has room for.
    func room(in set: Int) -> Int { capacity / sets + (set < capacity % sets ? 1 : 0) }

    /// Whether a set is full.
    func isFull(_ set: Int) -> Bool { counts[UInt32(set)] == room(in: set) }

    /// The entry at a place of a set.
    func entry(at place: Int, in set: Int) -> Entry { entries[UInt32(start(of: set) + place)] }

    /// How many entries of a set are equal to one.
    func count(of entry: Entry, in set: Int) -> Int {
        (0..<Int(counts[UInt32(set)])).count { self.entry(at: $0, in: set) == entry }
    }

    /// Adds an entry to a set that is not full, in front of its chain.
    func insert(_ entry: Entry, in set: Int) {
        let (start, count) = (start(of: set), Int(counts[UInt32(set)]))
        var place = count
        while place > 0, entries[UInt32(start + place - 1)] >> (Entry.bitWidth / 2) >= entry >> (Entry.bitWidth / 2) {
            entries[UInt32(start + place)] = entries[UInt32(start + place - 1)]
            place -= 1
        }
        entries[UInt32(start + place)] = entry
        counts[UInt32(set)] = UInt8(count + 1)
    }

    /// Takes the entry at a place of a set out.
    func remove(at place: Int, in set: Int) {
        let (start, count) = (start(of: set), Int(counts[UInt32(set)]))
        for next in place + 1..<max(place + 1, count) {
            entries[UInt32(start + next - 1)] = entries[UInt32(start + next)]
        }
        counts[UInt32(set)] = UInt8(count - 1)
    }

    /// Takes one entry that is equal to another out of a set, if there is one.
    func remove(_ entry: Entry, in set: Int) {
        guard let place = (0..<Int(counts[UInt32(set)])).first(where: { self.entry(at: $0, in: set) == entry })
        else { return }
        remove(at: place, in: set)
    }

    private func start(of set: Int) -> Int { set * (capacity / sets) + min(set, capacity % sets) }
}

/// Where a key belongs among sets, and what is remembered of it.
struct TinyHash: BitwiseCopyable {
    /// One of 64 chains of a set.
    let chain: UInt64
    /// From 1 to 255.
    let fingerprint: UInt64
    private let rest: UInt64

    private static let multiplier: UInt64 = 0xC6A4_A793_5BD1_E995
    private static let seed: UInt64 = 0xE17A_1465

    /// The hash of a key that ``mixed(_:)`` has mixed.
    init(mixed key: UInt64) {
        let hash = (Self.seed ^ Self.multiplier ^ key) &* Self.multiplier
        fingerprint = max(1, hash & 0xFF)
        chain = hash >> 8 & 63
        rest = hash >> 14
    }

    /// Spreads a key over 64 bits.
    static func mixed(_ key: UInt64) -> UInt64 {
        let product = key &* multiplier
        return (product ^ product >> 47) &* multiplier
    }

    /// Which of so many sets.
    func set(of sets: Int) -> Int { Int(rest % UInt64(sets)) }
}
