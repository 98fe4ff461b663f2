public import CacheCore

/// Objects of a ledger's vault, or addresses of Scarab's: signed 64-bit, big-endian. A negative number keeps its bits.
public struct CordaTraceFormat: TraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "corda", aliases: ["scarab"], summary: "One object a record: signed 64-bit, big-endian.",
        citation: "the traces of Corda and Scarab of Caffeine's simulator", fileExtensions: ["corda"])

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Recognises hashes, and numbers that are small beside 64 bits.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        switch NumberStream(sample) {
        case .big64, .hashes64: Recognition(.likely)
        default: nil
        }
    }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        try BareNumber.big64.read(&input, into: &sink)
    }
}
