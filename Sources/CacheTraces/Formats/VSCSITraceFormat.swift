public import CacheCore

/// Block requests of virtual machines as VMware's vscsiStats records them: records of 32 bytes (version 1) or 40 (version 2), little-endian.
///
/// The version is told from the records. An object is the first block of a request, with the request's size, as libCacheSim reads it; with
/// `block=4096` it is each block of 4,096 bytes that the request touches. Commands that move no blocks are passed over and counted.
public struct VSCSITraceFormat: TraceFormat {
    /// Name, parameter and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "vscsi",
        summary: "vscsiStats records of 32 or 40 bytes: block, size, command and time; block=4096 splits them.",
        citation: "libCacheSim; Waldspurger et al., SHARDS, FAST 2015",
        parameters: [BlockSize.parameter(otherwise: "each record one request")],
        fileExtensions: ["vscsi", "vscsi1", "vscsi2"])

    private let blockBytes: UInt64

    /// Takes the parameter.
    public init(_ parameters: ParameterValues) { blockBytes = BlockSize.bytes(parameters) }

    /// The version in each record, and times that never go back, tell.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard let layout = VSCSILayout(sample) else { return nil }
        var before: UInt64 = 0
        let areOrdered = sample.areRecords(of: layout.width, least: 2) { record in
            defer { before = layout.microseconds(record) }
            return layout.microseconds(record) >= before && layout.command(record) < 256
        }
        guard areOrdered else { return nil }
        return Recognition(sample.bytes.count >= 8 * layout.width ? .certain : .likely)
    }

    /// Reads every record.
    public func read<Sink: TraceSink & ~Copyable>(
        _ input: inout ByteStream, into sink: inout Sink
    ) throws(AssayError) {
        let bytes = try ContentCheck.sample(&input)
        guard !bytes.isEmpty else { return }
        let sample = TraceSample(bytes, isWhole: false)
        let layout = VSCSILayout(sample) ?? .first
        let isKnown = VSCSILayout(sample) != nil
        let blockBytes = blockBytes
        var requests = LineRequests()
        try readRecords(
            of: layout.width, in: &input, into: &sink,
            fault: { _ in
                isKnown
                    ? nil
                    : "These are no records of vscsiStats: the version field, in bytes 14 and 15 of 32 or 2 and 3 of 40, is "
                        + "neither 1 nor 2 in all of them. Name the format with --format."
            }
        ) { (record, sink) throws(AssayError) in
            guard layout.isVersion(record) else { return "Found another version than in the records before." }
            let (nanoseconds, isTooLate) = layout.microseconds(record).multipliedReportingOverflow(by: 1000)
            guard !isTooLate, let time = Int64(exactly: nanoseconds) else {
                return
                    "Found a time of \(layout.microseconds(record)) microseconds; expected one below 2^63 nanoseconds."
            }
            guard let operation = VSCSILayout.operation(layout.command(record)) else {
                requests.remark(
                    "Records that are no requests were passed over",
                    "command 0x\(String(layout.command(record), radix: 16))")
                return nil
            }
            let size = UInt64(layout.bytes(record))
            let attributes = RequestAttributes(sizeBytes: size, timeNanoseconds: time, operation: operation)
            guard blockBytes > 0 else {
                try sink.append(integer: layout.block(record), attributes)
                return nil
            }
            let (offset, isTooFar) = layout.block(record).multipliedReportingOverflow(by: 512)
            do throws(LineFault) {
                guard !isTooFar else { throw LineFault(expected: "a block below 2^55") }
                try requests.appendBlocks(
                    offsetBytes: offset, lengthBytes: size, blockBytes: blockBytes, attributes)
            } catch {
                return "Found block \(layout.block(record)) and \(size) bytes; expected \(error.expected)."
            }
            try requests.send(to: &sink)
            return nil
        }
        requests.tell(&sink)
    }
}
