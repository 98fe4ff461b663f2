public import CacheCore

/// Requests for photos at Tencent: `time photo format category bytes hit terminal response`, times as YYYYMMDDHHMMSS.
///
/// An object is a photo in one format and category of size; its key reads `photo+category+format`.
public struct TencentPhotoTraceFormat: LineTraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "tencent-photo", aliases: ["snia-tencent-photo"],
        summary: "'time photo format category bytes hit terminal response' a line; a key is photo+category+format.",
        citation: "Zhou et al., Demystifying Cache Policies for Photo Stores, ICS 2018")

    private static let layout = "the columns 'time photo format category bytes hit terminal response'"

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Reads one request.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        var columns = LineColumns(line, LineColumns.space, layout: Self.layout)
        let date = try columns.next()
        guard let time = LogTime.digits(date) else { throw LineFault(date, expected: "a time like 20160203123005") }
        let photo = try columns.next()
        let format = try columns.integer("a format: 0 for jpg, 5 for webp")
        let category = try columns.next()
        let bytes = try LineColumns.size(columns.next())
        try columns.skip(3)
        try columns.end()
        requests.append(
            format, of: photo, part: category, RequestAttributes(sizeBytes: bytes, timeNanoseconds: time))
    }

    /// Recognises the columns.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        canRead(sample) ? Recognition(.certain) : nil
    }
}
