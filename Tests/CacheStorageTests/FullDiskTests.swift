import CacheCore
import Foundation
import Testing

@testable import CacheStorage

#if canImport(Glibc)
    import Glibc

    /// A store on a file system of one megabyte: what happens when it is full, and after there is space again.
    @Suite("Full disk")
    struct FullDiskTests {
        private static let isPossible: Bool = {
            let path = "/tmp/assay-tmpfs-probe-\(getpid())"
            mkdir(path, 0o700)
            defer { rmdir(path) }
            guard geteuid() == 0, mount("tmpfs", path, "tmpfs", 0, "size=64k") == 0 else { return false }
            umount(path)
            return true
        }()

        @Test(.enabled(if: isPossible, "skipped: mounting a small tmpfs needs root"))
        func `a full disk is a typed error, tears nothing and heals`() throws {
            let directory = try TemporaryDirectory()
            try #require(mount("tmpfs", directory.path, "tmpfs", 0, "size=1m") == 0)
            defer { umount(directory.path) }
            let store = try FileStorageTests.open(directory.path)
            defer { try? store.close() }
            var stored: [[UInt8]] = []
            var failure: StorageError?
            for index in UInt8(0)..<200 where failure == nil {
                do throws(StorageError) {
                    try store.put(StoredEntry([UInt8](repeating: index, count: 10_000)), for: [index])
                    stored.append([index])
                } catch { failure = error }
            }
            #expect(failure?.code == .full)
            try #require(stored.count > 50)
            for key in stored {
                #expect(try store.get(key) == StoredEntry([UInt8](repeating: key[0], count: 10_000)))
            }
            // A failed overwrite must not leave yesterday's value.
            #expect(throws: StorageError.self) {
                try store.put(StoredEntry([UInt8](repeating: 1, count: 500_000)), for: stored[0])
            }
            #expect(try store.get(stored[0]) == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path + "/tmp").isEmpty)
            try store.removeAll()
            try store.put(StoredEntry([5]), for: [5])
            #expect(try store.get([5]) == StoredEntry([5]))
        }
    }
#endif
