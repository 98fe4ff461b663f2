public import CacheCore

/// One block number a line, as in the traces that came with LIRS.
///
/// Lines with `*` mark checkpoints and blank lines mean nothing: both are passed over. Lines may end in CR LF.
public struct LIRSTraceFormat: TraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "lirs", summary: "One number a line; lines with '*' and blank lines are passed over.",
        citation: "Jiang and Zhang, LIRS, SIGMETRICS 2002", fileExtensions: ["lirs", "trace", "trc"])

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Recognises numbers among which are checkpoints.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        let isMarked = sample.lines.contains { $0.elementsEqual([0x2a]) }
        return isMarked && sample.areLines { Fields.integer($0) != nil || $0.elementsEqual([0x2a]) }
            ? Recognition(.likely) : nil
    }

    /// Reads every line.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var lines = LineReader()
        while let line = try lines.next(&input) {
            var fields = SpacedFields(line)
            guard let field = fields.next() else { continue }
            let isAlone = fields.next() == nil
            if isAlone, let key = Fields.integer(field) {
                try sink.append(integer: key, RequestAttributes())
            } else if !isAlone || !field.elementsEqual([0x2a]) {
                try sink.refuse(
                    AssayError(
                        .badInput, "Found \(Fields.shown(line)); expected one whole number, or '*' for a checkpoint.",
                        at: lines.location(input)))
            }
        }
    }
}
