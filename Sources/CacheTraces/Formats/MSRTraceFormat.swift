public import CacheCore

/// Disk accesses of servers at Microsoft Research Cambridge: `time,host,disk,Read|Write,offset,bytes,response time`.
///
/// Times are Windows filetimes: 100 ns each, since 1601. Times before 1970 are taken as they are, from an origin of their own.
/// The response time is the cost, in milliseconds, divided among the blocks of a range.
public struct MSRTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "msr", aliases: ["snia-cambridge"],
        summary: "'time,host,disk,Read|Write,offset,bytes,response' a line; every block of a range is a request, "
            + "a key is host+disk+block.",
        citation: "Narayanan, Donnelly and Rowstron, Write Off-Loading, FAST 2008", parameters: [BlockSize.parameter()])

    private static let layout = "the columns 'Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime'"
    /// 1970 in Windows filetime.
    private static let epoch: UInt64 = 116_444_736_000_000_000

    private let blockBytes: UInt64

    /// Takes the size of a block.
    public init(_ parameters: ParameterValues) { blockBytes = BlockSize.bytes(parameters) }

    /// Reads one access.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard !line.starts(with: "Timestamp,".utf8) else { return }
        var columns = LineColumns(line, LineColumns.comma, layout: Self.layout)
        let time = try Self.nanoseconds(columns.next())
        let host = try columns.next()
        let disk = try columns.next()
        let operation = try columns.operation("Read or Write")
        let offset = try columns.integer("an offset in bytes")
        let bytes = try columns.integer("a number of bytes")
        let response = try columns.integer("a response time in Windows filetime")
        try columns.end()
        try requests.appendBlocks(
            volume: host, part: disk, offsetBytes: offset, lengthBytes: bytes, blockBytes: blockBytes,
            RequestAttributes(timeNanoseconds: time, cost: Double(response) / 10_000, operation: operation))
    }

    /// A Windows filetime in nanoseconds since 1970.
    private static func nanoseconds(_ column: UnsafeRawBufferPointer) throws(LineFault) -> Int64 {
        let expected = "a time in Windows filetime, of 100 ns each"
        let ticks = try LineColumns.integer(column, expected)
        let (value, overflow) = (ticks < epoch ? ticks : ticks - epoch).multipliedReportingOverflow(by: 100)
        guard !overflow, let time = Int64(exactly: value) else { throw LineFault(column, expected: expected) }
        return time
    }

    /// Recognises the columns.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        canRead(sample) ? Recognition(.certain) : nil
    }
}
