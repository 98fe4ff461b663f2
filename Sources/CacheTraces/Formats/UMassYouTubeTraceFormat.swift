public import CacheCore

/// Requests for videos from a campus: `time server client GETVIDEO video content-server`, times in seconds.
///
/// Requests other than GETVIDEO are passed over. The trace has no sizes.
public struct UMassYouTubeTraceFormat: LineTraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "umass-youtube", aliases: ["youtube"],
        summary: "'time server client GETVIDEO video content-server' a line; other requests are passed over.",
        citation: "Zink, Suh, Gu and Kurose, YouTube Network Traffic at a Campus Network, MMCN 2008")

    private static let layout = "the columns 'time server client GETVIDEO video content-server'"

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Reads one request.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        var columns = LineColumns(line, LineColumns.space, layout: Self.layout)
        let time = try columns.time(decimals: 9)
        try columns.skip(2)
        let request = try columns.next()
        let video = try columns.next()
        guard request.elementsEqual("GETVIDEO".utf8) else {
            return requests.passOver("request \(String(decoding: request.prefix(40), as: UTF8.self))")
        }
        requests.append(video, RequestAttributes(timeNanoseconds: time))
    }

    /// Recognises the word GETVIDEO in its column.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        let hasVideos = sample.lines.contains { line in
            var columns = LineColumns(line, LineColumns.space, layout: layout)
            return (try? columns.skip(3)) != nil && columns.nextIfAny()?.elementsEqual("GETVIDEO".utf8) == true
        }
        return hasVideos && canRead(sample) ? Recognition(.certain) : nil
    }
}
