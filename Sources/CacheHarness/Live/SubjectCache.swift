internal import CacheCore
internal import CacheEngine
internal import Synchronization

/// The engine's cache over a subject's backend, or a complete cache, as a live run drives it: by objects of the trace, with failures in
/// the words of a run. Threads may use it at the same time if it was made for that.
final class SubjectCache: LoadTarget {
    private enum Core: Sendable {
        case engine(StoredCache<[UInt8], [UInt8]>)
        case whole(any BenchmarkedCache)
    }

    private let core: Core
    private let ledger: PayloadLedger
    private let refused = Atomic(0)
    private let countsBytes: Bool

    /// A cache with that policy, which is made anew, over a backend, or a complete one; empty unless `mayHoldEntries`.
    ///
    /// - Throws: `AssayError` for options that do not go together and for a store that is not empty.
    init(
        _ subject: LiveRun.Subject, over location: LiveRun.StoreLocation, ledger: PayloadLedger,
        identities: [[UInt8]: ObjectID]?, mayHoldEntries: Bool = false
    ) throws(AssayError) {
        self.ledger = ledger
        countsBytes = subject.configuration.capacity.unit == .bytes
        core = try Self.opened(subject, over: location, identities)
        let count = try mayHoldEntries ? 0 : count(among: Self.probedKeys)
        guard count == 0 else {
            throw AssayError(
                .usage, "the store holds \(count) entries; give a live run an empty one, such as another prefix")
        }
    }

    /// So many keys of the trace are looked up in a cache that does not count its entries, to see whether it is empty.
    private static var probedKeys: Int { 1_000 }

    private static func opened(
        _ subject: LiveRun.Subject, over location: LiveRun.StoreLocation, _ identities: [[UInt8]: ObjectID]?
    ) throws(AssayError) -> Core {
        do throws(StoreError) {
            switch (subject.kind, location) {
            case (.engine(let policy, _, _), .backend(let storage)):
                return .engine(
                    try StoredCache(
                        options(subject, identities), policy: policy,
                        parameters: subject.configuration.parameters, storage: storage, codec: .bytes))
            case (.whole(let entry), .directory(let directory)):
                return .whole(try entry.open(directory: directory, capacity: subject.configuration.capacity))
            default: preconditionFailure("the engine stands on a backend, and a complete cache on itself")
            }
        } catch {
            throw AssayError(
                error.code == .unavailable ? .usage : .inputOutput, "\(subject.name) could not be opened", cause: error)
        }
    }

    private static func options(
        _ subject: LiveRun.Subject, _ identities: [[UInt8]: ObjectID]?
    ) -> CacheOptions<[UInt8], Int> {
        let configuration = subject.configuration
        var options = CacheOptions<[UInt8], Int>(capacity: configuration.capacity)
        options.admission = configuration.admission
        options.seed = configuration.seed
        // A policy that is made anew for more entries forgets what a simulation remembers.
        options.expectedEntries = max(1, configuration.objects.count)
        options.smallestWeight = configuration.objects.smallestSize
        if configuration.capacity.unit == .bytes { options.weigher = { key, bytes in bytes - key.count } }
        if let identities {
            options.identity = { key in identities[key].map(UInt64.init) ?? 0 }
        }
        return options
    }

    /// The resident entries; of a cache that does not count them those of the trace, in O(objects).
    func count() throws(AssayError) -> Int { try count(among: .max) }

    private func count(among keys: Int) throws(AssayError) -> Int {
        switch core {
        case .engine(let cache): return cache.count
        case .whole(let cache):
            let known = try told(Self.uncounted) { () throws(StoreError) in try cache.count() }
            if let known { return known }
            return try ledger.residentCount(among: keys, isResident)
        }
    }

    private static let uncounted = "the entries could not be counted"

    private func isResident(_ key: [UInt8]) throws(AssayError) -> Bool {
        switch core {
        case .engine(let cache): return cache.contains(key)
        case .whole(let cache):
            do throws(StoreError) { return try cache.value(for: key) != nil } catch {
                // What cannot be a key is not there.
                if error.code == .keyRefused { return false }
                throw failure(Self.uncounted, error)
            }
        }
    }

    /// Offers so far of keys or values that the store refused, as too long: each stays a miss.
    var refusedOffers: Int { refused.load(ordering: .relaxed) }

    /// The bytes of the keys and values that are resident now. O(objects).
    func residentPayloadBytes() throws(AssayError) -> Int {
        try ledger.payloadBytes(isResident: isResident)
    }

    /// Looks an object up; returns its bytes if it is resident.
    @inline(__always)
    func get(_ id: ObjectID) throws(AssayError) -> [UInt8]? {
        do throws(StoreError) {
            switch core {
            case .engine(let cache): return try cache.value(for: ledger.key(of: id))
            case .whole(let cache): return try cache.value(for: ledger.key(of: id))
            }
        } catch {
            // What cannot be a key is not there.
            if error.code == .keyRefused { return nil }
            throw failure("get of object \(id) failed", error)
        }
    }

