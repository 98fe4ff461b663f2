public import CacheCore

/// Writes one kind of trace file.
///
/// ### Purpose
/// A writer turns a compiled trace into a file that other programs, or Assay, read.
///
/// ### Implementers' notes
/// Never overwrite a file. Refuse a trace that the format cannot hold; say what the format leaves out in
/// ``losses(of:)``. A writer that fails leaves no file.
///
/// ### Using
/// Register the writer in one line in ``BuiltinTraceWriters``.
public protocol TraceWriter: Sendable {
    /// The name, the description and the endings of files.
    var descriptor: TraceWriterDescriptor { get }

    /// Writes the whole trace to a file that must not exist yet. O(requests).
    ///
    /// - Throws: `AssayError` with code `unavailable` for a trace that the format cannot hold, `inputOutput` if the file exists or
    ///   writing failed.
    func write(_ trace: CompiledTrace, to path: String) throws(AssayError)

    /// What a written file does not say of a trace, and what its readers make of it: a sentence each. O(requests).
    func losses(of trace: CompiledTrace) -> [String]

    /// The format by which `--format` reads the file again; nil where the file's content or ending says so.
    func readingFormat(of trace: CompiledTrace) -> String?
}

extension TraceWriter {
    /// The file says so itself.
    public func readingFormat(of trace: CompiledTrace) -> String? { nil }
}

/// What a written format is.
public struct TraceWriterDescriptor: Sendable, Hashable {
    /// The name on the command line, lower-case.
    public var name: String
    /// One sentence that says what the file holds.
    public var summary: String
    /// Endings of file names that mean this format, without the dot.
    public var fileExtensions: [String]

    /// A descriptor.
    public init(name: String, summary: String, fileExtensions: [String]) {
        self.name = name
        self.summary = summary
        self.fileExtensions = fileExtensions
    }
}

/// The formats that Assay writes: one line each, sorted by name.
public enum BuiltinTraceWriters {
    /// Every built-in writer.
    public static let all: [any TraceWriter] = [
        AssayTraceWriter(),
        CSVTraceWriter(),
        LCSTraceWriter(),
        OracleGeneralWriter(),
        PlainTraceWriter(),
    ]
}

/// What a trace may say of a request beside its object.
public enum TraceAttribute: String, Sendable, Hashable, CaseIterable {
    /// Sizes in bytes.
    case sizes
    /// When requests were made.
    case times
    /// How long objects stay valid.
    case timesToLive = "times to live"
    /// What misses cost.
    case costs
    /// Reads, writes and deletes.
    case operations
    /// Who made the requests.
    case tenants
}

extension CompiledTrace {
    /// What the trace says of its requests beside their objects.
    public var attributes: Set<TraceAttribute> {
        let columns = columns
        var stated: Set<TraceAttribute> = []
        if hasSizes { stated.insert(.sizes) }
        if columns.times != nil { stated.insert(.times) }
        if columns.timesToLive != nil { stated.insert(.timesToLive) }
        if columns.costs != nil { stated.insert(.costs) }
        if columns.operations != nil { stated.insert(.operations) }
        if columns.tenants != nil { stated.insert(.tenants) }
        return stated
    }

    /// The sentence that says which attributes a format without a place for them leaves out; nil for none.
    func leftOut(byFormatWith held: Set<TraceAttribute>) -> String? {
        let lost = TraceAttribute.allCases.filter { attributes.contains($0) && !held.contains($0) }
        guard !lost.isEmpty else { return nil }
        return "The format has no place for \(lost.map(\.rawValue).joined(separator: ", ")), which are left out."
    }
}
