public import CacheCore

/// Block requests as blkparse prints them, from blktrace: `8,0 3 1 0.000000000 697 Q W 223490 + 8 [kjournald]`.
///
/// Events of one action are requests, by default those queued, `Q`: one for each block of `block` bytes that the range of 512-byte sectors
/// touches. The key is the device and the block. Discards take blocks away. Other actions, requests without sectors such as flushes, and
/// the summary are passed over and counted. Only blkparse's standard form is read, not one of `-f`.
public struct BlkparseTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "blkparse", aliases: ["blktrace"],
        summary: "blkparse's text of blktrace: each block of a range of sectors of a device is a request.",
        citation: "blkparse(1)",
        parameters: [
            BlockSize.parameter(),
            ParameterSpecification(
                "action", .text(default: "Q"),
                "The action whose events are requests: Q (queued), D (issued), C (completed)."),
        ],
        fileExtensions: ["blkparse"])

    /// A program that is ended leaves a line that is cut off.
    public static let isLog = true

    private let blockBytes: UInt64
    private let action: [UInt8]

    /// Takes the parameters.
    ///
    /// - Throws: `AssayError` with code `usage` for an action that has no range of sectors.
    public init(_ parameters: ParameterValues) throws(AssayError) {
        blockBytes = BlockSize.bytes(parameters)
        action = Array(parameters.text("action").uppercased().utf8)
        guard action.count == 1, Array("QDCGIFMSR".utf8).contains(action[0]) else {
            throw AssayError(
                .usage,
                "blkparse: action=\(parameters.text("action")) is no action with sectors. Write one of Q, G, I, D, C, F, M, S, R."
            )
        }
    }

    /// Events with a device, a processor, a time and an action tell.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        // After few events most of the lines are those of the summary.
        guard sample.lines.contains(where: { Event($0) != nil }) else { return nil }
        return sample.lines.allSatisfy { Event($0) != nil || isSummary($0) } ? Recognition(.certain) : nil
    }

    /// Reads one line.
    public mutating func read(
        _ line: UnsafeRawBufferPointer, into requests: inout LineRequests
    ) throws(LineFault) {
        guard var event = Event(line) else {
            guard Self.isSummary(line) else {
                throw LineFault(
                    expected:
                        "an event like '8,0 3 1 0.000000000 697 Q W 223490 + 8 [kjournald]', as blkparse prints it "
                        + "without -f, or a line of its summary")
            }
            return requests.passOver("summary")
        }
        guard event.action.elementsEqual(action) else {
            return requests.passOver("other actions than \(String(decoding: action, as: UTF8.self))")
        }
        guard let field = event.fields.next(), field[0] &- 0x30 <= 9 else {
            return requests.passOver("requests without sectors")
        }
        guard let sector = Fields.integer(field), let plus = event.fields.next(), plus.elementsEqual([0x2b]),
            let countField = event.fields.next(), let count = Fields.integer(countField), sector < 1 << 55,
            count < 1 << 55
        else { throw LineFault(expected: "a range of sectors like '223490 + 8', each below 2^55") }
        guard count > 0 else { return requests.passOver("requests without sectors") }
        guard let operation = Self.operation(event.kind) else {
            return requests.passOver("requests that neither read, write nor discard")
        }
        try requests.appendBlocks(
            volume: event.device, offsetBytes: sector << 9, lengthBytes: count << 9, blockBytes: blockBytes,
            RequestAttributes(timeNanoseconds: event.nanoseconds, operation: operation))
    }

    /// The operation of letters such as `R`, `WS`, `FWS`, `RA` and `D`.
    private static func operation(_ kind: UnsafeRawBufferPointer) -> TraceOperation? {
        for letter in kind {
            switch letter {
            case 0x52: return .read
            case 0x57: return .write
            case 0x44: return .remove
            default: continue
            }
        }
        return nil
    }

    private static let summaryStarts: [[UInt8]] = [
        "CPU", "Total", "Throughput", "Events", "Skips:", "Reads", "Read", "Writes", "Write", "PC", "IO", "Timer",
        "Input",
    ].map { Array($0.utf8) }

    /// Whether a line is of the summary at the end: counts by processor, totals and rates.
    private static func isSummary(_ line: UnsafeRawBufferPointer) -> Bool {
        var fields = SpacedFields(line)
        guard let first = fields.next() else { return true }
        return summaryStarts.contains { first.starts(with: $0) }
    }

    /// What every event begins with.
    private struct Event {
        let device: UnsafeRawBufferPointer
        let nanoseconds: Int64
        let action: UnsafeRawBufferPointer
        let kind: UnsafeRawBufferPointer
        /// What comes after.
        var fields: SpacedFields

        init?(_ line: UnsafeRawBufferPointer) {
            var fields = SpacedFields(line)
            guard let device = fields.next(), let comma = device.firstIndex(of: 0x2c),
                Fields.integer(UnsafeRawBufferPointer(rebasing: device[..<comma])) != nil,
                Fields.integer(UnsafeRawBufferPointer(rebasing: device[(comma + 1)...])) != nil,
                let processor = fields.next(), Fields.integer(processor) != nil,
                let sequence = fields.next(), Fields.integer(sequence) != nil,
                let time = fields.next(), let nanoseconds = Fields.fixedPoint(time, decimals: 9),
                let process = fields.next(), Fields.integer(process) != nil,
                let action = fields.next(), (1...2).contains(action.count), (0x41...0x7a).contains(action[0]),
                let kind = fields.next()
            else { return nil }
            (self.device, self.nanoseconds, self.action) = (device, nanoseconds, action)
            (self.kind, self.fields) = (kind, fields)
        }
    }
}
