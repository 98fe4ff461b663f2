public import CacheCore

/// One object a record as libCacheSim keeps the traces that were recorded with Pin and valgrind: unsigned 64-bit, little-endian.
public struct ValpinTraceFormat: TraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "valpin", summary: "One object a record: unsigned 64-bit, little-endian.", citation: "libCacheSim",
        fileExtensions: ["valpin"])

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Numbers that are small beside 64 bits tell.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        NumberStream(sample) == .little64 ? Recognition(.likely) : nil
    }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        try BareNumber.little64.read(&input, into: &sink)
    }
}
