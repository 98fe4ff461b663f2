public import CacheCore

/// Tab-separated values with the columns that matter named: `tsv:key=2,size=3`. A quote means nothing here.
///
/// Every record must have as many columns as the first. Empty lines are passed over; columns that no parameter names
/// are not read. A key of one column is a number if it reads as one is written, otherwise its bytes: any, NUL and what is no UTF-8
/// among them. Where no key is named, the names in the header tell the columns.
public struct TSVTraceFormat: TraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "tsv", summary: "Columns separated by tabs, without quoting: key=2,size=3,time=1,header.",
        citation: "IANA text/tab-separated-values", parameters: ColumnMap.parameters, fileExtensions: ["tsv"])

    private let reader: DelimitedTraceReader

    /// Takes the column map.
    ///
    /// - Throws: `AssayError` with code `usage` for a delimiter that is none or a name without a header.
    public init(_ parameters: ParameterValues) throws(AssayError) {
        reader = try DelimitedTraceReader(parameters, format: "tsv", delimiter: 0x09, isQuoting: false)
    }

    /// Recognises a table with a header that names a column of keys.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard sample.lines.first?.contains(0x09) == true else { return nil }
        return HeaderGuess.recognition(sample, delimiters: [(0x09, "")], isQuoting: false)
    }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        try reader.read(&input, into: &sink)
    }
}
