public import CacheCore
internal import PolicySupport

/// CLOCK-Pro whose share of cold objects follows what each side would have gained, as in CAR.
///
/// Li, "CLOCK-Pro+: improving CLOCK-Pro cache replacement with utility-driven adaptation", SYSTOR 2019; see
/// ``ClockProPolicy`` for the clock. The target weight of the resident cold objects grows at an access to a ghost, by
/// the weight of the resident cold objects that were hot over that of the ghosts, and shrinks at an access to a cold
/// object that was hot, by the inverse ratio; both in whole numbers and at least 1. The end of a test period changes
/// nothing. At most half of the objects may be cold, as in the author's experiments.
///
/// A hit is O(1), a miss amortised O(1); 4 bytes an object of the trace (12 in bytes), 16 a resident object, 6 a ghost.
/// Replays of full caches in objects serve blocks: see `docs/decisions/0030-clock-pro-in-a-log.md`.
/// Capacity 1 holds whatever came last; at 2 and 3 one object is cold. An object larger than the capacity is never
/// admitted. In bytes all sizes are byte sizes, and the target moves by that many times the object's weight.
///
/// Dialect `caffeine` has the differences that it has in ``ClockProPolicy``, but for the default of `ghost`.
public struct ClockProPlusPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private enum Rules: String, Dialect { case paper, caffeine }

    private var clock: ClockProTable<Sizes>

    /// The shares of cold objects and of ghosts, and the dialect.
    public static var descriptor: PolicyDescriptor {
        PolicyDescriptor(
            name: "clock-pro-plus", aliases: ["clock-pro+"], family: "inter-reference",
            summary: "CLOCK-Pro whose share of cold objects follows accesses to ghosts and to demoted objects.",
            citation: "Li, SYSTOR 2019",
            parameters: ClockProTable<Sizes>.parameters(coldMax: 0.5, ghost: 1) + [Rules.parameter],
            memory: MemoryCost(
                perObject: 4, perResident: 16.25, perGhost: 6.25, ghosts: 1, ghostsByParameter: ["ghost": 1],
                fixed: 2000, perObjectInBytes: 12,
                perResidentInBytes: 16.25, perGhostInBytes: 6.25))
    }

    /// An empty cache.
    ///
    /// - Throws: `AssayError` with code `usage` for a `cold-min` above `cold-max`.
    public init(_ configuration: PolicyConfiguration) throws(AssayError) {
        clock = try ClockProTable(
            configuration, adaptation: .utility, followsCaffeine: Rules(configuration) == .caffeine)
    }

    public var residentCount: Int { clock.residentCount }
    public var residentWeight: Int { clock.residentWeight }

    /// Sets the reference bit.
    public mutating func touch(_ request: Request) -> Bool { clock.reference(request.id) }

    /// Runs the cold hand for room and the hot hand for a promotion.
    public mutating func insert<Sink: EvictionSink & ~Copyable>(
        _ request: Request, evicting sink: inout Sink
    ) -> Bool {
        clock.insert(request.id, weight: Sizes.weight(of: request), into: &sink)
    }

    /// Whether the cache is full of objects that weigh 1, but in the dialects.
    public var canServeBlock: Bool { clock.canServeBlock }
    /// Serves a full cache, hits and most misses without a branch.
    @inline(__always)
    public mutating func serveBlock(_ block: ObjectBlock) -> UInt64 { clock.serveBlock(block) }

    /// Takes the object out of the clock.
    public mutating func remove(_ id: ObjectID) { clock.remove(id) }
    public func contains(_ id: ObjectID) -> Bool { clock.contains(id) }
    public func prefetch(_ id: ObjectID) { clock.prefetch(id) }
}
