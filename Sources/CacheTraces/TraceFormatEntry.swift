public import CacheCore

/// A trace format as a registry holds it: erased once a file, never once a record.
public struct TraceFormatEntry: Sendable {
    /// What the format is.
    public let descriptor: TraceFormatDescriptor
    /// Whether a trace that begins so is one of this format; nil if it is not.
    let recognise: @Sendable (TraceSample) -> Recognition?
    private let makeBody: @Sendable (ParameterValues) throws(AssayError) -> any TraceFormat
    private let compileBody:
        @Sendable (ParameterValues, inout ByteStream, inout TraceCompiler) throws(AssayError) -> Void

    /// An entry for a format. The read loop of a format of this module is specialised for the compiler; another
    /// module's works as well, a little slower.
    @inline(__always)
    public init<Format: TraceFormat>(_: Format.Type) {
        descriptor = Format.descriptor
        recognise = { Format.recognise($0) }
        makeBody = { (parameters) throws(AssayError) in try Format(parameters) }
        compileBody = { (parameters, input, compiler) throws(AssayError) in
            try Format(parameters).read(&input, into: &compiler)
        }
    }

    /// A reader with its parameters, to read into any sink.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together.
    public func makeFormat(_ parameters: ParameterValues) throws(AssayError) -> any TraceFormat {
        try makeBody(parameters)
    }

    /// Reads a whole input into the compiler.
    func compile(
        _ parameters: ParameterValues, _ input: inout ByteStream, into compiler: inout TraceCompiler
    ) throws(AssayError) {
        try compileBody(parameters, &input, &compiler)
    }
}
