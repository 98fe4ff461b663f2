import CacheConformance
import CacheCore
import CacheStorageRocksDB
import Foundation
import Testing
import _CacheTestSupport

/// What is special about RocksDB: its files, damage, kills, a full disk.
@Suite("RocksDB storage")
struct RocksDBStorageTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private static func open(_ path: String, _ parameters: String = "") throws -> any StorageBackend {
        try RocksDBConformanceTests.subject(parameters).open(in: path)
    }

    @Test(.enabled(if: SmallDisk.isPossible, "\(SmallDisk.skippedText)"))
    func `a full disk is a typed error, tears nothing and heals`() throws {
        let disk = try SmallDisk(megabytes: 8)
        let store = try Self.open(disk.path + "/store", "write-buffer-bytes=65536")
        let problems = try SmallDisk.problems(filling: store)
        #expect(problems == [])
        try store.close()
    }

    @Test(arguments: StoreDamage.Kind.allCases)
    func `damage to sorted files and their lists gives no wrong bytes`(kind: StoreDamage.Kind) throws {
        let codes: Set<StoreError.Code> = [.corrupt, .unavailable]
        let damage = StoreDamage(openingCodes: codes, stride: 13, isDamaged: Self.holdsEntries) { try Self.open($0) }
        let outcome = try damage.run(kind)
        #expect(outcome.problems == [])
        #expect(outcome.unopened + outcome.corrupt > 0)
    }

    private static func holdsEntries(_ file: String) -> Bool {
        let name = file.split(separator: "/").last ?? ""
        return name.hasSuffix(".sst") || name.hasSuffix(".log") || name.hasPrefix("MANIFEST") || name == "CURRENT"
    }

    @Test(arguments: ["sync=none", "sync=full", "write-buffer-bytes=65536"])
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

    /// Also where every entry was removed before by itself.
    @Test(arguments: [false, true])
    func `clearing gives the disk back`(removesFirst: Bool) throws {
        let store = try Self.open(directory.path, "compression=none")
        for index in 0..<100 { try store.put(StoredEntry([UInt8](repeating: 1, count: 20_000)), for: [UInt8(index)]) }
        try store.flush()
        if removesFirst { for index in UInt8(0)..<100 { #expect(try store.remove([index])) } }
        try store.removeAll()
        let bytes = directory.files().filter { $0.hasSuffix(".sst") }
            .reduce(0) { sum, file in sum + ((try? Data(contentsOf: URL(filePath: file)).count) ?? 0) }
        #expect(bytes < 100_000)
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
}
