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
        let time = try Self.nanoseconds(columns.next())
        let photo = try columns.next()
        let format = try columns.integer("a format: 0 for jpg, 5 for webp")
        let category = try columns.next()
        let bytes = try LineColumns.size(columns.next())
        try columns.skip(3)
        try columns.end()
        requests.append(
            format, of: photo, part: category, RequestAttributes(sizeBytes: bytes, timeNanoseconds: time))
    }

    /// A date and time like 20160203123005, in nanoseconds since 1970 at the same clock.
    private static func nanoseconds(_ column: UnsafeRawBufferPointer) throws(LineFault) -> Int64 {
        func number(_ range: Range<Int>) -> Int64 {
            column[range].reduce(0) { $0 * 10 + Int64($1 &- 0x30) }
        }
        guard column.count == 14, column.allSatisfy({ $0 &- 0x30 <= 9 }),
            (1970...2200).contains(number(0..<4)), (1...12).contains(number(4..<6)), (1...31).contains(number(6..<8)),
            number(8..<10) < 24, number(10..<12) < 60, number(12..<14) <= 60
        else { throw LineFault(column, expected: "a time like 20160203123005") }
        // Years begin in March here, so that the day that some have more is their last one.
        let month = (number(4..<6) + 9) % 12
        let year = number(0..<4) - (month > 9 ? 1 : 0)
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + number(6..<8) - 719_469
        let seconds = days * 86_400 + number(8..<10) * 3600 + number(10..<12) * 60 + number(12..<14)
        return seconds * 1_000_000_000
    }

    /// Recognises the columns.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        canRead(sample) ? Recognition(.certain) : nil
    }
}
