internal import CAssayPlugin
internal import CIntrinsics
internal import CacheCore

/// A policy whose decisions a plug-in makes: one call of it for each request, none for a hit that changes nothing.
///
/// Whether an object is resident is known here (``PluginLedger``), so that a plug-in cannot answer wrongly: it is told of hits and
/// misses and says who enters and who leaves. Once it has done what no policy may do, it is asked no more: residents stay, newcomers
/// are refused, and the context has the failure.
struct PluginPolicy<Sizes: SizeStore & ~Copyable>: ~Copyable, EvictionPolicy {
    private let cache: PluginCache
    private let handle: UnsafeMutableRawPointer?
    private let table: assay_policy
    private let ledger: UnsafeMutablePointer<PluginLedger>
    private let residents: UnsafeMutablePointer<UInt64>
    private let current: UnsafeMutablePointer<assay_request>
    private let capacity: Int
    private let keepsGhosts: Bool

    /// Never shown: each entry describes its own policy.
    static var descriptor: PolicyDescriptor {
        PolicyDescriptor(name: "plugin", family: "recency", summary: "The policy of a plug-in.", citation: "")
    }

    static var needsCost: Bool { true }
    static var needsTime: Bool { true }

    /// An empty cache of the policy that is the configuration's context.
    init(_ configuration: PolicyConfiguration) throws(AssayError) {
        guard let context = configuration.context as? PluginPolicyContext else {
            preconditionFailure("a plug-in's policy is opened by its entry")
        }
        let cache = PluginCache(configuration, context)
        try cache.make(configuration)
        self.cache = cache
        handle = cache.handle
        table = context.policy.table
        ledger = cache.ledger
        residents = cache.ledger.pointee.residents
        current = cache.request
        capacity = configuration.capacity.amount
        keepsGhosts = context.policy.keepsGhosts
    }

    var residentCount: Int { ledger.pointee.residentCount }
    var residentWeight: Int { ledger.pointee.residentWeight }
    var isFrozen: Bool { ledger.pointee.hasFailed }
    func contains(_ id: ObjectID) -> Bool { PluginLedger.has(residents, id) }

    @inline(__always)
    private func fill(_ request: Request) {
        current.pointee.weight = UInt64(truncatingIfNeeded: Sizes.weight(of: request))
        current.pointee.size = UInt64(truncatingIfNeeded: request.size)
        current.pointee.index = UInt64(truncatingIfNeeded: request.index)
        current.pointee.cost = request.cost
        current.pointee.time_nanoseconds = request.timeNanoseconds
        current.pointee.time_to_live_nanoseconds = request.timeToLiveNanoseconds
        current.pointee.id = request.id
    }

    @inline(__always)
    mutating func touch(_ request: Request) -> Bool {
        guard PluginLedger.has(residents, request.id) else { return false }
        guard let hit = table.hit, !ledger.pointee.hasFailed else { return true }
        fill(request)
        let status = hit(handle, current, cache.error)
        if status != ASSAY_OK { ledger.pointee.fail("hit", status, cache.error) }
        return true
    }

    mutating func insert<Sink: EvictionSink & ~Copyable>(_ request: Request, evicting sink: inout Sink) -> Bool {
        let weight = Sizes.weight(of: request)
        guard weight <= capacity, !ledger.pointee.hasFailed else {
            remove(request.id)
            sink.forgotten(request.id)
            return false
        }
        fill(request)
        ledger.pointee.begin(request.id)
        let status = table.miss!(handle, current, cache.sink, cache.error)
        let isResident = ledger.pointee.end(request.id, status, cache.error, weight: weight)
        tell(&sink)
        if !isResident, !keepsGhosts { sink.forgotten(request.id) }
        return isResident
    }

    var canServeBlock: Bool {
        Sizes.isUnit && table.exchange != nil && residentCount == capacity && !keepsGhosts
            && !ledger.pointee.hasFailed
    }

    mutating func serveBlock(_ block: ObjectBlock) -> UInt64 {
        var given = assay_block(ids: block.ids, count: UInt32(block.count), ahead: UInt32(block.ahead))
        let status = table.exchange!(handle, &given, cache.left, cache.error)
        guard status == ASSAY_OK else {
            ledger.pointee.fail("exchange", status, cache.error)
            return 0
        }
        return ledger.pointee.serveBlock(block, cache.left)
    }

    /// Passes on who left and what was forgotten.
    @inline(__always)
    private mutating func tell<Sink: EvictionSink & ~Copyable>(_ sink: inout Sink) {
        for index in 0..<ledger.pointee.evicted.count {
            let id = ledger.pointee.evicted[index]
            sink.evicted(id)
            if !keepsGhosts { sink.forgotten(id) }
        }
        for index in 0..<ledger.pointee.forgotten.count { sink.forgotten(ledger.pointee.forgotten[index]) }
        ledger.pointee.clearTold()
    }

    mutating func remove(_ id: ObjectID) {
        guard ledger.pointee.isHeld(id) else { return }
        ledger.pointee.remove(id)
        guard !ledger.pointee.hasFailed else { return }
        let status = table.remove!(handle, id, cache.error)
        if status != ASSAY_OK { ledger.pointee.fail("remove", status, cache.error) }
    }

    mutating func nextVictim(for newcomer: Request) -> ObjectID? {
        guard let nextVictim = table.next_victim, !ledger.pointee.hasFailed else { return nil }
        fill(newcomer)
        var victim = ObjectID.max
        let status = nextVictim(handle, current, &victim, cache.error)
        switch status {
        case ASSAY_NO: return nil
        case ASSAY_YES where victim == newcomer.id || ledger.pointee.isResident(victim): return victim
        case ASSAY_YES: ledger.pointee.fail("named object \(victim) as its next victim, which is not resident")
        default: ledger.pointee.fail("next_victim", status, cache.error)
        }
        return nil
    }

    // A plug-in is told of later requests with the next one that it serves: a call for each hint would cost more than it brings.

    func prefetch(_ id: ObjectID) {
        assay_prefetch(residents + Int(id >> 6))
        current.pointee.upcoming = id
    }

    func prefetchEntry(_ id: ObjectID) { current.pointee.approaching = id }
}
