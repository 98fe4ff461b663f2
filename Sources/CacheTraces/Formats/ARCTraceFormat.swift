public import CacheCore

/// Disk accesses as in the traces of the ARC paper: `start count ignored number`, a range of 512-byte blocks.
///
/// Each block of a range is one request. The format carries no sizes: every block counts as one object of size 1.
public struct ARCTraceFormat: TraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "arc", aliases: ["lis"],
        summary: "'start count ignored number' a line: each of count blocks from start is a request.",
        citation: "Megiddo and Modha, ARC, FAST 2003", fileExtensions: ["lis", "arc"])

    /// The longest range that is taken for one access: 8 GiB of blocks. Longer ones are damage, or meant to fill memory.
    private static let longestRange: UInt64 = 1 << 24

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Recognises ranges whose accesses are numbered from one line to the next, or all 0, as in the traces of the paper.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        var number: UInt64?
        let areNumbered = sample.areLines { line in
            var fields = SpacedFields(line)
            guard range(line) != nil, let ignored = fields.field(2), let field = fields.field(0),
                Fields.integer(ignored) == 0, let next = Fields.integer(field)
            else { return false }
            let follows = number.map { next == $0 &+ 1 || next == 0 && $0 == 0 } ?? true
            number = next
            return follows
        }
        return areNumbered ? Recognition(.likely) : nil
    }

    /// Reads every line and expands its range.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var lines = LineReader()
        while let line = try lines.next(&input) {
            guard let range = Self.range(line) else {
                try sink.refuse(
                    AssayError(
                        .badInput,
                        "Found \(Fields.shown(line)); expected four whole numbers 'start count ignored number' "
                            + "with a count from 1 to 2^24 and start + count below 2^64.",
                        at: lines.location(input)))
                continue
            }
            for block in range { try sink.append(integer: block, RequestAttributes()) }
        }
    }

    @inline(__always)
    private static func range(_ line: UnsafeRawBufferPointer) -> Range<UInt64>? {
        var fields = SpacedFields(line)
        guard
            let first = fields.next(), let second = fields.next(), let third = fields.next(),
            let fourth = fields.next(), fields.next() == nil,
            let start = Fields.integer(first), let count = Fields.integer(second),
            Fields.integer(third) != nil, Fields.integer(fourth) != nil,
            count > 0, count <= longestRange, start <= .max - count
        else { return nil }
        return start..<start &+ count
    }
}
