public import CacheCore

/// Page views of Outbrain's recommendations, as published on Kaggle: CSV with a user, a document and a time in milliseconds.
///
/// The published file is not in the order of its times, and is read as it stands.
public struct OutbrainTraceFormat: LineTraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "outbrain",
        summary: "'uuid,document_id,timestamp,platform,geo_location,traffic_source' a line under a header; "
            + "the document is the key.",
        citation: "Outbrain Click Prediction, Kaggle 2016")

    private static let header = "uuid,document_id,timestamp,"

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Reads one page view, or the header.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard !line.starts(with: Self.header.utf8) else { return }
        var columns = LineColumns(
            line, LineColumns.comma,
            layout: "the columns 'uuid,document_id,timestamp,platform,geo_location,traffic_source'")
        try columns.skip(1)
        let document = try columns.next()
        _ = try LineColumns.integer(document, "the number of a document")
        let time = try columns.time(decimals: 6)
        try columns.skip(3)
        try columns.end()
        requests.append(document, RequestAttributes(timeNanoseconds: time))
    }

    /// Recognises the header.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        sample.begins(with: header) ? Recognition(.certain) : nil
    }
}
