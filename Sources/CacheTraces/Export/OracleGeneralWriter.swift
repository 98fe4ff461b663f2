public import CacheCore

/// Writes a trace as libCacheSim's raw 24-byte records, so that other simulators can replay the same requests.
///
/// An object's number is its dense id plus 1. The next access is the position of the object's next request counted from
/// 1, -1 for never, as in the files that libCacheSim ships. Sizes are the recorded ones, and 1 where there are none.
public struct OracleGeneralWriter: TraceWriter {
    /// Name and meaning.
    public let descriptor = TraceWriterDescriptor(
        name: "oracle-general",
        summary: "libCacheSim's oracleGeneral: objects numbered from 1, seconds, sizes, next access.",
        fileExtensions: ["oraclegeneral", "oraclegeneral.bin"])

    /// A writer.
    public init() {}

    /// Writes the whole trace to a file that must not exist yet. O(requests).
    ///
    /// - Throws: `AssayError` with code `unavailable` if a size or a time does not fit its 32 bits, `inputOutput` if the
    ///   file exists or writing failed.
    public func write(_ trace: CompiledTrace, to path: String) throws(AssayError) {
        let columns = try trace.columnsWithFuture()
        let seconds = WholeSeconds(trace, format: "oracleGeneral")
        try TraceOutput.create(path) { (output) throws(AssayError) in
            for position in 0..<columns.ids.count {
                guard let size = UInt32(exactly: columns.sizes?.size(at: position) ?? columns.uniformSize) else {
                    throw AssayError(
                        .unavailable,
                        "Request \(position + 1) has a size beyond 32 bits, which oracleGeneral cannot hold.")
                }
                let next = columns.next.map { $0[position] } ?? .max
                try output.write(try seconds.value(at: position))
                try output.write(UInt64(columns.ids[position]) + 1)
                try output.write(size)
                try output.write(next == .max ? -1 : Int64(next) + 1)
            }
        }
    }

    /// What a written file does not say of a trace, and what its readers make of it: a sentence each. O(requests).
    ///
    /// Zero-sized requests are written, and dropped by whoever reads them as libCacheSim does.
    public func losses(of trace: CompiledTrace) -> [String] {
        [
            Self.zeroSized(trace), trace.leftOut(byFormatWith: [.sizes, .times]), WholeSeconds.loss(of: trace),
        ].compactMap(\.self)
    }

    /// What becomes of requests for 0 bytes in files that libCacheSim reads; nil if there are none. O(requests).
    static func zeroSized(_ trace: CompiledTrace) -> String? {
        let columns = trace.columns
        let empty = columns.sizes.map { sizes in (0..<columns.ids.count).count { sizes.size(at: $0) == 0 } } ?? 0
        let isAllEmpty = columns.sizes == nil && columns.uniformSize == 0
        let zeroSized = isAllEmpty ? columns.ids.count : empty
        guard zeroSized > 0 else { return nil }
        return "\(zeroSized) requests are for 0 bytes: readers drop them, Assay too without 'zero-sized=keep'."
    }
}
