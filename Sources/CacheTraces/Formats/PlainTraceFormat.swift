public import CacheCore

/// One key a line, any bytes but a line feed: the format that any tool can write.
///
/// A line that is a decimal number as it would be written again is a number; every other line is its bytes, so that
/// `10`, `010` and `0x10` are three objects. A carriage return before the line feed belongs to the end of the line, as in
/// every text format; nothing else is trimmed.
public struct PlainTraceFormat: TraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "plain", aliases: ["txt", "keys"], summary: "One key a line: a decimal number or any other bytes.",
        citation: "Assay", fileExtensions: ["txt", "plain", "keys"])

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Recognises lines of one word each.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard ContentCheck.isText(sample.bytes) else { return nil }
        return sample.areLines { line in !line.contains { [0x20, 0x09, 0x2c, 0x3b, 0x7c].contains($0) } }
            ? Recognition(.possible) : nil
    }

    /// Reads every line.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var lines = LineReader()
        while let line = try lines.next(&input) {
            let line = Fields.withoutCarriageReturn(line)
            if let key = Fields.canonicalInteger(line) {
                try sink.append(integer: key, RequestAttributes())
            } else if line.count > 0 {
                try sink.append(bytes: line, RequestAttributes())
            } else {
                try sink.refuse(
                    AssayError(
                        .badInput, "The line is empty; a key has at least one byte. Remove the line.",
                        at: lines.location(input)))
            }
        }
    }
}
