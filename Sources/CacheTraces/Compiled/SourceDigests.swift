internal import CacheCore

/// Remembers the digest of files, so that an unchanged file is not read again to be recognised.
///
/// One small file a path and algorithm. An entry counts only while length, times, inode and device agree, and it is written
/// only when the file had been quiet for a while.
struct SourceDigests {
    let folder: String
    let algorithm: FileDigestAlgorithm

    /// The digest of a file's bytes, as the algorithm writes it.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if it cannot be read, `usage` if it is not a regular file.
    func digest(of path: String) throws(AssayError) -> String {
        let file = try PosixFile(reading: path)
        let identity = try file.regularIdentity()
        if let known = remembered(path, identity) { return known }
        let started = FileTree.nowNanoseconds
        let digest = try algorithm.digest(of: file)
        if try file.identity() == identity, identity.isQuiet(at: started) { remember(path, identity, digest) }
        return digest
    }

    /// The state of a file.
    ///
    /// - Throws: as for its digest.
    func identity(of path: String) throws(AssayError) -> FileIdentity {
        try PosixFile(reading: path).regularIdentity()
    }

    /// The digest of a file in a state in which it was seen before, nil if it was not.
    func remembered(_ path: String, _ identity: FileIdentity) -> String? {
        guard let file = try? PosixFile(reading: entry(path)), let map = try? MappedFile(file) else { return nil }
        let found = map.withBytes { String(decoding: $0, as: UTF8.self) }
        let lines = found.split(separator: "\n")
        guard lines.count == 2 else { return nil }
        let digest = String(lines[1])
        return found == text(identity, digest) ? digest : nil
    }

    private func entry(_ path: String) -> String {
        folder + "/" + SHA256.hexadecimal(of: "\(algorithm)\n\(FileTree.canonicalPath(path))".utf8).prefix(32)
    }

    private func text(_ identity: FileIdentity, _ digest: String) -> String {
        "\(identity.sizeBytes) \(identity.modifiedNanoseconds) \(identity.changedNanoseconds) \(identity.inode) "
            + "\(identity.device)\n\(digest)\n"
    }

    /// Remembers the digest of a file in a state; failing to costs the next run a little time and nothing else.
    func remember(_ path: String, _ identity: FileIdentity, _ digest: String) {
        let temporary = TemporaryName.next(in: folder)
        do throws(AssayError) {
            let file = try PosixFile(creating: temporary)
            try withBytes(Array(text(identity, digest).utf8)) { (bytes) throws(AssayError) in try file.write(bytes) }
            try FileTree.rename(temporary, to: entry(path))
        } catch {
            FileTree.remove(temporary)
        }
    }
}
