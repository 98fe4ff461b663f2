public import CacheCore

/// Compiles traces once and opens them again without reading them.
///
/// Memory: while a trace is compiled, ``memoryBytesMax`` whatever its length, up to 32 bytes and the bytes of its key for each object, 16
/// bytes for each request of 4 GiB or more, and what the decompressor asks for; an opened trace is mapped, so that the system drops what
/// is not used.
///
/// Compiled traces lie in a folder of the user's cache, each named by the digest of the content, the format with its
/// revision and its parameters; anything there may be deleted at any time. Several threads and processes may use one store together: the
/// first compiles a file and the others wait for it.
public struct TraceStore: Sendable {
    /// The memory that compiling a trace of any length takes beside its objects, in bytes.
    public static let memoryBytesMax = 64 << 20

    /// The folder that holds compiled traces.
    public var directory: String { folder.path }
    /// Why the folder is one for temporary files and not in the user's cache; nil if it is where it should be.
    public var fallbackReason: String? { folder.fallbackReason }
    private let folder: CacheFolder
    private let formats: [TraceFormatEntry]
    /// Told of each file's name and its format where the content decided on it, before it is read.
    public var onRecognised: (@Sendable (String, TraceFormatSelection) -> Void)?
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
    ///   - path: The file, compressed or not, a tar archive of files, or `-` for standard input.
    ///   - format: A format as on the command line (`csv:key=2,size=3`); nil to go by the content
    ///     and its ending.
    ///   - onProgress: Called now and then with the number of records read, only while compiling.
    /// - Throws: `AssayError` with code `usage` for a format that does not exist or cannot be told, `badInput` for a
    ///   malformed or damaged trace, `inputOutput` if reading or writing failed.
    public func open(
        path: String, format: String? = nil, onProgress: ((Int) -> Void)? = nil
    ) throws(AssayError) -> CompiledTrace {
        try open(paths: [path], format: format, onProgress: onProgress)
    }

    /// Opens several files as one trace, in their order, compiling it first unless that was done before.
    ///
    /// - Parameters: As for one file; each file is recognised by itself. At most one path is `-`.
    /// - Throws: As for one file; `badInput` too where one file states what another does not, such as sizes.
    public func open(
        paths: [String], format: String? = nil, onProgress: ((Int) -> Void)? = nil
    ) throws(AssayError) -> CompiledTrace {
        guard !paths.isEmpty, paths.count(where: { $0 == TracePart.standardInput }) <= 1 else {
            throw AssayError(
                .usage, "Standard input is read once. Name it, as '-', once.", at: AssayError.Location("--trace"))
        }
        let choice = try FormatChoice(format, among: formats)
        let limit = if let expansion { expansion } else { try ExpansionLimit.standard() }
        let digests = digests(.xxh128)
        try folder.prepare()
        let descriptions = Descriptions(onRecognised)
        var parts: [TracePart] = []
        for path in paths {
            parts.append(try TracePart(path, digests, choice, limit, recognised: descriptions.add))
        }
        func compiledBefore() -> CompiledTrace? {
            let findings = parts.compactMap { $0.finding(choice) }
            return findings.count == parts.count ? sound(digest(findings)) : nil
        }
        if let trace = compiledBefore() { return trace }
        // By the files' paths, because what is in them may be known only in the end.
        let places = parts.map { FileTree.canonicalPath($0.path) }.joined(separator: "\n")
        let lock = try lock(SHA256.hexadecimal(of: "\(places)\n\(format ?? "auto")\n\(badRows)".utf8))
        defer { withExtendedLifetime(lock) {} }
        if let trace = compiledBefore() { return trace }
        var compiler = try makeCompiler(
            onProgress, requestsMax: limit.requests(ofFileBytes: parts.reduce(0) { $0 + $1.sizeBytes }))
        var findings: [TracePart.Finding] = []
        for part in parts {
            findings.append(
                try part.compile(into: &compiler, digests, choice, limit, recognised: descriptions.add))
        }
        // Its content may have been compiled under another name.
        if let trace = sound(digest(findings)) { return trace }
        let source =
            findings.count == 1
            ? findings[0].digest
            : "sha256:" + SHA256.hexadecimal(of: findings.map { $0.digest + "\n" }.joined().utf8)
        return try finish(
            compiler, as: digest(findings), sourceDigest: source, descriptions.text,
            of: parts.count == 1 ? parts[0].name : nil)
    }

