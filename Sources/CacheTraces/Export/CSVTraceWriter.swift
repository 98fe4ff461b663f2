public import CacheCore

/// Writes comma-separated values (RFC 4180) with a header: the key and whatever the trace says of a request.
///
/// Times and times to live are in seconds with up to nine decimals, so that no nanosecond is lost; no time to live is an empty
/// field.
public struct CSVTraceWriter: TraceWriter {
    /// Name and meaning.
    public let descriptor = TraceWriterDescriptor(
        name: "csv", summary: "A header and comma-separated columns: time, tenant, key, size, op, ttl, cost.",
        fileExtensions: ["csv"])

    /// A writer.
    public init() {}

    /// Writes every request.
    ///
    /// - Throws: `AssayError` with code `unavailable` for a key of no bytes.
    public func write(_ trace: CompiledTrace, to path: String) throws(AssayError) {
        try TextKeys.requireNoEmptyKey(trace, "csv")
        let rows = TraceRows(trace)
        try rows.write(to: path)
    }

    /// Nothing but the difference of bytes that read as numbers.
    public func losses(of trace: CompiledTrace) -> [String] { [TextKeys.numberLikeKeys(trace)].compactMap(\.self) }

    /// The columns by their names.
    public func readingFormat(of trace: CompiledTrace) -> String? { TraceRows(trace).format }
}
