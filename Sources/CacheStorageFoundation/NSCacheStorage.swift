public import CacheCore
internal import Foundation
internal import Synchronization

/// Keeps entries in Foundation's `NSCache`, under `NSData` keys: what many programs use without a second thought.
///
/// It is a subject, not a recommendation. By its documentation it may drop any object at any time, so nothing is claimed to
/// stay. On Linux a released cache that holds two entries or more leaks all of them, so ``close()`` empties it first, and
/// an insertion among costs that rise is O(entries). `NSCache` cannot say what it holds.
public final class NSCacheStorage: StorageBackend {
    /// Volatile and free to drop entries; the longest value is a parameter.
    public let claims: StorageClaims
    // Documented to be safe for use by several threads at once; Foundation does not say so to the compiler everywhere.
    nonisolated(unsafe) private let cache = NSCache<NSData, Box>()
    /// Held while an entry is looked for and removed, so that one of two removals finds it.
    private let removal = Mutex(())
    private let isClosed = Atomic(false)

    /// What a cache holds for a key: its values must be objects.
    private final class Box: Sendable {
        let entry: StoredEntry
        init(_ entry: StoredEntry) { self.entry = entry }
    }

    /// The two limits that `NSCache` has, both off unless they are set, and the longest value.
    public static var descriptor: BackendDescriptor {
        BackendDescriptor(
            name: "nscache", summary: "Foundation's NSCache, in a process of its own.",
            citation: "Foundation, NSCache",
            parameters: [
                ParameterSpecification(
                    "count-limit", .integer(default: 0, 0...Int(Int32.max)), "NSCache's countLimit; 0 is none."),
                ParameterSpecification(
                    "total-cost-limit", .integer(default: 0, 0...Int(1 << 50)),
                    "NSCache's totalCostLimit, the cost of a value being its length in bytes; 0 is none."),
                ParameterSpecification(
                    "value-bytes-max", .integer(default: 64 << 20, 1...(1 << 30)),
                    "The longest value that is accepted, in bytes."),
            ],
            needsDirectory: false, needsOwnProcess: true)
    }

    /// An empty cache; the directory is not used.
    public init(_ configuration: BackendConfiguration) throws(StoreError) {
        claims = StorageClaims(
            valueBytesMax: configuration.parameters.integer("value-bytes-max"), retains: false, iterates: false)
        cache.countLimit = configuration.parameters.integer("count-limit")
        cache.totalCostLimit = configuration.parameters.integer("total-cost-limit")
    }

    /// The entry under a key.
    public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        try checkOpen()
        return cache.object(forKey: Self.object(key))?.entry
    }

    /// Stores an entry. A value above the limit is refused and drops the old one.
    public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        try checkOpen()
        try FoundationLimits.check(key, claims)
        guard entry.value.count <= claims.valueBytesMax else {
            cache.removeObject(forKey: Self.object(key))
            throw FoundationLimits.refusal(of: entry.value, claims)
        }
        cache.setObject(Box(entry), forKey: Self.object(key), cost: entry.value.count)
    }

    /// Removes the entry under a key; NSCache itself does not tell whether there was one, so it is looked for first.
    public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try checkOpen()
        let key = Self.object(key)
        return removal.withLock { _ in
            guard cache.object(forKey: key) != nil else { return false }
            cache.removeObject(forKey: key)
            return true
        }
    }

    /// Removes every entry.
    public func removeAll() throws(StoreError) {
        try checkOpen()
        cache.removeAllObjects()
    }

    /// Not supported: NSCache does not tell how many objects it holds.
    public func count() throws(StoreError) -> Int {
        try checkOpen()
        throw .unsupported("NSCache does not tell how many objects it holds")
    }

    /// Not supported: NSCache does not list its keys.
    public func keys() throws(StoreError) -> [[UInt8]] {
        try checkOpen()
        throw .unsupported("NSCache does not list its keys")
    }

    /// Removes every entry, without which its memory would never come back.
    public func close() throws(StoreError) {
        guard !isClosed.exchange(true, ordering: .relaxed) else { return }
        cache.removeAllObjects()
    }

    private func checkOpen() throws(StoreError) {
        if isClosed.load(ordering: .relaxed) { throw .closed }
    }

    private static func object(_ key: [UInt8]) -> NSData { NSData(data: Data(key)) }
}
