public import CacheCore

/// Requests of a content delivery network: `time object size`.
///
/// An object is the pair of number and size, as in the reference reader: a number that comes with another size is
/// another object. Its key reads `number+size`.
public struct AdaptSizeTraceFormat: TraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "adapt-size", aliases: ["adaptsize"],
        summary: "'time object size' a line; the same object with another size is another object.",
        citation: "Berger, Sitaraman and Harchol-Balter, AdaptSize, NSDI 2017", fileExtensions: ["adaptsize"])

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Recognises three numbers a line of which the second comes with more than one third: other formats keep an object's size.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        var sizes: [UInt64: UInt64] = [:]
        var hasOtherSize = false
        let areRequests = sample.areLines { line in
            var fields = SpacedFields(line)
            guard let time = fields.next(), let object = fields.next(), let size = fields.next(), fields.next() == nil,
                Fields.fixedPoint(time, decimals: 9) != nil, let number = Fields.integer(object),
                let bytes = Fields.integer(size)
            else { return false }
            hasOtherSize = hasOtherSize || bytes != sizes.updateValue(bytes, forKey: number) ?? bytes
            return true
        }
        return areRequests && hasOtherSize ? Recognition(.likely) : nil
    }

    /// Reads every line.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var lines = LineReader()
        var key = JoinedKey()
        while let line = try lines.next(&input) {
            var fields = SpacedFields(line)
            guard
                let time = fields.next(), let object = fields.next(), let size = fields.next(), fields.next() == nil,
                let nanoseconds = Fields.fixedPoint(time, decimals: 9), Fields.integer(object) != nil,
                let bytes = Fields.integer(size), bytes <= UInt64(Int.max)
            else {
                try sink.refuse(
                    AssayError(
                        .badInput, "Found \(Fields.shown(line)); expected three numbers 'time object size'.",
                        at: lines.location(input)))
                continue
            }
            key.clear()
            key.append(object)
            key.append(size)
            try key.send(to: &sink, RequestAttributes(sizeBytes: bytes, timeNanoseconds: nanoseconds))
        }
    }
}
