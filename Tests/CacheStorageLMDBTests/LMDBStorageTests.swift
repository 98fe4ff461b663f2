import CacheConformance
import CacheCore
import Foundation
import Testing
import _CacheTestSupport

@testable import CacheStorageLMDB

#if canImport(Glibc)
    import Glibc
#endif

/// What is special about LMDB: its map, its limits of keys, damage, kills.
@Suite("LMDB storage")
struct LMDBStorageTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func open(_ path: String, _ parameters: String = "") throws -> any StorageBackend {
        try LMDBConformanceTests.subject(parameters).open(in: path)
    }

    @Test func `a full map is a typed error, keeps the old value, and can be emptied`() throws {
        let store = try Self.open(directory.path, "map-bytes=1048576")
        let problems = try SmallDisk.problems(filling: store, valueBytes: 5_000)
        #expect(problems == [])
    }

    @Test(.enabled(if: SmallDisk.isPossible, "\(SmallDisk.skippedText)"), arguments: ["sync=none", "sync=full"])
    func `a full disk is a typed error and tears nothing`(parameters: String) throws {
        let disk = try SmallDisk(megabytes: 2)
        let filler = disk.path + "/filler"
        try Data(repeating: 1, count: 1 << 20).write(to: URL(filePath: filler))
        let store = try Self.open(disk.path + "/store", parameters)
        // Removals need pages too.
        let problems = try SmallDisk.problems(filling: store, removesWhenFull: false, healsByClearing: false)
        #expect(problems == [])
        try FileManager.default.removeItem(atPath: filler)
        try store.put(StoredEntry([1]), for: [9])
        try store.removeAll()
        #expect(try store.count() == 0)
        try store.close()
    }

    /// What LMDB says after a failed write of its first pages is about the process and not about the file.
    @Test func `nobody is told to delete a database, and a failed write is not called damage`() {
        for code in Array(Int32(-30_799)...(-30_779)) + Array(1..<200) {
            #expect(!LMDBFailure.error(code).message.contains("delete"))
        }
        let panic: Int32 = -30_795
        #expect(LMDBFailure.error(panic).code == .inputOutput)
    }

    #if canImport(Glibc)
        /// LMDB has two descriptors with sync=full, and the second, for its first pages, becomes that of a full disk.
        @Test func `a removal goes on after a failed write of the first pages, and the limit stays`() async throws {
            await #expect(processExitsWith: .success) { [path = directory.path as String] in
                let store = try Self.open(path, "sync=full,map-bytes=1048576")
                for key in UInt8(1)...20 {
                    try store.put(StoredEntry([UInt8](repeating: key, count: 9_000)), for: [key])
                }
                let files = (0..<100).filter {
                    let name = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                    // Those of other tests' stores may have come from the parent.
                    return name?.hasSuffix("\(URL(filePath: path).lastPathComponent)/data.mdb") == true
                }
                try #require(files.count == 2)
                let full = Glibc.open("/dev/full", O_WRONLY)
                try #require(dup2(full, Int32(files[1])) >= 0)
                #expect(try store.remove([1]))
                #expect(try store.get([1]) == nil)
                #expect(try store.get([2])?.value.count == 9_000)
                let problems = try SmallDisk.problems(filling: store, valueBytes: 5_000)
                #expect(problems == [])
                try store.close()
                let size = try FileManager.default.attributesOfItem(atPath: path + "/data.mdb")[.size] as? Int
                #expect(size ?? .max <= 2 << 20)
            }
        }
    #endif

    @Test func `keys are limited as LMDB limits them`() throws {
        let store = try Self.open(directory.path)
        for length in [0, 512, 65_536] {
            let key = [UInt8](repeating: 1, count: length)
            let error = #expect(throws: StoreError.self) { try store.put(StoredEntry([1]), for: key) }
            #expect(error?.code == .keyRefused)
            #expect(try store.get(key) == nil)
        }
        try store.put(StoredEntry([1]), for: [UInt8](repeating: 1, count: 511))
    }

    @Test func `a value that was damaged on the disk is corrupt once and then a miss`() throws {
        var store = try Self.open(directory.path)
        let value = [UInt8](repeating: 0xAB, count: 40)
        try store.put(StoredEntry(value), for: [1])
        try store.put(StoredEntry([5]), for: [2])
        try store.close()
        let file = URL(filePath: directory.path + "/data.mdb")
        let whole = try Data(contentsOf: file)
        // Pages are never written over, so there may be an older one with the same bytes.
        var places: [Int] = []
        var rest = whole[...]
        while let place = rest.range(of: Data(value)) {
            places.append(place.lowerBound)
            rest = rest[place.upperBound...]
        }
        try #require(!places.isEmpty)
        for offset in -9..<value.count {
            var data = whole
            for place in places { data[place + offset] ^= 1 << UInt8((offset + 9) % 8) }
            try data.write(to: file)
            // As after a kill: without checksums of pages a value has its own alone.
            try FileManager.default.removeItem(atPath: directory.path + "/data.sums")
            store = try Self.open(directory.path)
            let error = #expect(throws: StoreError.self) { try store.get([1]) }
            #expect(error?.code == .corrupt)
            #expect(try store.get([1]) == nil)
            #expect(try store.get([2]) == StoredEntry([5]))
            try store.close()
        }
    }

    @Test func `a file cut at any length gives no wrong bytes`() throws {
        let damage = StoreDamage(openingCodes: [.corrupt], stride: 61, isDamaged: { $0.hasSuffix("data.mdb") }) {
            try Self.open($0)
        }
        let outcome = try damage.run(.cut)
        #expect(outcome.problems == [])
        #expect(outcome.unopened == 0)
    }

    @Test(arguments: ["sync=none", "sync=full"])
    func `a kill loses nothing acknowledged`(parameters: String) async throws {
        let store = directory.path + "/store"
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [store = store as String, parameters = parameters as String] in
            KilledWriter(directory: store).work(on: try Self.open(store, parameters), operations: 800, seed: 4)
        }
        let (problems, operations) = try KilledWriter(directory: store).problems(of: Self.open(store, parameters))
        #expect(problems == [])
        #expect(operations >= 800)
    }

    @Test func `a second store in the same directory is refused`() throws {
        let store = try Self.open(directory.path)
        let error = #expect(throws: StoreError.self) { try Self.open(directory.path) }
        #expect(error?.code == .unavailable)
        try store.close()
        try Self.open(directory.path).close()
    }

    @Test(arguments: ["/proc/nowhere", "/dev/null/store", ""])
    func `a place that cannot be used is a typed error`(path: String) {
        let error = #expect(throws: StoreError.self) { try Self.open(path) }
        #expect(error?.code == .unavailable)
    }

    @Test func `a file that is no database is a typed error`() throws {
        try Data(repeating: 0x5A, count: 8_192).write(to: URL(filePath: directory.path + "/data.mdb"))
        let error = #expect(throws: StoreError.self) { try Self.open(directory.path) }
        #expect(error?.code == .corrupt)
    }
}
