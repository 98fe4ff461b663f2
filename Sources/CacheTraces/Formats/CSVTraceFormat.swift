public import CacheCore

/// Comma-separated values after RFC 4180, with the columns that matter named: `csv:key=2,size=3,time=1,header`. Unlike there, blanks
/// around a field without quotes are no part of it.
///
/// Every record must have as many columns as the first. Empty lines are passed over; columns that no parameter names
/// are not read. A key of one column is a number if it reads as one is written, otherwise its bytes: any, NUL and what is no UTF-8
/// among them. Where no key is named, the names in the header tell the columns.
public struct CSVTraceFormat: TraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "csv", summary: "Separated columns with quoting (RFC 4180): key=2,size=3,time=1,header.",
        citation: "RFC 4180", parameters: ColumnMap.parameters + [ColumnMap.escape], fileExtensions: ["csv"])

    private let reader: DelimitedTraceReader

    /// Takes the column map.
    ///
    /// - Throws: `AssayError` with code `usage` for a delimiter that is none or a name without a header.
    public init(_ parameters: ParameterValues) throws(AssayError) {
        reader = try DelimitedTraceReader(parameters, format: "csv", delimiter: 0x2c, isQuoting: true)
    }

    /// Recognises a table with a header that names a column of keys.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        HeaderGuess.recognition(
            sample, delimiters: [(0x2c, ""), (0x3b, "semicolon"), (0x7c, "pipe"), (0x20, "space")], isQuoting: true)
    }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        try reader.read(&input, into: &sink)
    }
}
