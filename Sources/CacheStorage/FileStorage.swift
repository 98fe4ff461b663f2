public import CacheCore
import Synchronization

/// Keeps each entry in a file of its own, in a directory that belongs to the store.
///
/// A put writes a new file beside the old one and moves it into place, so a reader or a crash sees the old entry or the
/// new one, whole. Each file carries its key, its lengths and a checksum: damage of any kind makes ``get(_:)`` throw
/// `StoreError.Code.corrupt` once, and the entry is gone afterwards. Files that the store did not write are neither
/// read nor deleted. A second store in the same directory is refused while the first is open.
///
/// ``get(_:)`` and ``put(_:for:)`` are three and four system calls for values up to 16 KiB; ``count()``, ``keys()`` and
/// ``removeAll()`` list the directories.
public final class FileStorage: StorageBackend {
    /// What survives the process: SIGKILL without synchronisation, a power cut with `sync=full`.
    public let claims: StorageClaims

    let names: FileNames
    let sync: FileSynchronisation
    private let limits: StorageLimits
    private let lock: Mutex<Int32?>
    private let isClosed = Atomic(false)
    private let temporaryNumber = Atomic<UInt64>(0)
    private let stripes = (0..<16).map { _ in Stripe() }

    /// Two parameters: when the device is asked to make files durable, and the longest value.
    public static var descriptor: BackendDescriptor {
        BackendDescriptor(
            name: "file", summary: "A file an entry, in a directory of its own.", citation: "POSIX.1-2017 file system",
            parameters: [FileSynchronisation.parameter, StorageLimits.valueBytesMaxParameter], needsDirectory: true)
    }

    /// Opens the store in the configured directory and deletes what a crash left unfinished.
    ///
    /// - Throws: `unavailable` if the directory cannot be used or another store has it open.
    public init(_ configuration: BackendConfiguration) throws(StoreError) {
        names = FileNames(root: configuration.directory ?? "")
        sync = FileSynchronisation(rawValue: configuration.parameters.text(FileSynchronisation.parameter.name))!
        let valueBytesMax = configuration.parameters.integer(StorageLimits.valueBytesMaxParameter.name)
        claims = StorageClaims(
            valueBytesMax: valueBytesMax, durability: sync.durability, compacts: true, detectsDamage: true)
        limits = StorageLimits(claims)
        lock = Mutex(
            try FileSystem.claimDirectory(configuration.directory, for: "file", isDurable: sync == .full))
        try prepareTemporaryDirectory()
    }

    deinit {
        if let descriptor = lock.withLock({ $0 }) { FileSystem.unlock(descriptor) }
    }

    /// The entry under a key.
    ///
    /// - Throws: `corrupt` if its file is damaged; the entry is gone afterwards.
    public func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        try checkOpen()
        guard key.count <= limits.keyBytesMax else { return nil }
        let path = names.path(of: key)
        switch try FileReading.entry(at: path, key: key) {
        case .entry(let entry): return entry
        case .missing: return nil
        case .corrupt(let reason): return try dropCorrupt(key, path, reason)
        }
    }

    /// Stores an entry. Whatever the reason why a value cannot be stored, the old one under its key is dropped.
    ///
    /// - Throws: `full` if there is no space, `valueRefused`, `keyRefused`.
    public func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        try checkOpen()
        try limits.check(key: key)
        let path = names.path(of: key)
        guard limits.accepts(value: entry.value) else {
            _ = try FileSystem.delete(path)
            throw limits.refusal(of: entry.value)
        }
        do {
            try write(entry, key, to: path)
        } catch {
            _ = try? FileSystem.delete(path)
            throw error
        }
    }

    /// Removes the entry under a key.
    public func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try checkOpen()
        guard key.count <= limits.keyBytesMax else { return false }
        let path = names.path(of: key)
        guard try FileSystem.delete(path) else { return false }
        if sync == .full { try FileSystem.synchroniseDirectory(names.shard(of: path)) }
        return true
    }

    /// Removes every entry and leaves foreign files.
    public func removeAll() throws(StoreError) {
        try checkOpen()
        try forEachShard { (shard) throws(StoreError) in
            var removed = 0
            for name in try FileSystem.names(in: names.child(shard)) where FileNames.isEntry(name, in: shard) {
                if try FileSystem.delete(names.grandchild(shard, name)) { removed += 1 }
            }
            if removed > 0, sync == .full { try FileSystem.synchroniseDirectory(names.child(shard)) }
        }
    }

    /// The number of entries. O(entries).
    public func count() throws(StoreError) -> Int {
        try checkOpen()
        var count = 0
        try forEachShard { (shard) throws(StoreError) in
            for name in try FileSystem.names(in: names.child(shard)) where FileNames.isEntry(name, in: shard) {
                count += 1
            }
        }
        return count
    }

    /// Every key. O(entries); a key over 100 bytes is read from its file.
    public func keys() throws(StoreError) -> [[UInt8]] {
        try checkOpen()
        var keys: [[UInt8]] = []
        try forEachShard { (shard) throws(StoreError) in
            for name in try FileSystem.names(in: names.child(shard)) {
                switch FileNames.meaning(of: name, in: shard) {
                case .key(let key): keys.append(key)
                case .digest:
                    let path = names.grandchild(shard, name)
                    if let key = try FileReading.key(at: path), names.path(of: key) == path { keys.append(key) }
                case .foreign: continue
                }
            }
        }
        return keys
    }

    /// Whether there is a file for a key. It is not read, so damage shows only at ``get(_:)``.
    public func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
        try checkOpen()
        return key.count <= limits.keyBytesMax && FileSystem.exists(names.path(of: key))
    }

    /// Lets go of the directory.
    public func close() throws(StoreError) {
        isClosed.store(true, ordering: .releasing)
        let descriptor = lock.withLock { lock in
            defer { lock = nil }
            return lock
        }
        if let descriptor { FileSystem.unlock(descriptor) }
    }

    private func checkOpen() throws(StoreError) {
        if isClosed.load(ordering: .acquiring) { throw .closed }
    }

    private func forEachShard(_ body: ([UInt8]) throws(StoreError) -> Void) throws(StoreError) {
        for name in try FileSystem.names(in: names.child("")) where FileNames.isShard(name) { try body(name) }
    }
}