    /// Offers a missed object; returns whether it was stored, and how many entries that evicted, as far as the cache says so.
    @inline(__always)
    func put(_ id: ObjectID, _ offer: PayloadLedger.Offer) throws(AssayError) -> (isStored: Bool, evictions: Int) {
        do throws(StoreError) {
            switch core {
            case .engine(let cache):
                let (outcome, evictions) = try cache.putCountingEvictions(offer.value, for: offer.key)
                return (outcome.isStored, evictions)
            case .whole(let cache):
                try cache.put(offer.value, for: offer.key)
                return (true, 0)
            }
        } catch {
            guard error.code == .valueRefused || error.code == .keyRefused else {
                throw failure("put of object \(id) failed", error)
            }
            refused.add(1, ordering: .relaxed)
            return (false, 0)
        }
    }

    /// Removes an object; returns whether it was resident.
    @inline(__always)
    func remove(_ id: ObjectID) throws(AssayError) -> Bool {
        do throws(StoreError) {
            switch core {
            case .engine(let cache): return try cache.remove(ledger.key(of: id))
            case .whole(let cache): return try cache.remove(ledger.key(of: id))
            }
        } catch {
            if error.code == .keyRefused { return false }
            throw failure("remove of object \(id) failed", error)
        }
    }

    /// What was reported so far: evictions and changed sizes.
    var reported: ReplayCounts {
        var counts = ReplayCounts()
        switch core {
        case .engine(let cache): cache.report(into: &counts)
        case .whole(let cache): counts.countedEvictions = cache.evictions()
        }
        return counts
    }

    /// The counts of a pass with what the cache knows, after a check that nothing was lost.
    ///
    /// - Parameters:
    ///   - removals: The entries that were removed on request so far.
    ///   - before: What had been reported before the pass.
    /// - Throws: `AssayError` with code `verdict` if the backend lost entries that nobody had removed.
    func counts(_ load: LoadCounts, removals: Int, before: ReplayCounts = ReplayCounts()) throws(AssayError)
        -> ReplayCounts
    {
        var counts = ReplayCounts()
        counts.requests = load.reads
        counts.hits = load.hits
        counts.bytesRequested = load.bytesRequested
        counts.bytesHit = load.bytesHit
        counts.bytesWritten = load.bytesWritten
        (counts.writes, counts.deletes) = (load.writes, load.removalCalls)
        counts.residentObjects = try count()
        switch core {
        case .engine(let cache):
            // The engine lets go of an entry that its store refuses.
            let lost = cache.statistics.removals(.removed) - removals - refusedOffers
            guard lost == 0 else {
                throw AssayError(.verdict, "the backend lost \(lost) entries that were never removed")
            }
            counts.residentWeight = cache.weight
            cache.report(into: &counts)
        case .whole(let cache):
            counts.residentWeight = countsBytes ? try residentPayloadBytes() : counts.residentObjects
            counts.countedEvictions = cache.evictions()
        }
        counts.countedEvictions? -= before.evictions
        counts.resized -= before.resized
        counts.refusals -= before.refusals
        counts.expirations -= before.expirations
        return counts
    }

    /// Removes every entry.
    ///
    /// - Throws: `AssayError` with code `inputOutput`, or `crashed`, if a complete cache cannot.
    func clear() throws(AssayError) {
        switch core {
        case .engine(let cache): cache.removeAll()
        case .whole(let cache):
            try told("the cache could not be cleared") { () throws(StoreError) in try cache.removeAll() }
        }
    }

    /// Ends the use of the cache and its backend.
    ///
    /// - Throws: `AssayError` with code `inputOutput`, or `crashed`, if the backend cannot be closed; the failure of a policy that
    ///   has one.
    func close() throws(AssayError) {
        let policyFailure: AssayError? = if case .engine(let cache) = core { cache.policyFailure } else { nil }
        try told("the backend could not be closed") { () throws(StoreError) in
            switch core {
            case .engine(let cache): try cache.close()
            case .whole(let cache): try cache.close()
            }
        }
        if let policyFailure { throw policyFailure }
    }

    private func told<Result>(
        _ message: String, _ body: () throws(StoreError) -> Result
    ) throws(AssayError) -> Result {
        do throws(StoreError) { return try body() } catch { throw failure(message, error) }
    }

    private func failure(_ message: String, _ error: StoreError) -> AssayError {
        let code: AssayError.Code =
            switch error.code {
            case .corrupt: .verdict
            case .crashed, .hung: .crashed
            default: .inputOutput
            }
        return AssayError(code, message, cause: error)
    }
}
