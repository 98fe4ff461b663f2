public import CacheCore

/// Disk accesses of virtual disks in Alibaba's cloud: `device,R|W,offset,length,time`, times in microseconds.
public struct AlibabaBlockTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "alibaba-block",
        summary: "'device,R|W,offset,length,time' a line; every block of a range is a request, a key is device+block.",
        citation: "Li, Wang, Lee and Shi, Cloud Block Storage Workloads, IISWC 2020",
        parameters: [BlockSize.parameter()])

    private static let layout = "the columns 'device,R|W,offset,length,time in microseconds'"
    private let blockBytes: UInt64

    /// Takes the size of a block.
    public init(_ parameters: ParameterValues) { blockBytes = BlockSize.bytes(parameters) }

    /// Reads one access.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard !line.starts(with: "device_id,".utf8) else { return }
        var columns = LineColumns(line, LineColumns.comma, layout: Self.layout)
        let device = try columns.next()
        let operation = try columns.operation("R or W")
        let offset = try columns.integer("an offset in bytes")
        let length = try columns.integer("a length in bytes")
        let time = try columns.time(decimals: 3)
        try columns.end()
        try requests.appendBlocks(
            volume: device, offsetBytes: offset, lengthBytes: length, blockBytes: blockBytes,
            RequestAttributes(timeNanoseconds: time, operation: operation))
    }

    /// Recognises the columns with times that count microseconds since 1970.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        let hasTimes = sample.areLines { line in
            var columns = LineColumns(line, LineColumns.comma, layout: layout)
            return (try? columns.skip(4)) != nil && columns.nextIfAny()?.count == 16
        }
        guard hasTimes || sample.begins(with: "device_id,opcode,"), canRead(sample) else { return nil }
        return Recognition(.certain)
    }
}
