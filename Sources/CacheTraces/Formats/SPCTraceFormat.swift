public import CacheCore

/// Disk accesses in the format of the Storage Performance Council: `ASU,LBA,size,R|W,time`, and optional columns after them.
///
/// An LBA is a sector of 512 bytes of its application storage unit, as in the traces of the UMass repository.
public struct SPCTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "spc", aliases: ["umass-storage"],
        summary:
            "'ASU,LBA,size,R|W,time' a line, LBAs of 512 bytes; every block of a range is a request, a key is ASU+block.",
        citation: "SPC Trace File Format Specification 1.0.1; UMass Trace Repository",
        parameters: [BlockSize.parameter()], fileExtensions: ["spc"])

    private let blockBytes: UInt64

    /// Takes the size of a block.
    public init(_ parameters: ParameterValues) { blockBytes = BlockSize.bytes(parameters) }

    /// Reads one access.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        var columns = LineColumns(line, LineColumns.comma, layout: "the columns 'ASU,LBA,size,R|W,time in seconds'")
        let unit = try columns.next()
        _ = try LineColumns.integer(unit, "the number of an application storage unit")
        let offset = try columns.sectors("an LBA: a sector of 512 bytes")
        let size = try columns.integer("a size in bytes")
        let operation = try columns.operation("R or W")
        let time = try columns.time(decimals: 9)
        try requests.appendBlocks(
            volume: unit, offsetBytes: offset, lengthBytes: size, blockBytes: blockBytes,
            RequestAttributes(timeNanoseconds: time, operation: operation))
    }

    /// Recognises the columns.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        canRead(sample) ? Recognition(.likely) : nil
    }
}
