import CacheCore
import CacheTraces
import Foundation
import Testing
import _CacheTestSupport

/// A real trace with the counts that other implementations find in it.
struct RealTrace: Sendable, CustomTestStringConvertible {
    let file: String
    /// The format that it is recognised as.
    let format: String
    let requests: Int
    let objects: Int
    var bytesRequested: Int?
    var footprintBytes: Int?

    var testDescription: String { file }

    private static func lirs(_ name: String, _ requests: Int, _ objects: Int) -> RealTrace {
        RealTrace(file: "lirs-\(name).trace.gz", format: "lirs", requests: requests, objects: objects)
    }

    static let all = [
        lirs("2_pools", 100_000, 9_939), lirs("cpp", 9_047, 1_223), lirs("gli", 6_015, 2_529),
        lirs("loop", 505_500, 1_011), lirs("multi1", 15_858, 2_606), lirs("multi2", 26_311, 5_684),
        lirs("ps", 10_448, 3_083), lirs("scan", 50_025, 2_001), lirs("sprite", 133_996, 7_075),
        RealTrace(file: "arc-OLTP.lis.zst", format: "arc", requests: 914_145, objects: 186_880),
        RealTrace(file: "corda-vaultservice.gz", format: "corda", requests: 135_702, objects: 90_468),
        RealTrace(file: "address-gcc.trace.gz", format: "address", requests: 515_683, objects: 35_070),
        RealTrace(file: "address-penalties-gcc.trace.xz", format: "address", requests: 515_683, objects: 35_070),
        RealTrace(file: "cache2k-web07.trace.xz", format: "cache2k", requests: 76_118, objects: 20_484),
        RealTrace(
            file: "cloudphysics-w106.trace.xz", format: "cloud-physics", requests: 5_292_456, objects: 275_171),
        RealTrace(
            file: "adaptsize-request.trace.xz", format: "adapt-size", requests: 66_987, objects: 40_240,
            bytesRequested: 485_457_552, footprintBytes: 304_213_576),
        RealTrace(
            file: "cloudPhysicsIO.csv.xz", format: "csv", requests: 113_872,
            objects: 48_974, bytesRequested: 4_205_978_112),
        RealTrace(file: "cloudPhysicsIO.txt.bz2", format: "plain", requests: 113_872, objects: 48_974),
        RealTrace(
            file: "cloudPhysicsIO.oracleGeneral.zst", format: "oracle-general", requests: 113_872, objects: 48_974,
            bytesRequested: 4_368_040_448),
        RealTrace(
            file: "cloudPhysicsIO.vscsi.gz", format: "vscsi", requests: 113_872, objects: 48_974,
            bytesRequested: 4_205_978_112),
        RealTrace(
            file: "cloudPhysicsIO.vscsi.lcs.gz", format: "lcs", requests: 113_872, objects: 48_974,
            bytesRequested: 4_205_978_112),
    ]
}

@Suite struct RealTraceTests {
    @Test(
        .enabled(if: SharedFolder.exists, "skipped: the folder of real traces is not there"), arguments: RealTrace.all)
    func `a real trace is recognised and has the counts of other implementations`(_ real: RealTrace) throws {
        let folder = try TemporaryFolder()
        let trace = try folder.store.open(path: SharedFolder.trace(real.file))
        #expect(trace.formatDescription.prefix { $0 != ":" } == real.format)
        #expect(trace.notes == [])
        #expect(trace.requests == real.requests)
        #expect(trace.objects == real.objects)
        #expect(trace.bytesRequested == real.bytesRequested ?? real.requests)
        if let footprint = real.footprintBytes { #expect(trace.footprintBytes == footprint) }
        #expect(trace.hasSizes == (real.bytesRequested != nil))
    }

    @Test(.enabled(if: SharedFolder.exists, "skipped: the folder of real traces is not there"))
    func `every real trace is in the table`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: SharedFolder.trace(""))
        #expect(files.filter { $0 != "README.md" }.sorted() == RealTrace.all.map(\.file).sorted())
    }

    @Test(.enabled(if: SharedFolder.exists, "skipped: the folder of real traces is not there"))
    func `one trace in five formats has the same requests`() throws {
        let folder = try TemporaryFolder()
        let store = folder.store
        let csv = try store.open(
            path: SharedFolder.trace("cloudPhysicsIO.csv.xz"), format: "csv:key=5,size=4,time=2,header")
        let text = try store.open(path: SharedFolder.trace("cloudPhysicsIO.txt.bz2"))
        let binary = try store.open(path: SharedFolder.trace("cloudPhysicsIO.oracleGeneral.zst"))
        #expect(Array(csv.columns.ids) == Array(text.columns.ids))
        #expect(Array(binary.columns.ids) == Array(text.columns.ids))
        let seconds = try #require(csv.timesNanoseconds.map(Array.init))
        #expect(seconds == binary.timesNanoseconds.map(Array.init))
        let lcs = try store.open(path: SharedFolder.trace("cloudPhysicsIO.vscsi.lcs.gz"))
        #expect(Array(lcs.columns.ids) == Array(text.columns.ids))
        #expect(seconds == lcs.timesNanoseconds.map(Array.init))
        let vscsi = try store.open(path: SharedFolder.trace("cloudPhysicsIO.vscsi.gz"))
        #expect(Array(vscsi.columns.ids) == Array(text.columns.ids))
        #expect(seconds == vscsi.timesNanoseconds?.map { $0 / 1_000_000_000 * 1_000_000_000 })
        let writes = (0..<vscsi.requests).count { vscsi.columns.operation(at: $0) == .write }
        #expect(writes == 66_898)
    }
}
