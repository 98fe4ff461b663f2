public import CacheCore

/// Accesses to RocksDB's block cache, as `block_cache_trace_analyzer -human_readable_trace_file_path` writes them: 21 columns
/// of CSV.
///
/// Times are in microseconds. The column family is the tenant. Every access is a read, also those that were told not to fill
/// the cache. The binary trace is refused with what to do.
public struct RocksDBTraceFormat: LineTraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "rocksdb",
        summary: "Accesses to RocksDB's block cache: the 21 columns that block_cache_trace_analyzer writes; "
            + "the column family is the tenant.",
        citation: "RocksDB, Block cache analysis and simulation tools")

    private static let layout =
        "the 21 columns of block_cache_trace_analyzer: 'time,block,type,size,family id,family,level,file,caller,…'"

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Reads one access.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        var columns = LineColumns(line, LineColumns.comma, layout: Self.layout)
        let time = try columns.time(decimals: 3)
        let block = try columns.integer("the number of a block")
        let type = try columns.next()
        guard let number = Fields.integer(type), (7...11).contains(number) else {
            throw LineFault(type, expected: "a type of block from 7 to 11")
        }
        let size = try LineColumns.size(columns.next())
        _ = try columns.integer("the number of a column family")
        let family = try columns.next()
        for _ in 6..<21 { _ = try columns.integer("a whole number") }
        try columns.end()
        requests.append(
            integer: block, RequestAttributes(sizeBytes: size, timeNanoseconds: time), tenant: family)
    }

    /// Recognises the columns, and the binary trace, so that it is refused by its name.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        let isBinary = sample.bytes.dropFirst(14).starts(with: "feedcafedeadbeef".utf8)
        return isBinary || canRead(sample) ? Recognition(.certain) : nil
    }
}
