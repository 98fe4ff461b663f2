/// Reads one kind of trace file.
///
/// ### Purpose
/// A format turns bytes into ``TraceRecord``s. Decompression happened before; renumbering and storage come after.
///
/// ### Implementers' notes
/// Read in one pass, in blocks, without holding the input. Every malformed record is an `AssayError` with code `badInput`,
/// the line (from 1) or the byte offset, what was found, and what was expected; nothing is guessed or skipped in silence.
///
/// ### Using
/// Register the type in one line in `BuiltinTraceFormats`: `TraceFormatEntry(LIRSTraceFormat.self)`.
public protocol TraceFormat: Sendable {
    /// The name, parameters and description of this format.
    static var descriptor: TraceFormatDescriptor { get }

    /// A reader with its parameters.
    ///
    /// - Throws: `AssayError` with code `usage` for parameters that do not go together.
    init(_ parameters: ParameterValues) throws(AssayError)

    /// Reads every record of the input, in order, into the sink.
    ///
    /// A malformed record goes to the sink's ``TraceSink/refuse(_:)``, which throws it or lets the reader go on.
    ///
    /// - Throws: `AssayError` with code `badInput` at the first malformed record, `inputOutput` if reading failed.
    func read<Sink: TraceSink & ~Copyable>(_ input: inout ByteStream, into sink: inout Sink) throws(AssayError)

    /// Whether a trace that begins with these bytes is one of this format; nil if it is not. A format that nothing in its
    /// bytes tells from others leaves this out.
    static func recognise(_ sample: TraceSample) -> Recognition?
}

extension TraceFormat {
    /// Recognises nothing.
    public static func recognise(_ sample: TraceSample) -> Recognition? { nil }
}

/// One request as a trace file states it.
public struct TraceRecord: Sendable, Hashable {
    /// What the file calls an object.
    public enum Key: Sendable, Hashable {
        /// A number.
        case integer(UInt64)
        /// Any other bytes.
        case bytes([UInt8])
    }

    /// The object.
    public var key: Key
    /// What else the file says about the request.
    public var attributes: RequestAttributes

    /// A request for an object.
    public init(_ key: Key, _ attributes: RequestAttributes = RequestAttributes()) {
        self.key = key
        self.attributes = attributes
    }
}

/// What a trace says about a request beside its object; nil where it does not say.
///
/// A trace gives an attribute for all of its requests or for none; only times to live may be missing here and there. A
/// request without an operation is a read.
@frozen
public struct RequestAttributes: Sendable, Hashable {
    /// The object's size, in bytes.
    public var sizeBytes: UInt64?
    /// When the request was made, in nanoseconds from any fixed origin.
    public var timeNanoseconds: Int64?
    /// How long an object that enters by this request stays valid, in nanoseconds, at least 1; nil for without end.
    public var timeToLiveNanoseconds: Int64?
    /// What a miss of this request costs, finite and at least 0, in any unit.
    public var cost: Double?
    /// What the request does; nil if the trace does not say.
    public var operation: TraceOperation?
    /// Who made the request, as ``TraceSink/tenant(named:)`` numbers them; nil if the trace does not say.
    public var tenant: UInt16?

    /// The attributes that a trace gives.
    @inlinable @inline(__always)
    public init(
        sizeBytes: UInt64? = nil, timeNanoseconds: Int64? = nil, timeToLiveNanoseconds: Int64? = nil,
        cost: Double? = nil, operation: TraceOperation? = nil, tenant: UInt16? = nil
    ) {
        self.sizeBytes = sizeBytes
        self.timeNanoseconds = timeNanoseconds
        self.timeToLiveNanoseconds = timeToLiveNanoseconds
        self.cost = cost
        self.operation = operation
        self.tenant = tenant
    }
}

/// Receives records in the order of the trace.
///
/// A format calls the two primitive forms, which allocate nothing a record; `append(_:)` is for everyone else.
public protocol TraceSink: ~Copyable {
    /// Appends one record whose key is a number.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the record could not be kept, `badInput` if the trace outgrows
    ///   what can be counted.
    mutating func append(integer key: UInt64, _ attributes: RequestAttributes) throws(AssayError)

    /// Appends one record whose key is any bytes, borrowed for the call.
    ///
    /// - Throws: as for numbers.
    mutating func append(bytes key: UnsafeRawBufferPointer, _ attributes: RequestAttributes) throws(AssayError)

    /// Appends many records at once; one after the other unless a sink has a better way.
    ///
    /// - Throws: as for one.
    mutating func append(_ records: borrowing RecordColumns) throws(AssayError)

    /// The number of a tenant, the same for the same name.
    ///
    /// - Throws: `AssayError` with code `badInput` if there are more than 65,536 tenants.
    mutating func tenant(named name: UnsafeRawBufferPointer) throws(AssayError) -> UInt16

    /// Takes a malformed record, of which nothing has been appended. Returns if the reader is to go on with the next one.
    ///
    /// - Throws: the error, unless malformed records are skipped and there were not too many yet.
    mutating func refuse(_ error: AssayError) throws(AssayError)

    /// Takes something to tell of the input, a sentence.
    mutating func note(_ text: String)
}

extension TraceSink where Self: ~Copyable {
    /// Throws the error.
    public mutating func refuse(_ error: AssayError) throws(AssayError) { throw error }

    /// Every tenant is the first.
    public mutating func tenant(named name: UnsafeRawBufferPointer) throws(AssayError) -> UInt16 { 0 }

    /// Tells nobody.
    public mutating func note(_ text: String) {}

    /// Appends one record after the other.
    ///
    /// - Throws: as for one.
    public mutating func append(_ records: borrowing RecordColumns) throws(AssayError) {
        for index in 0..<records.count {
            let attributes = RequestAttributes(
                sizeBytes: records.sizesBytes[index], timeNanoseconds: records.timesNanoseconds[index])
            try append(integer: records.keys[index], attributes)
        }
    }

    /// Appends one record.
    ///
    /// - Throws: as for its key.
    public mutating func append(_ record: TraceRecord) throws(AssayError) {
        switch record.key {
        case .integer(let key): try append(integer: key, record.attributes)
        case .bytes(let bytes):
            // `withUnsafeBytes` rethrows untyped, so the error travels in a result.
            let result: Result<Void, AssayError> = bytes.withUnsafeBytes { key in
                do throws(AssayError) {
                    try append(bytes: key, record.attributes)
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
            try result.get()
        }
    }
}

/// What a format is: the words that `assay list formats` prints.
public struct TraceFormatDescriptor: Sendable, Hashable {
    /// The name on the command line, lower-case.
    public var name: String
    /// Other names for the same format.
    public var aliases: [String]
    /// One sentence that says how a record looks.
    public var summary: String
    /// Who defined it.
    public var citation: String
    /// What can be tuned.
    public var parameters: [ParameterSpecification]
    /// File name endings that mean this format once compression endings are taken off, without the dot.
    public var fileExtensions: [String]
    /// How often its reader has come to read the same file differently. Traces are compiled once for each revision.
    public var revision: Int

    /// A descriptor; a format without parameters leaves them out.
    public init(
        name: String, aliases: [String] = [], summary: String, citation: String,
        parameters: [ParameterSpecification] = [], fileExtensions: [String] = [], revision: Int = 0
    ) {
        self.name = name
        self.aliases = aliases
        self.summary = summary
        self.citation = citation
        self.parameters = parameters
        self.fileExtensions = fileExtensions
        self.revision = revision
    }
}
