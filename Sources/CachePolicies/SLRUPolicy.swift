public import CacheCore

/// LRU lists one above the other: a hit lifts an object into the next, what overflows falls back into the one below.
///
/// Karedla, Love and Wherry, "Caching strategies to improve disk system performance", Computer 27(3), 1994, with two
/// segments, probation and protected (the default, 20:80); Huang et al., "An analysis of Facebook photo caching", SOSP
/// 2013, with four equal ones (`segments=4`, the preset `s4lru`). A newcomer enters the lowest segment; the victim is
/// the tail of the lowest segment that is not empty. A miss is O(1), a hit O(segments) amortised; 4 bytes an object of
/// the trace and 16 a resident object (24 in bytes). Limits are rounded down and the lowest segment has the rest, so
/// that capacities below the number of segments are an LRU. In bytes an object that the next segment cannot hold stays
/// where it is, and one larger than the capacity is never admitted. Caffeine follows the paper.
///
/// Dialect `libcachesim`: the lowest segment has a limit too. A newcomer enters the lowest segment with room (the
/// lowest if none has), objects larger than the lowest limit are refused (capacities below the number of segments never
/// hit), and a hit may push objects out of the cache: they are gone at once and reported by the next insertion, which
/// doubles the slots. Give `segments=4` for its default and `shares=1:4` for its `seg-size`.
public struct SLRUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect { case paper, libcachesim }
    private static var none: UInt32 { SegmentTable<Sizes>.none }

    private var table: SegmentTable<Sizes>
    private let limits: FixedBuffer<Int>
    private let top: UInt32
    /// The segment of objects that a hit pushed out, until they are reported.
    private let departed: UInt32
    private let rules: Rules
    /// The most weight that may be resident.
    public let capacity: Int

    /// The number of segments, their shares, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "slru", family: "segmented",
            summary: "A hit lifts an object into the next segment; what overflows falls back into the one below.",
            citation: "Karedla et al., Computer 27(3), 1994; Huang et al., SOSP 2013",
            parameters: [
                ParameterSpecification("segments", .integer(default: 2, 1...16), "The number of segments."),
                ParameterSpecification(
                    "shares", .text(default: ""),
                    "Relative sizes from the lowest segment up, such as 1:4; empty for 1:4 with two, else equal."),
                Rules.parameter,
            ], memory: MemoryCost(perObject: 4, perResident: 16),
            deviations: ["dialect=libcachesim": .evictsOnHit])
    }

    /// An empty cache.
    ///
    /// - Throws: `AssayError` with code `usage` for shares that are not one positive number a segment.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        let shares = try Self.shares(configuration.parameters)
        capacity = configuration.capacity.amount
        let dialect = Rules(configuration)
        rules = dialect
        top = UInt32(shares.count - 1)
        departed = UInt32(shares.count)
        limits = FixedBuffer(repeating: 0, count: shares.count)
        let whole = shares.reduce(0, +)
        for (segment, share) in shares.enumerated() {
            limits[UInt32(segment)] = Int(share / whole * Double(capacity))
        }
        if rules == .paper { limits[0] = capacity }
        table = SegmentTable(
            objects: configuration.objects.count,
            slots: configuration.residentLimit * (dialect == .libcachesim ? 2 : 1), resident: shares.count, ghosts: 1)
    }

    /// The number of resident objects.
    public var residentCount: Int { table.residentCount }
    /// The total weight of the resident objects.
    public var residentWeight: Int { table.residentWeight }
    /// What a request weighs.
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Lifts the object into the next segment.
    public mutating func touch(_ request: Request) -> Bool {
        let slot = table.residentSlot(of: request.id)
        guard slot != Self.none else { return false }
        let segment = table.segment(at: slot)
        if segment == top || rules == .paper && table.weight(at: slot) > limits[segment + 1] {
            table.moveToHead(slot)
        } else {
            table.move(slot, toHeadOf: segment + 1)
            settle(from: segment + 1)
        }
        return true
    }

    /// In libCacheSim's dialect reports what hits pushed out and refuses what the lowest segment cannot hold.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        guard rules == .libcachesim else { return true }
        table.incoming = request.id
        while !table.isEmpty(departed) {
            sink.evicted(table.id(at: table.tail(of: departed)))
            table.forgetTail(of: departed, into: &sink)
        }
        table.incoming = .max
        return weight <= limits[0]
    }

    /// Evicts the tail of the lowest segment that is not empty.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        table.evict(lowestTail, into: &sink)
    }

    /// The tail of the lowest segment that is not empty; nil in libCacheSim's dialect, where the newcomer's segment decides.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        table.residentCount == 0 || rules == .libcachesim ? nil : table.id(at: lowestTail)
    }

    private var lowestTail: UInt32 {
        var segment: UInt32 = 0
        while table.isEmpty(segment) { segment += 1 }
        return table.tail(of: segment)
    }

    /// Puts the object into the lowest segment, in libCacheSim's dialect the lowest with room.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        var segment: UInt32 = 0
        if rules == .libcachesim {
            while segment <= top, table.weight(of: segment) + weight > limits[segment] { segment += 1 }
            if segment > top { segment = 0 }
        }
        table.add(request.id, weight: weight, toHeadOf: segment)
    }

    /// Takes the object out of its segment.
    public mutating func remove(_ id: ObjectID) { table.remove(id) }
    /// Whether the object is resident.
    public func contains(_ id: ObjectID) -> Bool { table.contains(id) }
    /// Fetches the object's entry in the index.
    public func prefetch(_ id: ObjectID) { table.prefetch(id) }
    /// Fetches the object's slot.
    public func prefetchEntry(_ id: ObjectID) { table.prefetchEntry(id) }
    /// Fetches the neighbours of the object's slot.
    public func prefetchNeighbours(_ id: ObjectID) { table.prefetchNeighbours(id) }

    /// Lets what a segment and those below cannot hold fall, out of the cache at the end where the lowest has a limit.
    private mutating func settle(from highest: UInt32) {
        var segment = highest
        while table.weight(of: segment) > limits[segment] {
            while table.weight(of: segment) > limits[segment] {
                table.move(table.tail(of: segment), toHeadOf: segment == 0 ? departed : segment - 1)
            }
            if segment == 0 { return }
            segment -= 1
        }
    }

    private static func shares(_ parameters: ParameterValues) throws(AssayError) -> [Double] {
        let count = parameters.integer("segments")
        let text = parameters.text("shares")
        guard !text.isEmpty else { return count == 2 ? [1, 4] : Array(repeating: 1, count: count) }
        let shares = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) ?? 0 }
        guard shares.count == count, shares.allSatisfy({ $0 > 0 && $0.isFinite }) else {
            throw AssayError(
                .usage, "slru: shares=\(text) is not one positive number for each of segments=\(count), such as 1:4.")
        }
        return shares
    }
}
