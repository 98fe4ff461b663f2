public import CacheCore

/// Disk accesses of a virtual desktop infrastructure: `time,response,R|W,LUN,offset,size`, times in seconds.
///
/// A line without a type had no response and is passed over. The response time is the cost, in milliseconds, divided among the
/// blocks of a range.
public struct SystorTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "systor", aliases: ["snia-systor"],
        summary: "'time,response,R|W,LUN,offset,size' a line; every block of a range is a request, a key is LUN+block.",
        citation: "Lee et al., Storage Traffic on Virtual Desktop Infrastructure, SYSTOR 2017",
        parameters: [BlockSize.parameter()])

    private static let header = "Timestamp,Response,IOType,LUN,Offset,Size"
    private let blockBytes: UInt64

    /// Takes the size of a block.
    public init(_ parameters: ParameterValues) { blockBytes = BlockSize.bytes(parameters) }

    /// Reads one access.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard !line.starts(with: "Timestamp,".utf8) else { return }
        var columns = LineColumns(line, LineColumns.comma, layout: "the columns '\(Self.header)'")
        let time = try columns.time(decimals: 9)
        let response = try columns.next()
        let type = try columns.next()
        let volume = try columns.next()
        let offset = try columns.integer("an offset in bytes")
        let size = try columns.integer("a size in bytes")
        try columns.end()
        guard type.count > 0 else { return requests.passOver("no response") }
        guard let operation = Fields.operation(type) else { throw LineFault(type, expected: "R, W or nothing") }
        guard let seconds = Fields.real(response), seconds >= 0 else {
            throw LineFault(response, expected: "a response time in seconds")
        }
        try requests.appendBlocks(
            volume: volume, offsetBytes: offset, lengthBytes: size, blockBytes: blockBytes,
            RequestAttributes(timeNanoseconds: time, cost: seconds * 1000, operation: operation))
    }

    /// Recognises the columns.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard canRead(sample) else { return nil }
        return Recognition(sample.begins(with: header) ? .certain : .likely)
    }
}
