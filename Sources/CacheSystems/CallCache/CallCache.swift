public import CacheCore
public import CacheEngine

/// Remembers the answers of remote functions, one record for a function and its parameters, and answers calls by six policies.
///
/// ```swift
/// let files = try BackendEntry(FileStorage.self).open(directory: "/var/cache/weather")
/// let cache = try CallCache(CallCacheOptions("weather"), policy: lru, storage: files)
/// let forecast = cache.function("forecast") { (city: City) async throws -> Forecast in try await fetch(city) }
/// for try await answer in forecast.answers(to: city, .cacheThenNetwork) { show(answer.value, isOld: answer.isCached) }
/// ```
///
/// An answer's age counts from when its origin gave it; reads do not change it, nor does the limit, which holds from the moment it is
/// set for whatever is stored. One that is too old serves no call, and stays until it is replaced, removed, or
/// ``removeExpired()`` is called: a call may accept it (``AgeLimit/unlimited``).
///
/// ### Concurrency
/// May be used from any thread or task. A removal, and ``CachedFunction/store(_:for:)``, win over requests that began before: their
/// answers go to those who asked and are not stored. Of two requests for one record whose answers are stored the later wins.
///
/// ### Failures
/// A store that cannot be read, or whose record is damaged, has no answer; one that cannot be written costs nothing but later requests.
/// ``statistics`` counts both.
public final class CallCache: Sendable {
    let records: CallRecords

    /// A cache over a store, with whatever answers of its name are in that.
    ///
    /// - Parameters:
    ///   - policy: chooses what leaves memory.
    ///   - storePolicy: chooses what leaves the store where ``CallCacheOptions/storeBytesMax`` is set; `policy` if it is nil.
    /// - Throws: `AssayError` with code `usage` for options that do not go together, and for a store that is not for several threads;
    ///   `StoreError` if the store cannot be read, or cannot be listed where it is limited.
    public init(
        _ options: CallCacheOptions, policy: PolicyEntry, storePolicy: PolicyEntry? = nil, storage: any StorageBackend
    ) throws {
        records = try CallRecords(options, policy: policy, storePolicy: storePolicy ?? policy, storage: storage)
    }

    /// A function whose answers are kept here.
    ///
    /// - Parameters:
    ///   - name: under which its answers are found again, in another process too.
    ///   - version: raise it when the answers change their meaning: those of other versions are not found any more.
    ///   - origin: what is asked, over the network mostly. An error is never stored; an answer of nil is an answer.
    public func function<Parameters: Encodable & Sendable, Output: Codable & Sendable>(
        _ name: String, version: Int = 1, origin: @escaping @Sendable (Parameters) async throws -> Output
    ) -> CachedFunction<Parameters, Output> {
        CachedFunction(name, version: version, records, origin)
    }

    /// How old an answer may be that serves a call which says nothing of it; nil for any age.
    public var maxAge: Duration? { records.maxAge }

    /// Sets ``maxAge``, for what is stored already too. It is kept in the store.
    ///
    /// - Throws: the store's `StoreError`; the limit is as it was then.
    public func setMaxAge(_ duration: Duration?) throws(StoreError) { try records.setMaxAge(duration) }

    /// Removes every answer of every function of this cache, and nothing of others in the store. Requests under way are not stored.
    /// O(entries of the store).
    ///
    /// - Throws: the store's `StoreError`, `unsupported` for one that cannot list its keys; some answers may be gone then.
    public func removeAll() throws(StoreError) {
        try records.removeAll()
        records.monitor.note(.cleared, "")
    }

    /// Removes every answer that is too old by ``maxAge``; returns how many. O(entries of the store) of reading.
    ///
    /// - Throws: the first `StoreError`, after all others have been tried. A damaged record is not an error.
    @discardableResult
    public func removeExpired() throws(StoreError) -> Int {
        guard let limit = maxAge else { return 0 }
        var removed = 0
        var failure: StoreError?
        for key in try records.tiers.storedKeys() {
            do throws(StoreError) {
                let now = records.nowNanoseconds
                if try records.remove(key, if: { !$0.isYounger(than: limit, at: now) }) { removed += 1 }
            } catch { if error.code != .corrupt { failure = failure ?? error } }
        }
        if let failure { throw failure }
        return removed
    }

    /// The answers in the store, and those that it has evicted and memory still has, too old or not. O(entries).
    public func count() throws(StoreError) -> Int { try records.tiers.storedKeys().count }
    /// Empties memory alone, as when it gets scarce.
    public func dropMemory() { records.tiers.dropMemory() }
    /// How often each event has happened.
    public var statistics: CallStatistics { records.monitor.statistics }
    /// What memory has done.
    public var memoryStatistics: CacheStatistics { records.tiers.upperStatistics }
    /// What the store has done: its failures are here.
    public var storeStatistics: LowerTierStatistics { records.tiers.lowerStatistics }
    /// Makes everything stored durable at the store's claimed level.
    public func flush() throws(StoreError) { try records.tiers.flush() }

    /// Ends the cache's use, and closes the store unless ``CallCacheOptions/closesStore`` says otherwise. Calling it again does nothing.
    public func close() throws(StoreError) {
        try records.tiers.close()
        records.flights.close()
    }
}
