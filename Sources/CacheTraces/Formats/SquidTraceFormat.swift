public import CacheCore

/// Squid's native access log: `time elapsed client result/status bytes method URL user hierarchy/peer type`.
///
/// The bytes are those of the answer with its headers. An answer that the client did not wait for (`_ABORTED`) does not tell the
/// object's size. Tunnels and queries of neighbour caches are passed over. Squid's `combined` and `common` are the format
/// `combined`.
public struct SquidTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "squid",
        summary: "Squid's native log: 'time elapsed client TCP_HIT/200 bytes GET URL user hierarchy/peer type'.",
        citation: "the access.log of Squid", parameters: WebLog.parameters)

    private var log: WebLog

    /// Takes what a request is.
    ///
    /// - Throws: `AssayError` with code `usage` for statuses that are none.
    public init(_ parameters: ParameterValues) throws(AssayError) { log = try WebLog(parameters, format: "squid") }

    /// Squid goes on writing while its log is copied.
    public static var isLog: Bool { true }

    /// Recognises the words of the fourth column beside the numbers.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        sample.areLogLines { (try? Line($0)) != nil } ? Recognition(.certain) : nil
    }

    /// Reads a line.
    public mutating func read(
        _ line: UnsafeRawBufferPointer, into requests: inout LineRequests
    ) throws(LineFault) {
        let line = try Line(line)
        if line.url.last == 0x3f {
            requests.remark(
                "Squid cuts queries off unless 'strip_query_terms off' is set, so that URLs which differ in them are one object",
                "lines that end in '?'")
        }
        try log.append(
            WebLog.Request(
                answer: WebRules.Answer(
                    method: line.method, status: line.status, bytes: line.bytes, isCutShort: line.isAborted),
                url: line.url, timeNanoseconds: line.timeNanoseconds, client: line.client, user: line.user),
            to: &requests)
    }

    private struct Line {
        let timeNanoseconds: Int64
        let client, method, url, user: UnsafeRawBufferPointer
        let status: Int
        let bytes: UInt64
        let isAborted: Bool

        init(_ line: UnsafeRawBufferPointer) throws(LineFault) {
            var fields = SpacedFields(line)
            guard let time = fields.next(), let elapsed = fields.next(), let client = fields.next(),
                let result = fields.next(), let bytes = fields.next(), let method = fields.next(),
                let url = fields.next(), let user = fields.next(), let hierarchy = fields.next(), fields.next() != nil
            else {
                throw LineFault(
                    expected: "ten columns: time elapsed client result/status bytes method URL user hierarchy/peer type"
                )
            }
            guard time.contains(0x2e), let nanoseconds = Fields.fixedPoint(time, decimals: 9),
                Fields.fixedPoint(elapsed, decimals: 0) != nil
            else { throw LineFault(time, expected: "a time in seconds with its milliseconds, and an elapsed time") }
            guard let slash = result.lastIndex(of: 0x2f), slash + 4 == result.count,
                let status = Fields.integer(UnsafeRawBufferPointer(rebasing: result[(slash + 1)...])),
                result[..<slash].allSatisfy({ (0x41...0x5a).contains($0) || $0 == 0x5f })
            else { throw LineFault(result, expected: "a result and a status, as TCP_HIT/200") }
            guard hierarchy.contains(0x2f) else { throw LineFault(hierarchy, expected: "a hierarchy, as HIER_NONE/-") }
            guard let bytes = Fields.integer(bytes), bytes <= UInt64(Int.max) else {
                throw LineFault(bytes, expected: "the bytes sent: a whole number")
            }
            timeNanoseconds = nanoseconds
            (self.client, self.method, self.url, self.user) = (client, method, url, user)
            (self.status, self.bytes) = (Int(status), bytes)
            isAborted = result[..<slash].suffix(8).elementsEqual("_ABORTED".utf8)
        }
    }
}
