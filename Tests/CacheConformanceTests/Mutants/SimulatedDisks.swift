import CacheConformance
import CacheCore
import Foundation
import Synchronization

/// What a store knows, in memory or on a simulated disk.
struct Contents {
    /// Entries under the keys as the store maps them.
    var entries: [[UInt8]: StoredEntry] = [:]
    /// The keys as they were given, in order of first put.
    var names: [[UInt8]: [UInt8]] = [:]
    /// What some mutants keep beside the entries.
    var shadow: [[UInt8]: StoredEntry] = [:]
    var remembered: Set<[UInt8]> = []
    var versions: [[UInt8]: [StoredEntry]] = [:]
    var extraKeys: [[UInt8]] = []
    var drift = 0
    var last: [UInt8]?
    var isCleared = false
    var opensSinceWrite = 0
    var home: String?
}

/// Disks that survive the stores on them: a file in the directory holds a number, the number names the contents.
///
/// In memory, so that thousands of programs run in seconds; a directory that is moved or copied keeps its contents.
final class SimulatedDisks: Sendable {
    final class Disk: Sendable {
        let contents = Mutex(Contents())
        let isOpen = Mutex(false)
    }

    private let disks = Mutex<[String: Disk]>([:])
    /// How often stores were opened and not given back, for a mutant that leaks.
    let leaked = Mutex(0)
    let shared = Disk()

    func disk(at directory: String) throws(StoreError) -> Disk {
        let file = directory + "/disk"
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            if let name = try? String(contentsOfFile: file, encoding: .utf8) {
                return disks.withLock { disks in
                    let disk = disks[name] ?? Disk()
                    disks[name] = disk
                    return disk
                }
            }
            let name = UUID().uuidString
            try name.write(toFile: file, atomically: true, encoding: .utf8)
            let disk = Disk()
            disks.withLock { $0[name] = disk }
            return disk
        } catch {
            throw StoreError(.unavailable, "\(error)")
        }
    }
}

/// A correct store and its mutants.
enum Mutants {
    /// A subject over the reference, with one bug or none.
    static func subject(_ bug: Bug?, claims: StorageClaims = reference) -> StorageSubject {
        let disks = SimulatedDisks()
        let needsDirectory = claims.durability >= .exit
        return StorageSubject(name: bug?.rawValue ?? "reference", needsDirectory: needsDirectory) {
            (directory) throws(StoreError) in
            try MutantStorage(bug, claims: claims, directory: directory, disks: disks)
        }
    }

    /// The reference promises everything, with limits small enough to try.
    static let reference = StorageClaims(keyBytesMax: 5_000, valueBytesMax: 1 << 20 + 1, durability: .kill)
}
