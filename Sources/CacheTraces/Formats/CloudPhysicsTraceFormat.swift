public import CacheCore

/// Block numbers of virtual machines' disks: unsigned 32-bit, big-endian, as the reference reader takes them.
public struct CloudPhysicsTraceFormat: TraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "cloud-physics", summary: "One block number a record: unsigned 32-bit, big-endian.",
        citation: "Waldspurger et al., SHARDS, FAST 2015", fileExtensions: ["cloud-physics"])

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Recognises numbers that are small beside 32 bits and were written little-endian, as those of the public traces.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        NumberStream(sample) == .little32 ? Recognition(.likely) : nil
    }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        try BareNumber.big32.read(&input, into: &sink)
    }
}
