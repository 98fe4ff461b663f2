public import CacheCore
internal import PolicySupport

/// LRU lists one above the other: a hit lifts an object into the next, what overflows falls back into the one below.
///
/// Karedla, Love and Wherry, "Caching strategies to improve disk system performance", Computer 27(3), 1994, with two
/// segments, probation and protected (the default, 20:80); Huang et al., "An analysis of Facebook photo caching", SOSP
/// 2013, with four equal ones (`segments=4`, the preset `s4lru`). A newcomer enters the lowest segment; the victim is
/// the oldest of the lowest segment that is not empty. A miss is O(1), a hit O(segments) amortised. Limits are rounded
/// down and the lowest segment has the rest, so that capacities below the number of segments are an LRU. In bytes an
/// object that the next segment cannot hold stays where it is, and one larger than the capacity is never admitted.
/// Caffeine follows the paper.
///
/// Replays in objects keep the segments in a `SegmentLog`, but for caches of less than a few hundred objects; these, live
/// caches and bytes take lists. See `docs/decisions/0023-segments-share-a-log.md`. Memory: 4 bytes an object of the trace
/// and 25 a resident object in the log, 16 in lists (24 in bytes).
///
/// Dialect `libcachesim`: the lowest segment has a limit too. A newcomer enters the lowest segment with room (the
/// lowest if none has), objects larger than the lowest limit are refused (capacities below the number of segments never
/// hit), and a hit may push objects out of the cache: they are gone at once and reported by the next insertion, which
/// doubles the slots of the lists. Give `segments=4` for its default and `shares=1:4` for its `seg-size`.
///
/// Dialect `libcachesim-v0` (its `slruv0`): the same with equal segments alone, of the capacity divided by their number and
/// rounded down, but a hit in the highest does not refresh, and a newcomer for which no segment has room evicts from the
/// lowest until that has, so that a remainder of the capacity stays empty.
public struct SLRUPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, VictimPolicy {
    private enum Rules: String, Dialect {
        case paper, libcachesim
        case libcachesimV0 = "libcachesim-v0"
    }

