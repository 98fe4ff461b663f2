internal import CacheCore

/// A trace file that is being read, and its digest: known at once if the file was seen before, found by another thread while the
/// file is compiled if it has been quiet, and found beforehand if it has just been written.
struct SourceReading {
    private let path: String
    private let digests: SourceDigests
    private let identity: FileIdentity
    private let search: Search

    private enum Search {
        case known(String)
        case under(BackgroundWork<Result<String, AssayError>>)
    }

    /// Begins to look for the digest of a file.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if it cannot be read, `usage` if it is not a regular file.
    init(
        of path: String, _ digests: SourceDigests, nowNanoseconds: Int64 = FileTree.nowNanoseconds
    ) throws(AssayError) {
        self.path = path
        self.digests = digests
        identity = try digests.identity(of: path)
        if identity.isQuiet(at: nowNanoseconds), digests.remembered(path, identity) == nil {
            search = .under(BackgroundWork { Result { () throws(AssayError) in try digests.digest(of: path) } })
        } else {
            search = .known(try digests.digest(of: path))
        }
    }

    /// The digest, nil while it is looked for.
    var found: String? {
        switch search {
        case .known(let digest): digest
        case .under(let work): (try? work.value?.get()) ?? digests.remembered(path, identity)
        }
    }

    /// Waits for the digest, and makes sure that it is that of what was read since the beginning.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if the file could not be read or has changed.
    func confirmed() throws(AssayError) -> String {
        let digest: String
        let isSame: Bool
        switch search {
        case .known(let known):
            // If it had just been written it may have changed and look the same.
            digest = known
            isSame = try digests.digest(of: path) == known
        case .under(let work):
            // Two have read it, and each might have seen another state.
            digest = try work.wait().get()
            isSame = try digests.identity(of: path) == identity
        }
        guard isSame else {
            throw AssayError(
                .inputOutput, "The file changed while it was read. Try again when it is complete.",
                at: AssayError.Location(path))
        }
        return digest
    }
}
