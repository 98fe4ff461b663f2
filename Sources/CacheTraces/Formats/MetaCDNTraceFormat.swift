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

    private var lines = HeadedLines<Places>()

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Reads one request, or the header.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard let places = try lines.take(line, Places.init) else { return }
        func column(_ place: Int) -> UnsafeRawBufferPointer { lines.column(place, of: line) }
        let attributes = RequestAttributes(
            sizeBytes: try LineColumns.size(column(places.size)),
            timeNanoseconds: try LineColumns.time(column(places.time), decimals: 9),
            timeToLiveNanoseconds: try LineColumns.timeToLive(column(places.timeToLive)))
        let key = column(places.key)
        guard key.count > 0, !key.elementsEqual("-".utf8) else { return requests.passOver("no key") }
        requests.append(key, attributes)
    }

    /// Recognises the header.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard let first = sample.lines.first else { return nil }
        return (try? Places(NamedColumns(header: first, LineColumns.comma))) == nil ? nil : Recognition(.certain)
    }
}