extension FileStorage {
    /// Excludes moves into place while a damaged file is dropped: a fresh one must not be dropped in its stead.
    private final class Stripe: Sendable {
        let lock = Mutex(())
    }

    private func stripe(_ path: [CChar]) -> Stripe { stripes[Int(UInt8(bitPattern: path[path.count - 2])) & 15] }

    private func prepareTemporaryDirectory() throws(StoreError) {
        let directory = names.child("tmp")
        _ = try FileSystem.makeDirectory(directory)
        for name in try FileSystem.names(in: directory) where FileNames.isTemporary(name) {
            _ = try FileSystem.delete(names.grandchild(Array("tmp".utf8), name))
        }
    }

    private func write(_ entry: StoredEntry, _ key: [UInt8], to path: [CChar]) throws(StoreError) {
        let temporary = names.temporary(temporaryNumber.wrappingAdd(1, ordering: .relaxed).newValue)
        do {
            try writeFile(entry, key, to: temporary)
            try stripe(path).lock.withLock { (_) throws(StoreError) in try moveIntoPlace(temporary, path) }
        } catch {
            _ = try? FileSystem.delete(temporary)
            throw error
        }
        if sync == .full { try FileSystem.synchroniseDirectory(names.shard(of: path)) }
    }

    private func writeFile(_ entry: StoredEntry, _ key: [UInt8], to path: [CChar]) throws(StoreError) {
        let prefix = FileEnvelope.prefix(of: entry, key: key)
        let descriptor = try createFile(path)
        do {
            if sync == .none { FileSystem.reserve(descriptor, bytes: prefix.count + entry.value.count) }
            try FileSystem.write(descriptor, prefix, entry.value, path: path)
            if sync != .none { try FileSystem.synchronise(descriptor, path: path) }
        } catch {
            FileSystem.closeFile(descriptor)
            throw error
        }
        try FileSystem.closeWritten(descriptor, path: path)
    }

    /// Creates a temporary file, and its directory again should someone have deleted it.
    private func createFile(_ path: [CChar]) throws(StoreError) -> Int32 {
        if let descriptor = try FileSystem.create(path) { return descriptor }
        _ = try FileSystem.makeDirectory(names.child("tmp"), withParents: true, isDurable: sync == .full)
        if let descriptor = try FileSystem.create(path) { return descriptor }
        throw StoreError(.unavailable, "the store's directory was deleted while it was open; open it again")
    }

    private func moveIntoPlace(_ temporary: [CChar], _ path: [CChar]) throws(StoreError) {
        if try FileSystem.move(temporary, to: path) { return }
        _ = try FileSystem.makeDirectory(names.shard(of: path), isDurable: sync == .full)
        guard try FileSystem.move(temporary, to: path) else {
            throw StoreError(.unavailable, "the store's directory was deleted while it was open; open it again")
        }
    }

    /// Deletes a damaged file, unless a put has replaced it by now; then the new entry is the answer.
    private func dropCorrupt(
        _ key: [UInt8], _ path: [CChar], _ reason: String
    ) throws(StoreError) -> StoredEntry? {
        try stripe(path).lock.withLock { (_) throws(StoreError) in
            switch try FileReading.entry(at: path, key: key) {
            case .entry(let entry): return entry
            case .missing: return nil
            case .corrupt:
                _ = try FileSystem.delete(path)
                throw StoreError(
                    .corrupt, "an entry's file was damaged: \(reason); the entry was dropped, store it again")
            }
        }
    }
}

/// When the device is asked to make a file durable.
enum FileSynchronisation: String, CaseIterable {
    /// Never: the operating system writes when it likes. Survives SIGKILL, since the system has the bytes.
    case none
    /// Each file before it is moved into place: after a power cut an entry is old, new or missing, never torn.
    case file
    /// Each file and its directory: what was acknowledged survives a power cut.
    case full

    static let parameter = ParameterSpecification(
        "sync", .choice(default: "none", allCases.map(\.rawValue)),
        "Whether a put waits for the device: not at all, for the file, for the file and its directory.")

    var durability: DurabilityLevel { self == .full ? .power : .kill }
}
