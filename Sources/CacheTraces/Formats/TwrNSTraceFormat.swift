public import CacheCore

/// Twitter's traces with namespaces as libCacheSim keeps them: records of 22 bytes, little-endian.
///
/// The object's size is that of key and value. Reads without a value are dropped unless `zero-sized=keep`. A time to live of 0 or -1 is
/// without end.
public struct TwrNSTraceFormat: TraceFormat {
    /// Name, parameter and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "twr-ns", aliases: ["twrns"],
        summary: "22-byte records: those of twr and a u16 namespace, which is the tenant.",
        citation: "libCacheSim; Yang, Yue and Rashmi, OSDI 2020", parameters: [RecordRules.zeroSized],
        fileExtensions: ["twrns", "twrns.bin"])

    private let rules: RecordRules

    /// Takes the parameter.
    public init(_ parameters: ParameterValues) { rules = RecordRules(parameters) }

    /// Times, operations and sizes of keys tell.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        TwitterLayout.packedWithNamespace.recognise(sample)
    }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        try TwitterLayout.packedWithNamespace.read(&input, into: &sink, rules)
    }
}
