public import CacheCore

/// Requests as webcachesim and Learning Relaxed Belady read them: `time id size`, and features after them that are not read.
public struct LRBTraceFormat: LineTraceFormat {
    /// Name, parameters and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "lrb", aliases: ["webcachesim"],
        summary: "'time id size' a line, and numbers after them that are not read.",
        citation: "Song et al., Learning Relaxed Belady, NSDI 2020", parameters: [TimeUnit.parameter("s")],
        fileExtensions: ["tr"])

    private let timeDecimals: Int

    /// Takes what times count.
    public init(_ parameters: ParameterValues) { timeDecimals = TimeUnit.decimals(parameters) ?? 9 }

    /// Reads one request.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        var columns = LineColumns(line, LineColumns.space, layout: "the columns 'time id size' and numbers after them")
        let written = try columns.next()
        let key = try columns.next()
        let size = try LineColumns.size(columns.next())
        guard let time = Fields.fixedPoint(written, decimals: timeDecimals) else {
            throw LineFault(
                written, expected: "a time of at most 2^63 nanoseconds; time-unit=ms, us or ns says what it counts")
        }
        guard Fields.integer(key) != nil || Fields.fixedPoint(key, decimals: 0) != nil else {
            throw LineFault(key, expected: "the number of an object")
        }
        while let feature = columns.nextIfAny() {
            guard Fields.real(feature) != nil else { throw LineFault(feature, expected: "a number as a feature") }
        }
        requests.append(key, RequestAttributes(sizeBytes: size, timeNanoseconds: time))
    }

    /// Recognises numbers under times that rise. Other formats have such lines too, AdaptSize's among them.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        sample.timesRise(LineColumns.space) && canRead(sample) ? Recognition(.possible) : nil
    }
}
