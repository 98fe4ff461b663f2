public import CacheCore

/// Requests to Twitter's caches: `time,key,key size,value size,client,operation,TTL`, in seconds and bytes.
///
/// The size of an object is that of its key and value. The client is the tenant. A TTL of 0 or -1 is without end.
public struct TwitterTraceFormat: LineTraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "twitter", aliases: ["twemcache"],
        summary: "'time,key,key size,value size,client,operation,TTL' a line; the client is the tenant.",
        citation: "Yang, Yue and Vinayak, In-Memory Cache Clusters at Twitter, OSDI 2020")

    private static let layout = "the columns 'timestamp,key,key size,value size,client id,operation,TTL'"

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Reads one request. A key may have commas: the columns after it are found from the end of the line.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        var keyEnd = line.count
        for _ in 0..<5 {
            guard let comma = line[..<keyEnd].lastIndex(of: LineColumns.comma) else {
                throw LineFault(expected: Self.layout)
            }
            keyEnd = comma
        }
        guard let timeEnd = line[..<keyEnd].firstIndex(of: LineColumns.comma) else {
            throw LineFault(expected: Self.layout)
        }
        let time = try LineColumns.time(UnsafeRawBufferPointer(rebasing: line[..<timeEnd]), decimals: 9)
        let key = UnsafeRawBufferPointer(rebasing: line[(timeEnd + 1)..<keyEnd])
        guard key.count > 0 else { throw LineFault(expected: "a key of at least one byte") }
        var columns = LineColumns(
            UnsafeRawBufferPointer(rebasing: line[(keyEnd + 1)...]), LineColumns.comma, layout: Self.layout)
        let keySize = try LineColumns.size(columns.next())
        let valueSize = try LineColumns.size(columns.next())
        let client = try columns.next()
        let operation = try columns.operation("an operation: get, gets, set, add, replace, cas, delete or their kin")
        let timeToLive = try LineColumns.timeToLive(columns.next())
        requests.append(
            key,
            RequestAttributes(
                sizeBytes: keySize + valueSize, timeNanoseconds: time, timeToLiveNanoseconds: timeToLive,
                operation: operation),
            tenant: client)
    }

    /// Recognises the columns.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        canRead(sample) ? Recognition(.certain) : nil
    }
}
