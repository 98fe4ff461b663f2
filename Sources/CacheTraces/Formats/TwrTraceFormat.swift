public import CacheCore

/// Twitter's traces as libCacheSim keeps them: records of 20 bytes, little-endian.
///
/// The object's size is that of key and value. Reads without a value are dropped unless `zero-sized=keep`. A time to live of 0 or -1 is
/// without end.
public struct TwrTraceFormat: TraceFormat {
    /// Name, parameter and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "twr",
        summary:
            "20-byte records: u32 seconds, u64 object, u32 sizes of key and value, u32 operation and time to live.",
        citation: "libCacheSim; Yang, Yue and Rashmi, OSDI 2020", parameters: [RecordRules.zeroSized],
        fileExtensions: ["twr", "twr.bin"])

    private let rules: RecordRules

    /// Takes the parameter.
    public init(_ parameters: ParameterValues) { rules = RecordRules(parameters) }

    /// Times, operations and sizes of keys tell.
    public static func recognise(_ sample: TraceSample) -> Recognition? { TwitterLayout.packed.recognise(sample) }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        try TwitterLayout.packed.read(&input, into: &sink, rules)
    }
}
