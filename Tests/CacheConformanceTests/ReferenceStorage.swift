import CacheConformance
import CacheCore
import CacheMutants
import CacheReference

/// The reference cache as a store of bytes, or one of its mutants: in a directory if its claims need one.
final class ReferenceStorage: StorageBackend {
    static var descriptor: BackendDescriptor {
        BackendDescriptor(
            name: "reference-storage", summary: "The reference cache.", citation: "none", needsDirectory: true)
    }

    /// It promises everything, with limits small enough to try.
    static let everything = StorageClaims(keyBytesMax: 5_000, valueBytesMax: 1 << 20 + 1, durability: .kill)

    let claims: StorageClaims
    private let cache: any CacheInstance

    static func subject(_ mutant: String? = nil, claims: StorageClaims = everything) -> StorageSubject {
        StorageSubject(name: mutant ?? "reference", needsDirectory: claims.durability >= .exit) {
            (directory) throws(StoreError) in
            try ReferenceStorage(mutant, claims, directory)
        }
    }

    convenience init(_ configuration: BackendConfiguration) throws(StoreError) {
        try self.init(nil, Self.everything, configuration.directory)
    }

    private init(_ mutant: String?, _ claims: StorageClaims, _ directory: String?) throws(StoreError) {
        self.claims = claims
        let subject: any CacheSubject =
            mutant.flatMap(Mutation.named).map { $0.subject(policies: []) }
            ?? ReferenceSubject(flavour: directory == nil ? .plain : .persistent, policies: [])
        cache = try subject.open(CacheSetup(), in: directory)
    }

    private func perform(_ operation: CacheOperation) throws(StoreError) -> OperationResult {
        let result = cache.perform(operation)
        if case .failure(let error) = result { throw error }
        return result
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        if case .entry(let entry) = try perform(.get(key)) { entry } else { nil }
    }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        _ = try perform(.put(key, .bytes(entry.value), expiresAtNanoseconds: entry.expiresAtNanoseconds))
    }

    func remove(_ key: [UInt8]) throws(StoreError) -> Bool { try perform(.remove(key)) == .flag(true) }
    func removeAll() throws(StoreError) { _ = try perform(.removeAll) }
    func contains(_ key: [UInt8]) throws(StoreError) -> Bool { try perform(.contains(key)) == .flag(true) }
    func flush() throws(StoreError) { _ = try perform(.flush) }
    func close() throws(StoreError) { _ = try perform(.close) }

    func count() throws(StoreError) -> Int {
        if case .number(let count) = try perform(.count) { count } else { 0 }
    }

    func keys() throws(StoreError) -> [[UInt8]] {
        if case .keys(let keys) = try perform(.keys) { keys } else { [] }
    }
}
