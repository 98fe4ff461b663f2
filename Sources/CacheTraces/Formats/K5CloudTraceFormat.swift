public import CacheCore

/// Disk accesses of volumes in Fujitsu's K5 cloud: `volume,time,R|W,offset,length`, times in seconds.
public struct K5CloudTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "k5cloud", aliases: ["snia-k5cloud"],
        summary: "'volume,time,R|W,offset,length' a line; every block of a range is a request, a key is volume+block.",
        citation: "Fujitsu K5 cloud block traces, SNIA IOTTA 26930", parameters: [BlockSize.parameter()])

    private let blockBytes: UInt64

    /// Takes the size of a block.
    public init(_ parameters: ParameterValues) { blockBytes = BlockSize.bytes(parameters) }

    /// Reads one access.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        var columns = LineColumns(
            line, LineColumns.comma, layout: "the columns 'volume,time in seconds,R|W,offset,length'")
        let volume = try columns.next()
        let time = try columns.time(decimals: 9)
        let operation = try columns.operation("R or W")
        let offset = try columns.integer("an offset in bytes")
        let length = try columns.integer("a length in bytes")
        try columns.end()
        try requests.appendBlocks(
            volume: volume, offsetBytes: offset, lengthBytes: length, blockBytes: blockBytes,
            RequestAttributes(timeNanoseconds: time, operation: operation))
    }

    /// Recognises the columns.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        canRead(sample) ? Recognition(.likely) : nil
    }
}
