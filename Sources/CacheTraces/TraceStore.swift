public import CacheCore

/// Compiles traces once and opens them again without reading them.
///
/// Compiled traces lie in a folder of the user's cache, each named by the digest of the content, the format with its
/// revision and its parameters; anything there may be deleted at any time. Several threads and processes may use one store together: the
/// first compiles a file and the others wait for it.
public struct TraceStore: Sendable {
    /// The folder that holds compiled traces.
    public var directory: String { folder.path }
    /// Why the folder is one for temporary files and not in the user's cache; nil if it is where it should be.
    public var fallbackReason: String? { folder.fallbackReason }
    private let folder: CacheFolder
    private let formats: [TraceFormatEntry]
    /// Told of a format that a trace's content decided on, before it is read.
    public var onRecognised: (@Sendable (TraceFormatSelection) -> Void)?
    /// What becomes of malformed records; part of what a compiled trace is known by.
    public var badRows = BadRows.stop
    /// How much a file may grow; nil for what the environment says.
    var expansion: ExpansionLimit?

    /// A store in a folder: `directory`, or else `$XDG_CACHE_HOME/assay/traces`, or else `~/.cache/assay/traces`, or else, where
    /// neither can be written to, a folder of this user's among the temporary files.
    ///
    /// The folder is created when it is first needed, for this user alone. `formats` are those that a name or an ending can mean.
    /// `maximumExpansion` is how many bytes a byte of a compressed file may become; nil for `ASSAY_MAX_EXPANSION`, or else 100.
    public init(
        directory: String? = nil, formats: [TraceFormatEntry] = BuiltinTraceFormats.all, maximumExpansion: Int? = nil
    ) {
        folder = directory.map { CacheFolder(named: $0) } ?? CacheFolder()
        self.formats = formats
        expansion = maximumExpansion.map { ExpansionLimit(factor: $0) }
    }

    /// Opens a trace file, compiling it first unless that was done before.
    ///
    /// - Parameters:
    ///   - path: The file, compressed or not.
    ///   - format: A format as on the command line (`csv:key=2,size=3`); nil to go by the content
    ///     and its ending.
    ///   - onProgress: Called now and then with the number of records read, only while compiling.
    /// - Throws: `AssayError` with code `usage` for a format that does not exist or cannot be told, `badInput` for a
    ///   malformed or damaged trace, `inputOutput` if reading or writing failed.
    public func open(
        path: String, format: String? = nil, onProgress: ((Int) -> Void)? = nil
    ) throws(AssayError) -> CompiledTrace {
        let selected = try selection(path, format)
        try folder.prepare()
        let source = try SourceReading(of: path, digests(.xxh128))
        let descriptor = selected.entry.descriptor
        let revision = descriptor.revision == 0 ? "" : "revision \(descriptor.revision)\n"
        let skipping = badRows == .stop ? "" : "bad rows \(badRows)\n"
        let reading = "\(descriptor.name)\n\(selected.parameters.description)\n\(revision)\(skipping)"
        func digest(_ source: String) -> String { SHA256.hexadecimal(of: "file\n\(source)\n\(reading)".utf8) }
        func compiledBefore() -> CompiledTrace? { source.found.flatMap { sound(digest($0)) } }
        if let trace = compiledBefore() { return trace }
        // By the file's path, because what is in it may be known only in the end.
        let lock = try lock(SHA256.hexadecimal(of: "\(FileTree.canonicalPath(path))\n\(reading)".utf8))
        defer { withExtendedLifetime(lock) {} }
        if let trace = compiledBefore() { return trace }
        let limit = if let expansion { expansion } else { try ExpansionLimit.standard() }
        var compiler = try makeCompiler(onProgress, requestsMax: limit.requests(ofFileBytes: source.sizeBytes))
        let found = try source.digest { (hash) throws(AssayError) in
            try selected.compile(path, hashingInto: hash, limit, into: &compiler)
        }
        // Its content may have been compiled under another name.
        if let trace = compiledBefore() { return trace }
        return try finish(compiler, as: digest(found), sourceDigest: found, selected.description, of: path)
    }

    /// The format of a file. A wrong parameter must show before the file is read.
    private func selection(_ path: String, _ format: String?) throws(AssayError) -> TraceFormatSelection {
        let selected =
            if let format, format != "auto" { try TraceFormatSelection(parsing: format, among: formats) } else {
                try recognised(path)
            }
        _ = try selected.entry.makeFormat(selected.parameters)
        return selected
    }

