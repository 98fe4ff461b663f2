public import CacheCore

/// Accesses of Google's storage servers, synthesized by Thesios: CSV under a header with the file, the offset, READ or WRITE
/// and the size.
///
/// The application that owns a file is the tenant. A header that stands between the shards of a day is passed over.
public struct ThesiosTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "thesios",
        summary: "CSV with filename, file_offset, op_type, request_io_size_bytes and more; "
            + "an object is an offset in a file, or with block= a block.",
        citation: "Phothilimthana et al., Thesios, ASPLOS 2024",
        parameters: [
            ParameterSpecification(
                "block", .integer(default: 0, 0...1 << 40),
                "How many bytes a block has; every block that a range touches is one request. "
                    + "0 takes each range as one object.")
        ])

    private struct Places {
        let file, offset, operation, size, time, application: Int

        init(_ names: NamedColumns) throws(LineFault) {
            file = try names.requiredPlace(of: "filename")
            offset = try names.requiredPlace(of: "file_offset")
            operation = try names.requiredPlace(of: "op_type")
            size = try names.requiredPlace(of: "request_io_size_bytes")
            time = try names.requiredPlace(of: "start_time")
            application = try names.requiredPlace(of: "application")
        }
    }

    private let blockBytes: UInt64
    private var lines = HeadedLines<Places>()

    /// Takes the size of a block.
    public init(_ parameters: ParameterValues) { blockBytes = BlockSize.bytes(parameters) }

    /// Reads one access, or the header.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard let places = try lines.take(line, Places.init) else { return }
        func column(_ place: Int) -> UnsafeRawBufferPointer { lines.column(place, of: line) }
        let word = column(places.operation)
        guard let operation = Fields.operation(word) else { throw LineFault(word, expected: "READ or WRITE") }
        let offset = try LineColumns.integer(column(places.offset), "an offset in bytes")
        let size = try LineColumns.size(column(places.size))
        let attributes = RequestAttributes(
            sizeBytes: size, timeNanoseconds: try LineColumns.time(column(places.time), decimals: 9),
            operation: operation)
        let tenant = column(places.application)
        if blockBytes == 0 {
            requests.append(offset, of: column(places.file), attributes, tenant: tenant)
        } else {
            try requests.appendBlocks(
                volume: column(places.file), offsetBytes: offset, lengthBytes: size, blockBytes: blockBytes,
                attributes, tenant: tenant)
        }
    }

    /// Recognises the header.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard let first = sample.lines.first else { return nil }
        return (try? Places(NamedColumns(header: first, LineColumns.comma))) == nil ? nil : Recognition(.certain)
    }
}
