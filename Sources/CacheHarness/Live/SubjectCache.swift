internal import CacheCore
internal import CacheEngine

/// The engine's cache over a subject's backend, as a live run drives it: by objects of the trace, with failures in the
/// words of a run. Threads may use it at the same time if it was made for that.
final class SubjectCache: LoadTarget {
    private let cache: StoredCache<[UInt8], [UInt8]>
    private let ledger: PayloadLedger

    /// A cache with that policy, which is made anew, over a backend that is empty unless `mayHoldEntries`.
    ///
    /// - Throws: `AssayError` for options that do not go together and for a backend that is not empty.
    init(
        _ subject: LiveRun.Subject, over backend: any StorageBackend, shards: Int = 1, ledger: PayloadLedger,
        identities: [[UInt8]: ObjectID]?, mayHoldEntries: Bool = false
    ) throws(AssayError) {
        self.ledger = ledger
        do {
            cache = try StoredCache(
                Self.options(subject, shards, identities), policy: subject.policy,
                parameters: subject.configuration.parameters, storage: backend, codec: .bytes)
        } catch {
            throw AssayError(
                error.code == .unavailable ? .usage : .inputOutput,
                "\(subject.policy.descriptor.name) over \(subject.backend.descriptor.name) could not be opened",
                cause: error.description)
        }
        guard mayHoldEntries || cache.count == 0 else {
            throw AssayError(
                .usage, "the store holds \(cache.count) entries; give a live run an empty one, such as another prefix")
        }
    }

    private static func options(
        _ subject: LiveRun.Subject, _ shards: Int, _ identities: [[UInt8]: ObjectID]?
    ) -> CacheOptions<[UInt8], Int> {
        let configuration = subject.configuration
        var options = CacheOptions<[UInt8], Int>(capacity: configuration.capacity)
        options.shards = shards
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

    /// The resident entries.
    var count: Int { cache.count }

    /// The bytes of the keys and values that are resident now. O(objects).
    func residentPayloadBytes() -> Int { ledger.payloadBytes { cache.contains($0) } }

    /// Looks an object up; returns its bytes if it is resident.
    @inline(__always)
    func get(_ id: ObjectID) throws(AssayError) -> [UInt8]? {
        do { return try cache.value(for: ledger.key(of: id)) } catch { throw failure("get", id, error) }
    }

    /// Offers a missed object; returns whether it was stored, and how many entries that evicted.
    @inline(__always)
    func put(_ id: ObjectID, _ offer: PayloadLedger.Offer) throws(AssayError) -> (isStored: Bool, evictions: Int) {
        do {
            let (outcome, evictions) = try cache.putCountingEvictions(offer.value, for: offer.key)
            return (outcome.isStored, evictions)
        } catch { throw failure("put", id, error) }
    }

    /// Removes an object; returns whether it was resident.
    @inline(__always)
    func remove(_ id: ObjectID) throws(AssayError) -> Bool {
        do { return try cache.remove(ledger.key(of: id)) } catch { throw failure("remove", id, error) }
    }

    /// The evictions that the policy has reported so far.
    var evictions: Int {
        var counts = ReplayCounts()
        cache.report(into: &counts)
        return counts.evictions
    }

    /// The counts of a pass with what the cache knows, after a check that nothing was lost.
    ///
    /// - Parameters:
    ///   - removals: The entries that were removed on request so far.
    ///   - evictionsBefore: The entries that had been evicted before the pass.
    /// - Throws: `AssayError` with code `verdict` if the backend lost entries that nobody had removed.
    func counts(_ load: LoadCounts, removals: Int, evictionsBefore: Int) throws(AssayError) -> ReplayCounts {
        let lost = cache.statistics.removals(.removed) - removals
        guard lost == 0 else {
            throw AssayError(.verdict, "the backend lost \(lost) entries that were never removed")
        }
        var counts = ReplayCounts()
        counts.requests = load.reads
        counts.hits = load.hits
        counts.bytesRequested = load.bytesRequested
        counts.bytesHit = load.bytesHit
        counts.bytesWritten = load.bytesWritten
        counts.residentObjects = cache.count
        counts.residentWeight = cache.weight
        cache.report(into: &counts)
        counts.evictions -= evictionsBefore
        return counts
    }

    /// Removes every entry.
    func clear() { cache.clear() }

    /// Ends the use of the cache and its backend.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the backend cannot be closed.
    func close() throws(AssayError) {
        do { try cache.close() } catch {
            throw AssayError(.inputOutput, "the backend could not be closed", cause: error.description)
        }
    }

    private func failure(_ operation: String, _ id: ObjectID, _ error: StorageError) -> AssayError {
        AssayError(
            error.code == .corrupt ? .verdict : .inputOutput, "\(operation) of object \(id) failed",
            cause: error.description)
    }
}
