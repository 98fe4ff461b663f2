public import CacheConformance
public import CacheCore
internal import Foundation
internal import Synchronization

/// AwesomeCache 5.0 as it was shipped, as a subject: its file names, its two tiers and what it does with what has expired.
public struct LegacyDiskCache: DiskCacheSubject {
    /// The subject.
    public init() {}

    /// `expiring-disk-cache-as-shipped`.
    public var name: String { "expiring-disk-cache-as-shipped" }
    /// Each instance has a directory.
    public var needsDirectory: Bool { true }

    /// What its README promises: values under keys on disk, lives, a block that loads.
    public func claims() throws(StoreError) -> Claims {
        Claims(StorageClaims(keyBytesMax: 5_000, iterates: false, durability: .exit), features: [.timeToLive, .loader])
    }

    /// Opens a cache; bytes are kept as text in base 64.
    public func open(_ setup: CacheSetup, in directory: String?) throws(StoreError) -> any CacheInstance {
        LegacyDiskCacheBytes(LegacyDiskCacheTexts(directory ?? ""))
    }

    /// Opens a cache of texts. There is no limit to set.
    public func openTexts(in directory: String, diskBytesMax: Int?) throws -> any DiskCacheInstance {
        LegacyDiskCacheTexts(directory)
    }
}

/// An open cache of texts, as it was shipped.
final class LegacyDiskCacheTexts: DiskCacheInstance {
    private struct Object: Codable {
        var text: String
        var expiresAtNanoseconds: Int64?
    }

    private let directory: String
    private let state: Mutex<(memory: [String: Object], now: Int64)> = Mutex(([:], 0))

    init(_ directory: String) {
        self.directory = directory
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    /// Every run of other characters becomes one hyphen, so that different keys have one file.
    private static func sanitised(_ key: String) -> String {
        key.replacingOccurrences(of: "[^a-zA-Z0-9_]+", with: "-", options: .regularExpression)
    }

    private func url(_ key: String) -> URL { URL(filePath: "\(directory)/\(Self.sanitised(key)).cache") }

    private func read(_ key: String) -> Object? {
        if let object = state.withLock({ $0.memory[key] }) { return object }
        // What is found on disk is not put into memory, and a damaged file stays.
        return (try? Data(contentsOf: url(key))).flatMap { try? JSONDecoder().decode(Object.self, from: $0) }
    }

    private func hasExpired(_ object: Object) -> Bool {
        object.expiresAtNanoseconds.map { $0 <= state.withLock { $0.now } } ?? false
    }

    func set(_ text: String, _ key: String, lifeNanoseconds: Int64?) throws {
        let now = state.withLock { $0.now }
        let object = Object(text: text, expiresAtNanoseconds: lifeNanoseconds.map { now &+ $0 })
        state.withLock { $0.memory[key] = object }
        // Errors of writing are ignored: of names that are too long, and of objects that cannot be archived.
        guard text != "unencodable", let data = try? JSONEncoder().encode(object) else { return }
        try? data.write(to: url(key))
    }

    /// Since 3.0 what has expired is hidden and not deleted.
    func get(_ key: String, returningExpired: Bool) throws -> String? {
        guard let object = read(key), returningExpired || !hasExpired(object) else { return nil }
        return object.text
    }

    /// Everybody who misses loads.
    func get(_ key: String, load: () throws -> String) throws -> String {
        if let text = try get(key, returningExpired: false) { return text }
        let text = try load()
        try set(text, key, lifeNanoseconds: nil)
        return text
    }

    func remove(_ key: String) {
        state.withLock { $0.memory[key] = nil }
        try? FileManager.default.removeItem(at: url(key))
    }

    /// Goes by the names of files, which are not the keys that memory knows.
    func removeExpired() throws {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        where name.hasSuffix(".cache") {
            let key = String(name.dropLast(".cache".count))
            if let object = read(key), hasExpired(object) { remove(key) }
        }
    }

    func dropMemory() { state.withLock { $0.memory = [:] } }

    func held(_ key: String) throws -> HeldTiers {
        let isInMemory = state.withLock { $0.memory[key] != nil }
        return HeldTiers(memory: isInMemory, disk: FileManager.default.fileExists(atPath: url(key).path))
    }

    func advance(nanoseconds: Int64) { state.withLock { $0.now += nanoseconds } }
    func damageFiles() throws { try DiskFiles.damage(under: directory) }

    func diskBytes() throws -> Int {
        DiskFiles.all(under: directory).reduce(0) { total, path in
            let data = try? Data(contentsOf: URL(filePath: path))
            return total + (data.flatMap { try? JSONDecoder().decode(Object.self, from: $0) }?.text.utf8.count ?? 0)
        }
    }
}

/// The same cache for the shared checks.
private final class LegacyDiskCacheBytes: CacheInstance {
    private let texts: LegacyDiskCacheTexts

    init(_ texts: LegacyDiskCacheTexts) { self.texts = texts }

    private static func key(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    func perform(_ operation: CacheOperation) -> OperationResult {
        do {
            switch operation {
            case .put(let key, _, _, let terms) where terms.tags.isEmpty:
                let text = Data(operation.entry!.value).base64EncodedString()
                try texts.set(text, Self.key(key), lifeNanoseconds: terms.timeToLiveNanoseconds)
            case .get(let key): return .entry(try entry(key))
            case .contains(let key): return .flag(try entry(key) != nil)
            case .remove(let key):
                let wasThere = try entry(key) != nil
                texts.remove(Self.key(key))
                return .flag(wasThere)
            case .advance(let time): texts.advance(nanoseconds: time)
            case .maintain: try texts.removeExpired()
            case .flush, .pause, .close: break
            default: return .failure(.unsupported(operation))
            }
            return .done
        } catch { return .failure(StoreError(.inputOutput, "\(error)")) }
    }

    private func entry(_ key: [UInt8]) throws -> StoredEntry? {
        guard let text = try texts.get(Self.key(key), returningExpired: false) else { return nil }
        return Data(base64Encoded: text).map { StoredEntry(Array($0)) }
    }
}
