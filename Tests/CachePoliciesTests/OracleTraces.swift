import CacheCore
import CacheTraces
import CacheWorkloads
import Foundation
import _CacheTestSupport

/// Reads the traces that the tables of exact results were made from.
enum OracleTraces {
    /// The requests of a trace as the tables name it, with the column of next uses. Read once in a process.
    static func loadTrace(_ name: String) throws -> RequestColumns {
        if let loaded = cache.value(name) { return loaded }
        guard let (file, format) = files[name] else { return cache.keep(name, try exported(name)) }
        let trace = try store.open(path: SharedFolder.trace(file), format: format)
        let columns = try trace.columnsWithFuture()
        return cache.keep(name, name == "adaptsize" ? OracleKeys.adding(to: columns, of: trace) : columns)
    }

    /// A workload of this repository, read from the file that `assay export` writes: the numbers that it gives to the
    /// objects are what libCacheSim hashed.
    private static func exported(_ name: String) throws -> RequestColumns {
        let folder = try TemporaryDirectory()
        defer { withExtendedLifetime(folder) {} }
        let file = "\(folder.path)/\(name).oracleGeneral"
        try OracleGeneralWriter().write(locator.open(name, store: store).trace, to: file)
        return try TraceStore(directory: folder.path + "/compiled").open(path: file).columnsWithFuture()
    }

    private static let locator = TraceLocator(
        catalog: WorkloadCatalog(directories: [
            SharedFolder.packageRoot.appending(path: "Workloads").path, OracleTable.bundledFolder.path,
        ]))
    private static let cache = TraceCache()
    private static let store = TraceStore()

    private static let files: [String: (file: String, format: String)] = {
        var files = [
            "oltp": ("arc-OLTP.lis.zst", "arc"), "corda": ("corda-vaultservice.gz", "corda"),
            "gcc": ("address-gcc.trace.gz", "address"), "web07": ("cache2k-web07.trace.xz", "cache2k"),
            "w106": ("cloudphysics-w106.trace.xz", "cloud-physics"),
            "adaptsize": ("adaptsize-request.trace.xz", "adapt-size"),
            "cloudPhysicsIO": ("cloudPhysicsIO.oracleGeneral.zst", "oracle-general"),
        ]
        for name in ["2_pools", "cpp", "gli", "loop", "multi1", "multi2", "ps", "scan", "sprite"] {
            files[name] = ("lirs-\(name).trace.gz", "lirs")
        }
        return files
    }()
}
/// The keys that Caffeine's reader of the AdaptSize trace gives to its objects: the first half of a 128-bit MurmurHash3
/// (Appleby, public domain) of number and size. They decide which of them meet in a sketch.
enum OracleKeys {
    /// The columns with those keys for a trace whose objects are called `number+size`.
    static func adding(to columns: RequestColumns, of trace: CompiledTrace) -> RequestColumns {
        let numbers = Numbers(
            (0..<ObjectID(columns.objects.count)).map { id in
                let parts = String(decoding: trace.key(of: id), as: UTF8.self).split(separator: "+")
                return hash(parts.first.flatMap { UInt64($0) } ?? 0, parts.last.flatMap { UInt32($0) } ?? 0)
            })
        return RequestColumns(
            ids: columns.ids, sizes: columns.sizes, uniformSize: columns.uniformSize, next: columns.next,
            costs: columns.costs, times: columns.times, timesToLive: columns.timesToLive, objects: columns.objects,
            keys: ObjectKeys(UnsafeBufferPointer(numbers.buffer), owner: numbers), owner: columns.owner)
    }

    static func hash(_ number: UInt64, _ size: UInt32) -> UInt64 {
        let (first, second): (UInt64, UInt64) = (0x87C3_7B91_1142_53D5, 0x4CF5_AD43_2745_937F)
        func turned(_ value: UInt64, _ bits: UInt64) -> UInt64 { value << bits | value >> (64 - bits) }
        // 12 bytes: no whole block, so that both halves start from 0.
        var low = turned(number &* first, 31) &* second ^ 12
        var high = turned(UInt64(size) &* second, 33) &* first ^ 12
        low = low &+ high
        high = high &+ low
        return mixed(low) &+ mixed(high)
    }

    private static func mixed(_ value: UInt64) -> UInt64 {
        var z = value
        z = (z ^ z >> 33) &* 0xFF51_AFD7_ED55_8CCD
        z = (z ^ z >> 33) &* 0xC4CE_B9FE_1A85_EC53
        return z ^ z >> 33
    }

    private final class Numbers: @unchecked Sendable {
        let buffer: UnsafeMutableBufferPointer<UInt64>
        init(_ values: [UInt64]) {
            buffer = .allocate(capacity: values.count)
            _ = buffer.initialize(from: values)
        }
        deinit { buffer.deallocate() }
    }
}
