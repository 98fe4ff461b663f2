public import CacheCore

/// Disk accesses of Windows servers, as text of Event Tracing for Windows: `DiskRead` and `DiskWrite` events under a header
/// that names their columns.
///
/// Times are in microseconds. The elapsed time is the cost, in milliseconds, divided among the blocks of a range. Other events
/// are passed over.
public struct SNIAEnterpriseTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "snia-enterprise", aliases: ["etw"],
        summary:
            "DiskRead and DiskWrite events of Event Tracing for Windows as text; every block of a range is a request, "
            + "a key is disk+block.",
        citation: "Microsoft Enterprise and Production Server traces, SNIA IOTTA 130 and 158",
        parameters: [BlockSize.parameter()])

    /// Where the columns are that matter; the first values are those of the published traces.
    private struct Places {
        var time = 1
        var offset = 5
        var size = 6
        var elapsed = 7
        var disk = 8
    }

    private static let layout =
        "an event 'DiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, …'"
    private let blockBytes: UInt64
    private var places = Places()
    private var isInHeader = false

    /// Takes the size of a block.
    public init(_ parameters: ParameterValues) { blockBytes = BlockSize.bytes(parameters) }

    /// Reads one event, or a line of the header.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        var columns = LineColumns(line, LineColumns.comma, layout: Self.layout)
        let event = try columns.next()
        switch String(decoding: event, as: UTF8.self) {
        case "BeginHeader": isInHeader = true
        case "EndHeader": isInHeader = false
        case "DiskRead" where isInHeader, "DiskWrite" where isInHeader: try readHeader(line)
        case _ where isInHeader: break
        case "DiskRead": try readEvent(&columns, .read, into: &requests)
        case "DiskWrite": try readEvent(&columns, .write, into: &requests)
        case let name:
            guard columns.nextIfAny() != nil else { throw LineFault(expected: Self.layout) }
            requests.passOver("event \(name.prefix(40))")
        }
    }

    /// Both events have their columns at the same places.
    private mutating func readHeader(_ line: UnsafeRawBufferPointer) throws(LineFault) {
        let names = NamedColumns(header: line, LineColumns.comma)
        places.time = try names.requiredPlace(of: "TimeStamp")
        places.offset = try names.requiredPlace(of: "ByteOffset")
        places.size = try names.requiredPlace(of: "IOSize")
        places.elapsed = try names.requiredPlace(of: "ElapsedTime")
        places.disk = try names.requiredPlace(of: "DiskNum")
    }

    private func readEvent(
        _ columns: inout LineColumns, _ operation: TraceOperation, into requests: inout LineRequests
    ) throws(LineFault) {
        var attributes = RequestAttributes(operation: operation)
        var (offset, size): (UInt64, UInt64) = (0, 0)
        var disk: UnsafeRawBufferPointer?
        for place in 1...max(places.time, places.offset, places.size, places.elapsed, places.disk) {
            let column = try columns.next()
            switch place {
            case places.time: attributes.timeNanoseconds = try LineColumns.time(column, decimals: 3)
            case places.offset: offset = try Self.hexadecimal(column, "an offset in bytes, like 0x4e5ec22e00")
            case places.size: size = try Self.hexadecimal(column, "a size in bytes, like 0x00002000")
            case places.elapsed:
                attributes.cost = Double(try LineColumns.integer(column, "an elapsed time in microseconds")) / 1000
            case places.disk:
                _ = try LineColumns.integer(column, "the number of a disk")
                disk = column
            default: break
            }
        }
        try requests.appendBlocks(
            volume: disk, offsetBytes: offset, lengthBytes: size, blockBytes: blockBytes, attributes)
    }

    private static func hexadecimal(
        _ column: UnsafeRawBufferPointer, _ expected: String
    ) throws(LineFault) -> UInt64 {
        guard let value = Fields.hexadecimal(column) else { throw LineFault(column, expected: expected) }
        return value
    }

    /// Recognises the header, or the events without it.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard !sample.begins(with: "BeginHeader") else { return Recognition(.certain) }
        let hasAccesses = sample.lines.contains { line in
            var columns = LineColumns(line, LineColumns.comma, layout: layout)
            guard let event = columns.nextIfAny() else { return false }
            return event.elementsEqual("DiskRead".utf8) || event.elementsEqual("DiskWrite".utf8)
        }
        return hasAccesses && canRead(sample) ? Recognition(.certain) : nil
    }
}
