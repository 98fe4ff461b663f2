internal import CacheCore

/// A trace file that is being read, and its digest: known at once if the file was seen before, found while it is compiled if it has
/// been quiet, and found beforehand if it has just been written.
struct SourceReading {
    private let path: String
    private let digests: SourceDigests
    private let identity: FileIdentity
    private let started: Int64
    /// The digest if it was known before.
    private let known: String?

    /// Looks whether the digest of a file is known, and finds it if the file has just been written.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if it cannot be read, `usage` if it is not a regular file.
    init(
        of path: String, _ digests: SourceDigests, nowNanoseconds: Int64 = FileTree.nowNanoseconds
    ) throws(AssayError) {
        self.path = path
        self.digests = digests
        started = nowNanoseconds
        identity = try digests.identity(of: path)
        known = identity.isQuiet(at: started) ? digests.remembered(path, identity) : try digests.digest(of: path)
    }

    /// The length of the file, in bytes.
    var sizeBytes: Int { identity.sizeBytes }

    /// The digest, nil while nobody has found it.
    var found: String? { known ?? digests.remembered(path, identity) }

    /// The digest of what `read` reads, which is the whole file, each byte once.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the file has changed since the beginning; what `read` throws.
    func digest(_ read: (any FileHash) throws(AssayError) -> Void) throws(AssayError) -> String {
        let hash = digests.algorithm.makeHash()
        try read(hash)
        let digest = hash.text
        // What was remembered of a quiet file is wrong where the file is as it was: its note was damaged, and is written anew.
        let isQuiet = identity.isQuiet(at: started)
        guard try digests.identity(of: path) == identity, isQuiet || known ?? digest == digest else {
            throw AssayError(
                .inputOutput, "The file changed while it was read. Try again when it is complete.",
                at: AssayError.Location(path))
        }
        if isQuiet { digests.remember(path, identity, digest) }
        return digest
    }
}
