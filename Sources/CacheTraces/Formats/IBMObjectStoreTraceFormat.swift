public import CacheCore

/// Requests to IBM's cloud object storage: `time REST.GET.OBJECT id size start end`, where size and range may be missing.
///
/// Times are in milliseconds. GET and HEAD read, PUT and POST write, DELETE removes. A range counts as a request for its
/// object, whose size the fourth column says. A request without a size has the last one that its object had. What is no request
/// for an object is passed over.
public struct IBMObjectStoreTraceFormat: LineTraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "ibm-object-store", aliases: ["snia-object-store"],
        summary: "'time REST.GET.OBJECT id [size [start end]]' a line; a range is a request for its object.",
        citation: "Eytan et al., It's Time to Revisit LRU vs. FIFO, HotStorage 2020")

    private static let layout =
        "the columns 'time REST.GET.OBJECT id' and a size, a start and an end where they are known"

    private var sizes = KnownSizes()

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Reads one request.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        var columns = LineColumns(line, LineColumns.space, layout: Self.layout)
        let time = try columns.time(decimals: 6)
        let type = try columns.next()
        guard let verb = Self.verb(type) else { throw LineFault(type, expected: "a request like REST.GET.OBJECT") }
        guard let operation = verb.isForObject ? Fields.operation(verb.name) : nil else {
            return requests.passOver("request \(String(decoding: type.prefix(40), as: UTF8.self))")
        }
        let key = try columns.next()
        var size: UInt64?
        if let column = columns.nextIfAny(), !column.elementsEqual("-".utf8) { size = try LineColumns.size(column) }
        while let column = columns.nextIfAny() {
            guard Fields.fixedPoint(column, decimals: 0) != nil || column.elementsEqual("-".utf8) else {
                throw LineFault(column, expected: "where the range begins or ends, in bytes")
            }
        }
        let bytes = size ?? sizes[key]
        sizes[key] = operation == .remove ? nil : bytes
        if bytes == nil, operation != .remove {
            requests.remark("No earlier line told the size, which counts as 0 bytes", "no size in the line")
        }
        requests.append(key, RequestAttributes(sizeBytes: bytes ?? 0, timeNanoseconds: time, operation: operation))
    }

    /// The verb between `REST.` and the next full stop, and whether `OBJECT` comes after that.
    private static func verb(
        _ type: UnsafeRawBufferPointer
    ) -> (name: UnsafeRawBufferPointer, isForObject: Bool)? {
        guard type.starts(with: "REST.".utf8) else { return nil }
        let rest = type.dropFirst(5)
        guard let point = rest.firstIndex(of: 0x2e) else { return nil }
        let name = UnsafeRawBufferPointer(rebasing: rest[..<point])
        return (name, rest[(point + 1)...].elementsEqual("OBJECT".utf8))
    }

    /// Recognises the types of requests.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        canRead(sample) ? Recognition(.certain) : nil
    }
}
