public import CacheCore

/// Makes a trace of requests of other traces.
///
/// The result is compiled as a file is, so that objects, tenants and next requests are numbered anew. Its columns lie in a file
/// without a name, which vanishes with the trace. Memory: as for compiling a file.
public struct TraceBuilder: ~Copyable {
    private var compiler: TraceCompiler
    private let path: String

    /// A trace without requests so far, in the folder of a store.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the folder cannot be written to.
    public init(in store: TraceStore, onProgress: ((Int) -> Void)? = nil) throws(AssayError) {
        let path = try store.temporaryPath()
        self.init(path, try TraceCompiler(temporary: path, onProgress: onProgress))
    }

    private init(_ path: String, _ compiler: consuming TraceCompiler) {
        self.path = path
        self.compiler = compiler
    }

    /// Appends a request of another trace.
    ///
    /// - Throws: `AssayError` as the compiler of files does.
    public mutating func append(_ position: Int, of source: inout TraceSource) throws(AssayError) {
        let attributes = try attributes(position, of: &source)
        let id = source.columns.ids[position]
        if let key = source.trace.integerKey(of: id) {
            try compiler.append(integer: key, attributes)
        } else {
            try withBytes(source.trace.key(of: id)) { (key) throws(AssayError) in
                try compiler.append(bytes: key, attributes)
            }
        }
    }

    /// Appends a request of another trace under another key, with attributes that `change` changes.
    public mutating func append(
        _ position: Int, of source: inout TraceSource, key: UInt64, _ change: (inout RequestAttributes) -> Void
    ) throws(AssayError) {
        var attributes = try attributes(position, of: &source)
        change(&attributes)
        try compiler.append(integer: key, attributes)
    }

    private mutating func attributes(
        _ position: Int, of source: inout TraceSource
    ) throws(AssayError) -> RequestAttributes {
        var attributes = source.attributes(at: position)
        if let tenant = source.tenant(at: position) {
            if source.numbers[tenant] == nil {
                source.numbers[tenant] = try withBytes(source.names[tenant]) { (name) throws(AssayError) in
                    try compiler.tenant(named: name)
                }
            }
            attributes.tenant = source.numbers[tenant]
        }
        return attributes
    }

    /// The trace. `description` stands where a file's format stands.
    ///
    /// - Throws: `AssayError` with code `badInput` if no request was appended, or the requests as a whole are none.
    public consuming func finish(_ description: String) throws(AssayError) -> CompiledTrace {
        guard compiler.appended > 0 else {
            throw AssayError(.badInput, "No request is left, so nothing is written.")
        }
        let digest = SHA256.hexadecimal(of: "derived\n\(path)".utf8)
        let name = path + ".whole"
        try compiler.finish(as: name, digest: digest, sourceDigest: digest, formatDescription: description)
        defer { FileTree.remove(name) }
        let map = try MappedFile(try PosixFile(reading: name))
        guard let header = map.withBytes(CompiledTraceHeader.init(decoding:)) else {
            throw AssayError(
                .inputOutput, "The trace does not read back as it was written. Check the disk.",
                at: AssayError.Location(name))
        }
        return CompiledTrace(CompiledColumns(map, header), path: name)
    }
}

/// A trace of which requests are taken.
public struct TraceSource {
    /// The trace.
    public let trace: CompiledTrace
    /// Its columns.
    public let columns: RequestColumns
    private(set) var names: [[UInt8]]
    /// What the tenants are in the trace that is made, by their numbers in this one.
    var numbers: [UInt16?]
    private let kept: Set<TraceAttribute>
    private let fillsOperations: Bool

    /// A trace, of which only `kept` attributes are taken. Where operations are among them and the trace states none, its requests are
    /// reads.
    public init(_ trace: CompiledTrace, keeping kept: Set<TraceAttribute> = Set(TraceAttribute.allCases)) {
        self.trace = trace
        columns = trace.columns
        names = trace.tenantNameBytes
        numbers = [UInt16?](repeating: nil, count: names.count)
        self.kept = trace.attributes.intersection(kept)
        fillsOperations = kept.contains(.operations)
    }

    /// Gives the tenants other names.
    mutating func rename(_ names: [[UInt8]]) { self.names = names }

    /// The number of a request's tenant in this trace; nil if that is not taken.
    func tenant(at position: Int) -> Int? {
        guard kept.contains(.tenants), let tenants = columns.tenants else { return nil }
        return Int(tenants[position])
    }

    /// What is taken of a request, but for its tenant.
    func attributes(at position: Int) -> RequestAttributes {
        var attributes = RequestAttributes()
        if kept.contains(.sizes) {
            attributes.sizeBytes = UInt64(columns.sizes?.size(at: position) ?? columns.uniformSize)
        }
        if kept.contains(.times), let times = columns.times { attributes.timeNanoseconds = times[position] }
        if kept.contains(.timesToLive), let lives = columns.timesToLive, lives[position] > 0 {
            attributes.timeToLiveNanoseconds = lives[position]
        }
        if kept.contains(.costs), let costs = columns.costs { attributes.cost = costs[position] }
        if fillsOperations { attributes.operation = columns.operation(at: position) }
        return attributes
    }
}
