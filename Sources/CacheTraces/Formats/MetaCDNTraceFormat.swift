public import CacheCore

/// Requests to Meta's content delivery network: CSV under a header with `timestamp`, `cacheKey`, `objectSize` and `TTL`, among
/// others.
///
/// A request for a range counts as one for its object. Times and times to live count seconds.
public struct MetaCDNTraceFormat: LineTraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "meta-cdn",
        summary:
            "CSV with timestamp, cacheKey, objectSize, TTL and more under a header; a range is a request for its object.",
        citation: "CacheLib CacheBench, cdn traces 202303 and 202504")

    private struct Places {
        let time, key, size, timeToLive: Int

        init(_ names: NamedColumns) throws(LineFault) {
            time = try names.requiredPlace(of: "timestamp")
            key = try names.requiredPlace(of: "cacheKey")
            size = try names.requiredPlace(of: "objectSize")
            timeToLive = try names.requiredPlace(of: "TTL")
        }
    }

    private var header: (columns: NamedColumns, places: Places)?

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Reads one request, or the header.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard let places = header?.places else {
            let columns = NamedColumns(header: line, LineColumns.comma)
            header = (columns, try Places(columns))
            return
        }
        guard header?.columns.isHeader(line) == false else { return }
        try header?.columns.take(line)
        guard let columns = header?.columns else { return }
        let attributes = RequestAttributes(
            sizeBytes: try LineColumns.size(columns.column(places.size, of: line)),
            timeNanoseconds: try LineColumns.time(columns.column(places.time, of: line), decimals: 9),
            timeToLiveNanoseconds: try LineColumns.timeToLive(columns.column(places.timeToLive, of: line)))
        let key = columns.column(places.key, of: line)
        guard key.count > 0, !key.elementsEqual("-".utf8) else { return requests.passOver("no key") }
        requests.append(key, attributes)
    }

    /// Recognises the header.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard let first = sample.lines.first else { return nil }
        return (try? Places(NamedColumns(header: first, LineColumns.comma))) == nil ? nil : Recognition(.certain)
    }
}