    private func digest(_ findings: [TracePart.Finding]) -> String {
        let skipping = badRows == .stop ? "" : "bad rows \(badRows)\n"
        let parts = findings.map { "file\n\($0.digest)\n\($0.reading)" }
        return SHA256.hexadecimal(of: (parts.joined() + skipping).utf8)
    }

    /// Opens a compiled trace by the path that ``CompiledTrace/path`` says.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if it is not there any more, or damaged.
    public static func open(compiled path: String) throws(AssayError) -> CompiledTrace {
        guard let file = try? PosixFile(reading: path), let map = try? MappedFile(file),
            let header = map.withBytes(CompiledTraceHeader.init(decoding:)), map.bodyChecksum() == header.bodyChecksum
        else {
            throw AssayError(
                .inputOutput, "The compiled trace was removed or is damaged. Start again; it will be compiled anew.",
                at: AssayError.Location(path))
        }
        return CompiledTrace(CompiledColumns(map, header), path: path)
    }

    /// What is known of a trace file without reading it through, but for its digest where the file was not seen before.
    ///
    /// - Throws: `AssayError` with code `usage` for standard input and for a format that does not exist or cannot be told, `inputOutput`
    ///   if the file cannot be read.
    public func forecast(path: String, format: String? = nil) throws(AssayError) -> TraceForecast {
        guard path != TracePart.standardInput else {
            throw AssayError(
                .usage, "Standard input is read once and by one process. Save it as a file and name that.",
                at: AssayError.Location("--trace"))
        }
        let choice = try FormatChoice(format, among: formats)
        let limit = if let expansion { expansion } else { try ExpansionLimit.standard() }
        try folder.prepare()
        let digests = digests(.xxh128)
        let digest = try digests.digest(of: path)
        let part = try TracePart(path, digests, choice, limit) { _, _ in }
        let known = part.finding(choice).flatMap { compiled(self.digest([$0])) }
        return TraceForecast(
            digest: digest, sourceBytes: part.sizeBytes, requests: known?.requests, objects: known?.objects,
            isCompiled: known != nil, isCompressed: !path.hasSuffix(TraceInput.contentName(path)))
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

    /// A name in the folder that nobody uses, for a file that its user removes.
    func temporaryPath() throws(AssayError) -> String {
        try folder.prepare()
        TemporaryName.sweep(directory)
        return TemporaryName.next(in: directory)
    }

    private func makeCompiler(
        _ onProgress: ((Int) -> Void)?, requestsMax: @escaping @autoclosure () -> Int = .max
    ) throws(AssayError) -> TraceCompiler {
        TemporaryName.sweep(directory)
        return try TraceCompiler(
            temporary: TemporaryName.next(in: directory), requestsMax: requestsMax(), badRows: badRows,
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

/// What is known of a trace before it is read through.
public struct TraceForecast: Sendable, Hashable {
    /// The digest of the source, as the compiled trace will state it.
    public var digest: String
    /// The length of the file as it lies on the disk, in bytes; nil for what is generated.
    public var sourceBytes: Int?
    /// The number of requests; nil if only reading tells.
    public var requests: Int?
    /// The number of distinct objects, or the most that there may be; nil if only reading tells.
    public var objects: Int?
    /// Whether the trace was compiled before, so that it opens at once.
    public var isCompiled: Bool
    /// Whether the file's name says that it is compressed.
    public var isCompressed = false
}

/// The formats of a trace's files, each told once.
private final class Descriptions {
    private static let bytesMax = 600

    private let onRecognised: (@Sendable (String, TraceFormatSelection) -> Void)?
    private var found: [String] = []

    init(_ onRecognised: (@Sendable (String, TraceFormatSelection) -> Void)?) { self.onRecognised = onRecognised }

    func add(_ file: String, _ selected: TraceFormatSelection) {
        guard !found.contains(selected.description) else { return }
        found.append(selected.description)
        if selected.origin == .content { onRecognised?(file, selected) }
    }

    /// All of them, as `csv:key=1 + plain`; those that are too many are counted.
    var text: String {
        var text = found.first ?? ""
        for (index, next) in found.enumerated().dropFirst() {
            guard text.utf8.count + next.utf8.count < Self.bytesMax else {
                return text + " + \(found.count - index) others"
            }
            text += " + " + next
        }
        return text
    }
}
