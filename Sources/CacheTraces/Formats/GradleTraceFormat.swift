public import CacheCore

/// Keys of Gradle's build cache: one a line, 32 hexadecimal digits.
public struct GradleTraceFormat: LineTraceFormat {
    /// Name and meaning.
    public static let descriptor = TraceFormatDescriptor(
        name: "gradle", summary: "One key a line: 32 hexadecimal digits.",
        citation: "the Gradle build cache trace of Caffeine's simulator")

    /// The format has no parameters.
    public init(_ parameters: ParameterValues) {}

    /// Reads one key.
    public mutating func read(_ line: UnsafeRawBufferPointer, into requests: inout LineRequests) throws(LineFault) {
        let isKey =
            line.count == 32 && line.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) }
        guard isKey else { throw LineFault(line, expected: "32 hexadecimal digits") }
        requests.append(line)
    }

    /// Recognises the digits. Other lists of hashes look so too, and are read alike.
    public static func recognise(_ sample: TraceSample) -> Recognition? {
        canRead(sample) ? Recognition(.likely) : nil
    }
}
