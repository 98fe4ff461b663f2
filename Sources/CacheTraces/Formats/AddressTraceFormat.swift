public import CacheCore

/// Memory accesses: `l` or `s`, an address, a count, and in some files a hit's and a miss's penalty.
///
/// An object is a byte address, neither a line nor a page. The miss's penalty is the cost of the request; the other columns
/// are checked and not kept.
public struct AddressTraceFormat: TraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "address", aliases: ["address-penalties"],
        summary: "'l|s 0xADDRESS count' a line, with two columns of penalties or without.",
        citation: "the address traces of Caffeine's simulator", fileExtensions: ["address"])

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Recognises lines of accesses.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        sample.areLines { address($0) != nil } ? Recognition(.certain) : nil
    }

    /// Reads every line.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        var lines = LineReader()
        var hasPenalties: Bool?
        while let line = try lines.next(&input) {
            guard let (address, cost) = Self.address(line) else {
                try sink.refuse(
                    AssayError(
                        .badInput,
                        "Found \(Fields.shown(line)); expected 'l' or 's', an address like 0x1fffff50, a count, "
                            + "and either no more or two penalties.",
                        at: lines.location(input)))
                continue
            }
            guard (hasPenalties ?? (cost != nil)) == (cost != nil) else {
                try sink.refuse(
                    AssayError(
                        .badInput,
                        "Found \(Fields.shown(line)); expected \(cost == nil ? "" : "no ")penalties as the lines before.",
                        at: lines.location(input)))
                continue
            }
            hasPenalties = cost != nil
            try sink.append(integer: address, RequestAttributes(cost: cost))
        }
    }

    /// The address and, where there are penalties, that of a miss.
    private static func address(_ line: UnsafeRawBufferPointer) -> (UInt64, Double?)? {
        var fields = SpacedFields(line)
        guard
            let kind = fields.next(), kind.count == 1, kind[0] == 0x6c || kind[0] == 0x73,
            let field = fields.next(), let address = Fields.hexadecimal(field),
            let count = fields.next(), Fields.integer(count) != nil
        else { return nil }
        guard let hit = fields.next() else { return (address, nil) }
        guard
            Fields.integer(hit) != nil, let penalty = fields.next(), let miss = Fields.integer(penalty),
            fields.next() == nil
        else { return nil }
        return (address, Double(miss))
    }
}
