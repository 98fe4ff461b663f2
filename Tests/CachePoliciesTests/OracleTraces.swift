import CacheCore
import CacheTraces
import Foundation
import _CacheTestSupport

/// Reads the traces that the tables of exact results were made from.
enum OracleTraces {
    /// The requests of a trace as the tables name it, with the column of next uses. Read once in a process.
    static func loadTrace(_ name: String) throws -> RequestColumns {
        if let loaded = cache.value(name) { return loaded }
        guard let (file, format) = files[name] else {
            throw AssayError(.internalError, "No file is known for the trace \(name); add it to OracleTraces.")
        }
        let trace = try store.open(path: SharedFolder.trace(file), format: format)
        return cache.keep(name, try trace.columnsWithFuture())
    }

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
