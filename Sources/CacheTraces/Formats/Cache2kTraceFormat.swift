public import CacheCore

/// Objects of web applications: signed 32-bit, big-endian. A negative number keeps its bits, widened to 64.
public struct Cache2kTraceFormat: TraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "cache2k", summary: "One object a record: signed 32-bit, big-endian.",
        citation: "cache2k-benchmark", fileExtensions: ["cache2k"])

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Recognises numbers that are small beside 32 bits, big-endian.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        NumberStream(sample) == .big32 ? Recognition(.likely) : nil
    }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        try BareNumber.signedBig32.read(&input, into: &sink)
    }
}
