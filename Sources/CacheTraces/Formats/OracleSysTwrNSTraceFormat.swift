public import CacheCore

/// Twitter's traces with namespaces and next accesses as libCacheSim keeps them: records of 34 bytes, little-endian.
///
/// The object's size is that of key and value. Reads without a value are dropped unless `zero-sized=keep`. A time to live of 0 or -1 is
/// without end.
public struct OracleSysTwrNSTraceFormat: TraceFormat {
    /// Name, parameter and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "oracle-sys-twr-ns", aliases: ["oraclesystwrns"],
        summary:
            "34-byte records: u32 seconds, u64 object, sizes, operation, namespace, time to live, i64 next access.",
        citation: "libCacheSim; Yang, Yue and Rashmi, OSDI 2020", parameters: [RecordRules.zeroSized],
        fileExtensions: ["oraclesystwrns", "oraclesystwrns.bin"])

    private let rules: RecordRules

    /// Takes the parameter.
    public init(_ parameters: ParameterValues) { rules = RecordRules(parameters) }

    /// Times, operations and sizes of keys tell.
    public static func recognise(_ sample: TraceSample) -> Recognition? { TwitterLayout.annotated.recognise(sample) }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        try TwitterLayout.annotated.read(&input, into: &sink, rules)
    }
}
