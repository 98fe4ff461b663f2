import CacheCore
import Foundation
import Synchronization

/// A store over a simulated disk that is correct but for one bug.
final class MutantStorage: StorageBackend {
    static var descriptor: BackendDescriptor {
        BackendDescriptor(name: "mutant", summary: "Wrong on purpose.", citation: "none", needsDirectory: true)
    }

    let claims: StorageClaims
    let bug: Bug?
    let directory: String?
    private let disks: SimulatedDisks
    private let disk: SimulatedDisks.Disk
    /// Changes of a store that writes when it closes, or that does not see those of another.
    private let pending: Pending?
    private let life = Mutex(Life())

    private final class Pending: Sendable {
        let contents: Mutex<Contents>
        init(_ contents: Contents) { self.contents = Mutex(contents) }
    }

    private struct Life {
        var closes = 0
        var hasRead = false
        var listed: [[UInt8]]?
        var addresses: [[UInt8]: (address: UInt, count: Int)] = [:]
    }

    convenience init(_ configuration: BackendConfiguration) throws(StoreError) {
        try self.init(nil, claims: Mutants.reference, directory: configuration.directory, disks: SimulatedDisks())
    }

    init(_ bug: Bug?, claims: StorageClaims, directory: String?, disks: SimulatedDisks) throws(StoreError) {
        self.bug = bug
        self.claims = claims
        self.directory = directory
        self.disks = disks
        disk = try bug == .sharesDirectories ? disks.shared : directory.map(disks.disk) ?? SimulatedDisks.Disk()
        let isSnapshot = bug == .writesAtClose || bug == .secondStoreIsStale
        pending = isSnapshot ? Pending(disk.contents.withLock { $0 }) : nil
        let isTaken = disk.isOpen.withLock { isOpen in
            defer { isOpen = true }
            return isOpen
        }
        if isTaken, !isSnapshot, bug != .sharesDirectories { throw StoreError(.unavailable, "open elsewhere") }
        try opening()
    }

    deinit {
        disk.isOpen.withLock { $0 = false }
    }

    private func opening() throws(StoreError) {
        if bug == .leaksDescriptors {
            let count = disks.leaked.withLock { leaked in
                leaked += 1
                return leaked
            }
            if count > 1_024 { throw StoreError(.unavailable, "too many open files") }
        }
        if bug == .deletesForeign, let directory {
            for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] where name != "disk" {
                try? FileManager.default.removeItem(atPath: "\(directory)/\(name)")
            }
        }
        use { contents in
            contents.opensSinceWrite += 1
            switch bug {
            case .losesAtSecondOpen where contents.opensSinceWrite > 2:
                if let key = contents.entries.keys.min(by: { $0.lexicographicallyPrecedes($1) }) {
                    contents.forget(key)
                }
            case .expiryNotWritten:
                for key in contents.entries.keys { contents.entries[key]!.expiresAtNanoseconds = nil }
            case .removalsNotWritten:
                for (key, entry) in contents.shadow where contents.entries[key] == nil {
                    contents.entries[key] = entry
                    contents.names[key] = key
                }
            case .remembersPath:
                if let home = contents.home, home != directory { contents.entries = [:] }
                contents.home = directory
            case .indexDrifts: contents.extraKeys += contents.remembered.filter { contents.entries[$0] == nil }
            default: break
            }
        }
    }

    func use<Result: Sendable>(_ body: (inout Contents) -> Result) -> Result {
        if let pending {
            let (result, contents) = pending.contents.withLock { contents in (body(&contents), contents) }
            if bug == .secondStoreIsStale { disk.contents.withLock { $0 = contents } }
            return result
        }
        return disk.contents.withLock { body(&$0) }
    }

    private func checkOpen() throws(StoreError) {
        if bug != .worksAfterClose, life.withLock({ $0.closes > 0 }) { throw .closed }
    }

    func get(_ key: [UInt8]) throws(StoreError) -> StoredEntry? {
        try checkOpen()
        let mapped = MutantKeys.map(key, bug)
        life.withLock { $0.hasRead = true }
        if bug == .tornWhenReadOnly, let directory,
            !FileManager.default.createFile(atPath: directory + "/w", contents: nil)
        {
            return use { $0.entries[mapped].map { StoredEntry($0.value.dropLast(1) + [0]) } }
        }
        if bug == .keepsAddress, let kept = life.withLock({ $0.addresses[mapped] }) {
            let bytes = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: kept.address), count: kept.count)
            return StoredEntry([UInt8](bytes))
        }
        return use { $0.read(mapped, bug) }
    }

    func contains(_ key: [UInt8]) throws(StoreError) -> Bool {
        try checkOpen()
        let mapped = MutantKeys.map(key, bug)
        return use { contents in
            if bug == .containsRemembers { return contents.remembered.contains(mapped) }
            if bug == .loosesPutAfterContains { contents.last = mapped }
            return contents.read(mapped, bug == .consumesOnGet ? nil : bug) != nil
        }
    }

    func put(_ entry: StoredEntry, for key: [UInt8]) throws(StoreError) {
        try checkOpen()
        if key.count > claims.keyBytesMax, bug != .acceptsTooLongKeys { throw StoreError(.keyRefused, "too long") }
        if key.count > 255, bug == .dropsLongKeys { return }
        if key.isEmpty, bug == .ignoresEmptyKey { return }
        let mapped = MutantKeys.map(key, bug)
        if entry.value.count > claims.valueBytesMax, bug != .oversizeIsStored {
            if bug != .oversizeKeepsOld { use { $0.forget(mapped) } }
            throw StoreError(.valueRefused, "too long")
        }
        if bug == .keepsAddress {
            let address = entry.value.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
            life.withLock { $0.addresses[mapped] = (address, entry.value.count) }
            use { $0.names[mapped] = key }
            return
        }
        if bug == .escapesDirectory, let directory, key.starts(with: Array("../".utf8)) {
            _ = FileManager.default.createFile(
                atPath: "\(directory)/\(String(decoding: key, as: UTF8.self))", contents: Data(entry.value))
        }
        life.withLock { $0.listed = nil }
        use { $0.write(entry, mapped, key, bug) }
    }

    func remove(_ key: [UInt8]) throws(StoreError) -> Bool {
        try checkOpen()
        let mapped = MutantKeys.map(key, bug)
        return use { $0.remove(mapped, bug) }
    }

    func removeAll() throws(StoreError) {
        try checkOpen()
        use { $0.clear(bug) }
    }

    func count() throws(StoreError) -> Int {
        try checkOpen()
        if bug == .countsFromZero, !life.withLock({ $0.hasRead }) { return 0 }
        if bug == .countsForeign, let directory {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
            return use { $0.entries.count } + names.count - 1
        }
        return use { $0.count(bug) }
    }

    func keys() throws(StoreError) -> [[UInt8]] {
        try checkOpen()
        if bug == .listsFromCache, let listed = life.withLock({ $0.listed }) { return listed }
        let keys = use { $0.list(bug) }
        life.withLock { $0.listed = keys }
        return keys
    }

    func close() throws(StoreError) {
        let closes = life.withLock { life in
            life.closes += 1
            return life.closes
        }
        if closes == 2, bug == .secondCloseThrows { throw .closed }
        guard closes == 1 else { return }
        if bug == .losesLastAtClose { use { contents in contents.last.map { contents.forget($0) } ?? () } }
        if bug == .writesAtClose { disk.contents.withLock { contents in contents = use { $0 } } }
        disk.isOpen.withLock { $0 = false }
    }
}
