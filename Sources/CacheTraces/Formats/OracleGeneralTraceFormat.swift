public import CacheCore

/// libCacheSim's binary records of 24 bytes, little-endian: time in seconds, object, size, next access.
///
/// Requests of size 0 are dropped unless `zero-sized=keep`, because libCacheSim drops them. The next access is read by
/// nobody here: Assay computes the future itself. Records that are surely of another format are refused: text, times that go back, sizes
/// or next accesses that are none.
public struct OracleGeneralTraceFormat: TraceFormat {
    /// Name, parameter and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "oracle-general", aliases: ["oraclegeneral", "oraclegeneralbin", "gl-cache", "glcache"],
        summary: "24-byte records: u32 seconds, u64 object, u32 size, i64 next access; little-endian.",
        citation: "libCacheSim; GL-Cache, FAST 2023, has the same records",
        parameters: [RecordRules.zeroSized],
        fileExtensions: ["oraclegeneral", "oraclegeneral.bin"])

    private let rules: RecordRules

    /// Takes the parameter.
    public init(_ parameters: ParameterValues) { rules = RecordRules(parameters) }

    /// Recognises records of which each makes sense, with times that never go back.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        OracleRecords(sample.bytes).areCertain ? Recognition(.certain) : nil
    }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var rules = rules
        var records = RecordColumns()
        func fault(_ start: UnsafeRawBufferPointer) -> String? {
            OracleRecords(start).fault.map {
                "These are no records of oracleGeneral: \($0). Name the format with --format."
            }
        }
        try forEachRecord(
            of: 24, in: &input, fault: fault,
            refuse: { (error) throws(AssayError) in try sink.refuse(error) }
        ) { (record) throws(AssayError) in
            let size = UInt32(littleEndian: record.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            if size == 0, rules.dropsZeroSized() { return }
            let seconds = UInt32(littleEndian: record.loadUnaligned(as: UInt32.self))
            let key = UInt64(littleEndian: record.loadUnaligned(fromByteOffset: 4, as: UInt64.self))
            records.append(
                key: key, sizeBytes: UInt64(size), timeNanoseconds: Int64(seconds) &* 1_000_000_000)
            guard records.isFull else { return }
            try sink.append(records)
            records.removeAll()
        }
        try sink.append(records)
        rules.tell(&sink)
    }
}
