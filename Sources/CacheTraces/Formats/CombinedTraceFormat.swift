public import CacheCore

/// Access logs of nginx, Apache, varnishncsa and their kin in the common or combined log format, with a virtual host in front
/// or without.
///
/// What follows the bytes is not read. Which lines are requests, and of what size, is the same for all web logs: GET and HEAD
/// read the object, DELETE and PURGE remove it, and so do POST, PUT and PATCH unless `writes=` says otherwise.
public struct CombinedTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "combined", aliases: ["clf", "nginx", "apache", "varnishncsa"],
        summary:
            "Access logs of web servers: 'client - user [time] \"GET /url HTTP/1.1\" status bytes', and any columns behind.",
        citation: "the common log format of NCSA httpd; the combined one of Apache and nginx",
        parameters: WebLog.parameters)

    private var log: WebLog

    /// Takes what a request is.
    ///
    /// - Throws: `AssayError` with code `usage` for statuses that are none.
    public init(_ parameters: ParameterValues) throws(AssayError) {
        log = try WebLog(parameters, format: "combined")
    }

    /// A server goes on writing while its log is copied.
    public static var isLog: Bool { true }

    /// Recognises the time in brackets and the request in quotes.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        sample.areLogLines { (try? CombinedLine($0)) != nil } ? Recognition(.certain) : nil
    }

    /// Reads a line.
    public mutating func read(
        _ line: UnsafeRawBufferPointer, into requests: inout LineRequests
    ) throws(LineFault) {
        try log.append(CombinedLine(line), to: &requests)
    }
}

extension WebLog {
    /// Appends the request of a line, unless it is one to pass over.
    mutating func append(_ line: CombinedLine, to requests: inout LineRequests) throws(LineFault) {
        guard let (method, url) = CombinedLine.parts(ofRequest: line.request) else {
            return requests.passOver("no HTTP request")
        }
        try append(
            Request(
                answer: WebRules.Answer(method: method, status: line.status, bytes: line.bytes), url: url,
                isEscaped: true, timeNanoseconds: line.timeNanoseconds, host: line.host, client: line.client,
                user: line.user), to: &requests)
    }
}
