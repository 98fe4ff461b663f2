import CacheConformance
import CacheCore
import CacheStorage
import Foundation
import Testing
import _CacheTestSupport

/// A store on a file system of one megabyte: what happens when it is full, and after there is space again.
@Suite("Full disk", .enabled(if: SmallDisk.isPossible, "\(SmallDisk.skippedText)"))
struct FullDiskTests {
    @Test(
        arguments: [
            "file:", "file:sync=full", "log:", "log:durability=exit", "log:durability=power", "log:segment-bytes=65536",
            "mmap:", "mmap:sync=full", "mmap:grow-bytes=4096", "tiered:lower=log,upper-bytes=100000",
            "tiered:lower=mmap,upper-bytes=100000,write=back",
        ])
    func `a full disk is a typed error, tears nothing and heals`(name: String) throws {
        let disk = try SmallDisk(megabytes: 1)
        let store = try StorageConformanceTests.subject(name).open(in: disk.path + "/store")
        #expect(try SmallDisk.problems(filling: store) == [])
        try store.close()
    }

    @Test func `a failed overwrite of a file leaves no temporary file`() throws {
        let disk = try SmallDisk(megabytes: 1)
        let store = try FileStorageTests.open(disk.path)
        defer { try? store.close() }
        try store.put(StoredEntry([1]), for: [1])
        #expect(throws: StoreError.self) {
            try store.put(StoredEntry([UInt8](repeating: 1, count: 2_000_000)), for: [1])
        }
        #expect(try store.get([1]) == nil)
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path + "/tmp").isEmpty)
    }

    @Test(arguments: ["log:", "mmap:"])
    func `what was removed on a full disk stays removed`(name: String) throws {
        let disk = try SmallDisk(megabytes: 1)
        let subject = try StorageConformanceTests.subject(name)
        var store = try subject.open(in: disk.path)
        var count: UInt8 = 0
        while (try? store.put(StoredEntry([UInt8](repeating: 7, count: 20_000)), for: [count])) != nil { count += 1 }
        // What the last small holes take.
        while (try? store.put(StoredEntry([]), for: [0xFF, count])) != nil { count += 1 }
        #expect(try store.remove([3]))
        try store.close()
        store = try subject.open(in: disk.path)
        #expect(try store.get([3]) == nil)
        #expect(try store.get([4])?.value.count == 20_000)
    }
}
