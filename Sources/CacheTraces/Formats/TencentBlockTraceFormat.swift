public import CacheCore

/// Disk accesses of volumes in Tencent's cloud: `time,offset,size,0|1,volume`, in seconds and sectors of 512 bytes; 0 is a
/// read.
public struct TencentBlockTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "tencent-block", aliases: ["snia-tencent-block"],
        summary: "'time,offset,size,0|1,volume' a line, sectors of 512 bytes, 0 for reads; "
            + "every block of a range is a request, a key is volume+block.",
        citation: "Zhang et al., OSCA, ATC 2020", parameters: [BlockSize.parameter()])

    private static let layout = "the columns 'Timestamp,Offset,Size,IOType,VolumeID'"
    private let blockBytes: UInt64

    /// Takes the size of a block.
    public init(_ parameters: ParameterValues) { blockBytes = BlockSize.bytes(parameters) }

    /// Reads one access.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard !line.starts(with: "Timestamp,".utf8) else { return }
        var columns = LineColumns(line, LineColumns.comma, layout: Self.layout)
        let time = try columns.time(decimals: 9)
        let offset = try columns.sectors("an offset in sectors of 512 bytes")
        let size = try columns.sectors("a size in sectors of 512 bytes")
        let type = try columns.next()
        let volume = try columns.next()
        _ = try LineColumns.integer(volume, "the number of a volume")
        try columns.end()
        guard type.count == 1, type[0] == 0x30 || type[0] == 0x31 else {
            throw LineFault(type, expected: "0 for a read or 1 for a write")
        }
        try requests.appendBlocks(
            volume: volume, offsetBytes: offset, lengthBytes: size, blockBytes: blockBytes,
            RequestAttributes(timeNanoseconds: time, operation: type[0] == 0x30 ? .read : .write))
    }

    /// Recognises the columns with times since 1970.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        let hasTimes = sample.areLines { line in
            var columns = LineColumns(line, LineColumns.comma, layout: layout)
            return columns.nextIfAny()?.count == 10
        }
        return hasTimes && canRead(sample)
            ? Recognition(.likely, remark: "places and sizes count sectors of 512 bytes") : nil
    }
}