    /// What the log does not hold: see ``longestRun(_:_:atLeast:)``.
    private var lists: SegmentedLRU<SegmentLists<Sizes>>
    /// Replays in objects. Either has room for nothing while the other is used.
    private(set) var logged: SegmentedLRU<SegmentLog>
    /// The most requests of a run.
    private let longest: Int
    /// What to add to the evictions of exchanges, which are counted by the residents: less for what a hit pushed out and no
    /// insertion has reported.
    private var uncounted = 0
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
            ], memory: MemoryCost(perObject: 4, perResident: 25, fixed: 2000, perResidentInBytes: 24),
            deviations: ["dialect=libcachesim": .evictsOnHit, "dialect=libcachesim-v0": .evictsOnHit])
    }

    /// An empty cache.
    ///
    /// - Throws: `AssayError` with code `usage` for shares that are not one positive number a segment, and for unequal ones in
    ///   the dialect `libcachesim-v0`.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        try self.init(configuration, runsOfAtLeast: 8)
    }

    /// A cache that serves runs of requests if they may be so many. Positions in the log begin at `start`.
    init(
        _ configuration: PolicyConfiguration, runsOfAtLeast shortest: Int, start: UInt32 = 1
    ) throws(AssayError) {
        // Locals first: see the implementers' notes of `EvictionPolicy`.
        let shares = try Self.shares(configuration.parameters)
        let (amount, rules) = (configuration.capacity.amount, Rules(configuration))
        let isLimited = rules != .paper
        let whole = shares.reduce(0, +)
        var limits = shares.map { rules == .libcachesimV0 ? amount / shares.count : Int($0 / whole * Double(amount)) }
        let run = Self.longestRun(limits, configuration, atLeast: shortest)
        if !isLimited { limits[0] = amount }
        longest = run
        capacity = amount
        let (ids, places, segments) = (configuration.objects.count, configuration.residentLimit, limits.count)
        let (listed, written) = run > 0 ? (0, ids) : (ids, 0)
        lists = SegmentedLRU(
            SegmentLists(
                objects: listed, slots: run > 0 ? 0 : places * (isLimited ? 2 : 1), segments: run > 0 ? 0 : segments),
            limits: limits, isLimited: isLimited, isFirstVersion: rules == .libcachesimV0)
        logged = SegmentedLRU(
            SegmentLog(
                objects: written, slots: run > 0 ? places * configuration.logSlotsPerResident : 0,
                segments: run > 0 ? segments : 0, longest: run, start: start),
            limits: limits, isLimited: isLimited)
    }

    @inline(__always)
    private var usesLog: Bool { Sizes.isUnit && longest > 0 }

    /// The most requests that are served together: so few that most are for none of the objects that may be about to fall. 0
    /// where that is less than `least`, and where requests are not served in blocks: lists take them one by one in less time.
    private static func longestRun(_ bounds: [Int], _ configuration: PolicyConfiguration, atLeast least: Int) -> Int {
        let slots = configuration.residentLimit * configuration.logSlotsPerResident
        guard Sizes.isUnit, Rules(configuration) != .libcachesimV0, configuration.plannedResidents == nil,
            !configuration.isFronted,
            configuration.capacity.amount < configuration.objects.count, slots <= SegmentLog.mostSlots
        else { return 0 }
        let longest = (bounds.min() ?? 0) / (2 * bounds.count)
        return longest < least ? 0 : min(ObjectBlock.limit, longest)
    }

    public var residentCount: Int { usesLog ? logged.store.residentCount : lists.store.residentCount }
    public var residentWeight: Int { usesLog ? logged.store.residentWeight : lists.store.residentWeight }
    public static func weight(of request: Request) -> Int { Sizes.weight(of: request) }

    /// Lifts the object into the next segment.
    public mutating func touch(_ request: Request) -> Bool {
        usesLog ? logged.touch(request.id) : lists.touch(request.id)
    }

    /// In libCacheSim's dialect reports what hits pushed out and refuses what the lowest segment cannot hold.
    public mutating func willAdmit<Sink: EvictionSink & ~Copyable>(
        _ request: Request, weight: Int, into sink: inout Sink
    ) -> Bool {
        usesLog
            ? logged.willAdmit(request.id, weight: weight, into: &sink)
            : lists.willAdmit(request.id, weight: weight, into: &sink)
    }

    /// Evicts the oldest of the lowest segment that is not empty.
    public mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) {
        if usesLog { logged.evictOne(into: &sink) } else { lists.evictOne(into: &sink) }
    }

    /// The oldest of the lowest segment that is not empty; nil in libCacheSim's dialect, where the newcomer's segment decides.
    public mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        usesLog ? logged.nextVictim() : lists.nextVictim()
    }

    /// Puts the object into the lowest segment, in libCacheSim's dialect the lowest with room.
    public mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        if usesLog {
            logged.admit(request.id, weight: weight, into: &sink)
        } else {
            lists.admit(request.id, weight: weight, into: &sink)
        }
    }

    /// Takes the object out of its segment.
    public mutating func remove(_ id: ObjectID) {
        if usesLog { logged.store.remove(id) } else { lists.store.remove(id) }
    }
    public func contains(_ id: ObjectID) -> Bool {
        (usesLog ? logged.store.place(of: id) : lists.store.place(of: id)) != .max
    }
    public func prefetch(_ id: ObjectID) {
        if usesLog { logged.store.prefetch(id) } else { lists.store.table.prefetch(id) }
    }
    public func prefetchEntry(_ id: ObjectID) { if !usesLog { lists.store.table.prefetchEntry(id) } }
    public func prefetchNeighbours(_ id: ObjectID) { if !usesLog { lists.store.table.prefetchNeighbours(id) } }

    /// Whether newcomers enter the lowest segment: in libCacheSim's dialect once all are full.
    public var canServeBlock: Bool { usesLog && logged.servesRuns }

    /// Serves runs of requests without branches, and alone what asks for an object that may be about to fall or leave.
    @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        let unreported = logged.unreported
        var (served, misses, patience) = (0, UInt64(0), 8)
        while true {
            if patience > 0 {
                let run = logged.serve(block, from: served, atMost: longest, capacity: capacity)
                misses = misses << UInt64(run.requests) | run.misses
                served &+= run.requests
                if served == block.count { break }
                if run.requests == longest { continue }
                // Where requests go round what is about to leave, runs are short and not worth their while.
                patience &-= run.requests < 8 ? 2 : 1
            }
            misses = misses &<< 1 | serveAlone(block[served])
            served &+= 1
            if served == block.count { break }
        }
        uncounted &+= unreported &- logged.unreported
        return misses
    }

    /// 1 for a miss, 0 for a hit.
    @inline(never)
    private mutating func serveAlone(_ id: ObjectID) -> UInt64 {
        let request = Request(id: id, size: 1, index: 0)
        if touch(request) { return 0 }
        var sink = CountingSink()
        _ = insert(request, evicting: &sink)
        return 1
    }

    /// Counts what hits push out where it is reported.
    public func report(into counts: inout ReplayCounts) { counts.evictions += uncounted }

    private static func shares(_ parameters: ParameterValues) throws(AssayError) -> [Double] {
        let count = parameters.integer("segments")
        let text = parameters.text("shares")
        let isFirstVersion = parameters.text("dialect") == Rules.libcachesimV0.rawValue
        guard !text.isEmpty else {
            return count == 2 && !isFirstVersion ? [1, 4] : Array(repeating: 1, count: count)
        }
        let shares = text.split(separator: ":", omittingEmptySubsequences: false).map { Double($0) ?? 0 }
        guard shares.count == count, shares.allSatisfy({ $0 > 0 }), shares.reduce(0, +).isFinite else {
            throw AssayError(
                .usage, "slru: shares=\(text) is not one positive number for each of segments=\(count), such as 1:4.")
        }
        guard !isFirstVersion || shares.allSatisfy({ $0 == shares[0] }) else {
            throw AssayError(
                .usage, "slru: shares=\(text) are unequal, and dialect=libcachesim-v0 knows equal segments alone.")
        }
        return shares
    }
}
