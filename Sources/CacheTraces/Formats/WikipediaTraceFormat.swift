public import CacheCore

/// Requests to Wikipedia, in two forms: `counter time url -` of WikiBench, and the tables of 2019 with hashed paths, sizes and
/// times.
///
/// WikiBench's last column is `-` for a read and `save` for a write; its whole URL is the key, also of searches and of users'
/// pages. A table has tabs between its columns: `relative_unix hashed_path_query image_type response_size time_firstbyte`, or
/// without the type of image.
public struct WikipediaTraceFormat: LineTraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "wikipedia", aliases: ["wikibench"],
        summary: "'counter time url -|save' a line (WikiBench), or Wikimedia's table of 2019 "
            + "'time path-hash [type] size first-byte'.",
        citation: "Urdaneta, Pierre and van Steen, Wikipedia Workload Analysis, Computer Networks 2009; "
            + "Wikimedia Analytics, Caching")

    private static let bench = "the columns 'counter time url -|save'"
    private static let table =
        "the columns of Wikimedia's table of 2019: time, hash of the path, "
        + "type of image where it has one, size and time to the first byte"

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Reads one request, or the header of a table.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        if line.contains(LineColumns.tab) {
            try readTable(line, into: &requests)
        } else {
            try readBench(line, into: &requests)
        }
    }

    private func readBench(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        var columns = LineColumns(line, LineColumns.space, layout: Self.bench)
        _ = try columns.integer("a counter")
        let time = try columns.time(decimals: 9)
        let url = try columns.next()
        let flag = try columns.next()
        try columns.end()
        let isWrite = flag.elementsEqual("save".utf8)
        guard isWrite || flag.elementsEqual("-".utf8) else { throw LineFault(flag, expected: "'-' or 'save'") }
        requests.append(url, RequestAttributes(timeNanoseconds: time, operation: isWrite ? .write : .read))
    }

    private func readTable(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard !line.starts(with: "relative_unix\t".utf8) else { return }
        var columns = LineColumns(line, LineColumns.tab, layout: Self.table)
        let time = try columns.time(decimals: 9)
        let path = try columns.next()
        guard Fields.fixedPoint(path, decimals: 0) != nil else { throw LineFault(path, expected: "a hash as a number") }
        let third = try columns.next()
        let fourth = try columns.next()
        let fifth = columns.nextIfAny()
        try columns.end()
        let firstByte = fifth ?? fourth
        guard Fields.real(firstByte) != nil else {
            throw LineFault(firstByte, expected: "the seconds to the first byte")
        }
        let size = try LineColumns.size(fifth == nil ? third : fourth)
        requests.append(path, RequestAttributes(sizeBytes: size, timeNanoseconds: time))
    }

    /// Recognises URLs with their flag, or the header of a table; a table without it is likely one.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        if sample.begins(with: "relative_unix\thashed_") { return Recognition(.certain) }
        guard canRead(sample) else { return nil }
        let hasURLs = sample.areLines { line in
            var columns = LineColumns(line, LineColumns.space, layout: bench)
            return (try? columns.skip(2)) != nil && columns.nextIfAny()?.starts(with: "http".utf8) == true
        }
        return Recognition(hasURLs ? .certain : .likely)
    }
}
