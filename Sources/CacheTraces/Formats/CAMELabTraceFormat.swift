public import CacheCore

/// Disk accesses as the CAMELab remastered them for flash: `time R|W sector count`, and columns after them that are not read.
///
/// No document says what the times count, so they are left out unless `time-unit` says it.
public struct CAMELabTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "camelab",
        summary: "'time R|W sector count' a line, sectors of 512 bytes; every block of a range is a request. "
            + "Times are read with time-unit alone.",
        citation: "Kwon et al., TraceTracker, IISWC 2017",
        parameters: [BlockSize.parameter(), TimeUnit.parameter("none")])

    private let blockBytes: UInt64
    private let timeDecimals: Int?

    /// Takes the size of a block and what times count.
    public init(_ parameters: ParameterValues) {
        blockBytes = BlockSize.bytes(parameters)
        timeDecimals = TimeUnit.decimals(parameters)
    }

    /// Reads one access.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        var columns = LineColumns(line, LineColumns.space, layout: "the columns 'time R|W sector count'")
        let time = try columns.next()
        guard Fields.real(time) != nil else { throw LineFault(time, expected: "a time") }
        let operation = try columns.operation("R or W")
        let offset = try columns.sectors("a sector of 512 bytes")
        let length = try columns.sectors("a number of sectors")
        var attributes = RequestAttributes(operation: operation)
        if let timeDecimals { attributes.timeNanoseconds = try LineColumns.time(time, decimals: timeDecimals) }
        try requests.appendBlocks(
            offsetBytes: offset, lengthBytes: length, blockBytes: blockBytes, attributes)
    }

    /// Recognises the columns.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        canRead(sample) ? Recognition(.likely) : nil
    }
}
