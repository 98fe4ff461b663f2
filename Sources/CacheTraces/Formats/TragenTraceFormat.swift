public import CacheCore

/// Requests made by the generator Tragen: `time,id,size`, in seconds and kilobytes of 1,000 bytes.
public struct TragenTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "tragen", aliases: ["jedi"],
        summary: "'time,id,size' a line, in seconds and kilobytes unless size-unit says otherwise.",
        citation: "Sabnis and Sitaraman, TRAGEN, IMC 2021",
        parameters: [
            ParameterSpecification(
                "size-unit", .choice(default: "kB", ["kB", "B"]), "What the size counts: 1,000 bytes or 1.")
        ])

    private let unitBytes: UInt64

    /// Takes what sizes count.
    public init(_ parameters: ParameterValues) { unitBytes = parameters.text("size-unit") == "B" ? 1 : 1000 }

    /// Reads one request.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        guard !line.starts(with: "timestamp,".utf8) else { return }
        var columns = LineColumns(line, LineColumns.comma, layout: "the columns 'time,id,size'")
        let time = try columns.time(decimals: 9)
        let key = try columns.next()
        _ = try LineColumns.integer(key, "the number of an object")
        let written = try columns.next()
        let (size, overflow) = try LineColumns.size(written).multipliedReportingOverflow(by: unitBytes)
        try columns.end()
        guard !overflow, size <= UInt64(Int.max) else {
            throw LineFault(written, expected: "a size below 2^63 bytes")
        }
        requests.append(key, RequestAttributes(sizeBytes: size, timeNanoseconds: time))
    }

    /// Recognises the header of its documentation, or numbers under times that rise, which any CSV may have.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        guard canRead(sample) else { return nil }
        if sample.begins(with: "timestamp, object_id, object_size") { return Recognition(.certain) }
        return sample.timesRise(LineColumns.comma)
            ? Recognition(
                .possible, remark: "a size counts 1,000 bytes, with --format tragen:size-unit=B one byte")
            : nil
    }
}
