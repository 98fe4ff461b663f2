internal import CacheCore

/// The part of a store whose keys begin with a name, as a store of its own.
///
/// Removing everything removes its own entries alone. O(entries of the whole store) for that, for the keys and their number.
final class NamespaceStorage: StorageBackend {
    private let lower: any StorageBackend
    private let prefix: [UInt8]
    private let closesLower: Bool

    static var descriptor: BackendDescriptor {
        BackendDescriptor(
            name: "namespace", summary: "The part of another store whose keys begin with a name.", citation: "none",
            needsDirectory: false)
    }

    init(_ configuration: BackendConfiguration) throws(StoreError) {
        throw StoreError(.unavailable, "a part of a store needs the store; use init(of:prefix:closesLower:)")
    }

    /// The keys that begin with `prefix`; no prefix may be the beginning of another.
    init(of lower: any StorageBackend, prefix: [UInt8], closesLower: Bool) {
        self.lower = lower
        self.prefix = prefix
        self.closesLower = closesLower
    }

    var claims: StorageClaims {
        var claims = lower.claims
        claims.keyBytesMax -= prefix.count
        return claims
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? { try lower.get(prefix + key) }
    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) { try lower.put(entry, for: prefix + key) }
    func remove(_ key: [UInt8]) throws(StoreError) -> Bool { try lower.remove(prefix + key) }
    func contains(_ key: [UInt8]) throws(StoreError) -> Bool { try lower.contains(prefix + key) }
    func count() throws(StoreError) -> Int { try keys().count }
    func flush() throws(StoreError) { try lower.flush() }
    func removeAll() throws(StoreError) { for key in try keys() { _ = try remove(key) } }
    func close() throws(StoreError) { if closesLower { try lower.close() } else { try lower.flush() } }

    func keys() throws(StoreError) -> [[UInt8]] { try keys(beginningWith: []) }

    /// The keys that begin with some bytes.
    func keys(beginningWith start: [UInt8]) throws(StoreError) -> [[UInt8]] {
        let whole = prefix + start
        return try lower.keys().filter { $0.starts(with: whole) }.map { Array($0[prefix.count...]) }
    }
}
