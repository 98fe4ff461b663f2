import CacheCore
import PolicySupport

/// CLOCK with a bit for each object over a ``ClockHandQueue``, which serves blocks of requests without a branch.
struct ClockReplay: ~Copyable, VictimPolicy, ReplayForm {
    private var ring: ClockHandQueue
    let capacity: Int

    static var descriptor: PolicyDescriptor { ClockPolicy<UnitSizes>.descriptor }

    /// Counters and Caffeine's order have no faster form.
    static func serves(_ configuration: PolicyConfiguration) -> Bool {
        configuration.parameters.integer("bits") == 1 && configuration.parameters.integer("init") == 0
            && configuration.parameters.text("dialect") == "paper"
    }

    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        capacity = configuration.capacity.amount
        // A newcomer takes its victim's slot, and the log is hardly ever packed.
        ring = ClockHandQueue(
            objects: configuration.objects.count, residents: configuration.residentLimit, slotsPerResident: 2)
    }

    var residentCount: Int { ring.count }
    var residentWeight: Int { ring.count }
    static func weight(of request: Request) -> Int { 1 }

    mutating func touch(_ request: Request) -> Bool { ring.touch(request.id) }

    mutating func evictOne<Sink: EvictionSink & ~Copyable>(into sink: inout Sink) { ring.evict(into: &sink) }

    mutating func admit<Sink: EvictionSink & ~Copyable>(_ request: Request, weight: Int, into sink: inout Sink) {
        ring.appendBehindHand(request.id)
    }

    var canServeBlock: Bool { ring.count == capacity }
    @inline(__always)
    mutating func serveBlock(_ block: ObjectBlock) -> UInt64 { ring.serveBlockInPlace(block) }

    mutating func remove(_ id: ObjectID) { ring.remove(id) }
    func contains(_ id: ObjectID) -> Bool { ring.contains(id) }
    func prefetch(_ id: ObjectID) { ring.prefetch(id) }
}
