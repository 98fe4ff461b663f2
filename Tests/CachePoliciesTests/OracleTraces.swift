import CacheCore
import Foundation

/// Reads the traces that the tables of exact results were made from, numbered densely.
///
/// Until the trace readers are linked here, the environment variable `ASSAY_DENSE_TRACES` names a folder with
/// `<trace>.ids` and `<trace>.sizes`: little-endian 32-bit numbers, one a request.
enum OracleTraces {
    static let folder = ProcessInfo.processInfo.environment["ASSAY_DENSE_TRACES"]

    /// The requests of a trace, with the column of next uses.
    static func loadTrace(_ name: String) throws -> RequestColumns {
        if let loaded = cache.value(name) { return loaded }
        guard let folder else { throw AssayError(.unavailable, "Set ASSAY_DENSE_TRACES to the folder of traces.") }
        let base = URL(filePath: folder).appending(path: name)
        let ids = try numbers(base.appendingPathExtension("ids"))
        let sizes = try? numbers(base.appendingPathExtension("sizes"))
        return cache.keep(name, TestTrace(ids: ids, sizes: sizes).columns)
    }

    private static let cache = TraceCache()

    private static func numbers(_ url: URL) throws -> [UInt32] {
        let data = try Data(contentsOf: url)
        return data.withUnsafeBytes { bytes in bytes.bindMemory(to: UInt32.self).map { UInt32(littleEndian: $0) } }
    }
}