    private func recognised(_ path: String) throws(AssayError) -> TraceFormatSelection {
        let limit = if let expansion { expansion } else { try ExpansionLimit.standard() }
        var input = try TraceInput.open(path, hashingInto: nil, limit)
        let bytes = try ContentCheck.sample(&input)
        let sample = TraceSample(bytes, isWhole: bytes.count < ContentCheck.sampleBytes)
        let selected = try TraceFormatSelection(recognising: sample, ofFile: path, among: formats)
        if selected.origin == .content { onRecognised?(selected) }
        return selected
    }

    /// The SHA-256 of a file, as 64 hexadecimal digits; O(1) for a file that was seen before and has not changed.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if it cannot be read, `usage` if it is not a regular file.
    public func sha256(of path: String) throws(AssayError) -> String {
        try folder.prepare()
        return try digests(.sha256).digest(of: path)
    }

    private func digests(_ algorithm: FileDigestAlgorithm) -> SourceDigests {
        SourceDigests(folder: directory + "/sources", algorithm: algorithm)
    }

    /// Opens what `compile` produces, compiling it unless a sound file is there.
    func open(
        _ identity: String, _ sourceDigest: String, _ description: String, _ onProgress: ((Int) -> Void)?,
        compile: (inout TraceCompiler) throws(AssayError) -> Void
    ) throws(AssayError) -> CompiledTrace {
        try folder.prepare()
        let digest = SHA256.hexadecimal(of: identity.utf8)
        if let trace = sound(digest) { return trace }
        let lock = try lock(digest)
        defer { withExtendedLifetime(lock) {} }
        if let trace = sound(digest) { return trace }
        var compiler = try makeCompiler(onProgress)
        try compile(&compiler)
        return try finish(compiler, as: digest, sourceDigest: sourceDigest, description)
    }

    /// Waits for the lock of a digest: one of 256, so that they need never be cleaned up.
    private func lock(_ digest: String) throws(AssayError) -> PosixFile {
        try PosixFile(locking: "\(directory)/locks/\(digest.prefix(2))")
    }

    private func makeCompiler(
        _ onProgress: ((Int) -> Void)?, requestsMax: Int = .max
    ) throws(AssayError) -> TraceCompiler {
        TemporaryName.sweep(directory)
        return try TraceCompiler(
            temporary: TemporaryName.next(in: directory), requestsMax: requestsMax, badRows: badRows,
            onProgress: onProgress)
    }

    /// What is wrong with the requests as a whole is said of the file that they come `of`.
    private func finish(
        _ compiler: consuming TraceCompiler, as digest: String, sourceDigest: String, _ description: String,
        of source: String? = nil
    ) throws(AssayError) -> CompiledTrace {
        do throws(AssayError) {
            try compiler.finish(
                as: name(digest), digest: digest, sourceDigest: sourceDigest, formatDescription: description)
        } catch {
            guard let source, error.code == .badInput else { throw error }
            throw error.located(at: AssayError.Location(source))
        }
        // What was written a moment ago is not read once more to be checked.
        guard let trace = compiled(digest) else {
            throw AssayError(
                .inputOutput, "The compiled trace does not read back as it was written. Check the disk.",
                at: AssayError.Location(name(digest)))
        }
        return trace
    }

    private func name(_ digest: String) -> String { "\(directory)/\(digest).v\(CompiledTraceHeader.version).trace" }

    /// The compiled trace of a digest; nil if there is none or it is damaged, cut short or of another version.
    private func sound(_ digest: String) -> CompiledTrace? {
        compiled(digest) { map, header in map.bodyChecksum() == header.bodyChecksum }
    }

    /// The compiled trace of a digest whose body `isSound`; nil if there is none, or one of another version or length.
    private func compiled(
        _ digest: String, isSound: (MappedFile, CompiledTraceHeader) -> Bool = { _, _ in true }
    ) -> CompiledTrace? {
        guard let file = try? PosixFile(reading: name(digest)), let map = try? MappedFile(file),
            let header = map.withBytes(CompiledTraceHeader.init(decoding:)), header.digest == digest,
            isSound(map, header)
        else { return nil }
        return CompiledTrace(CompiledColumns(map, header), path: name(digest))
    }
}
