internal import CacheCore

/// Remembers the digest of files, so that an unchanged file is not read again to be recognised.
///
/// One small file a path. An entry counts only while length, times, inode and device agree, and it is written only when
/// the file had been quiet for a while: a clock that ticks too coarsely to tell two writes apart cannot deceive it.
struct SourceDigests {
    private static let quietNanoseconds: Int64 = 100_000_000

    let folder: String

    /// The SHA-256 of a file's bytes, as 64 hexadecimal digits.
    ///
    /// - Throws: `AssayError` with code `inputOutput` if it cannot be read, `usage` if it is not a regular file.
    func digest(of path: String) throws(AssayError) -> String {
        let file = try PosixFile(reading: path)
        let identity = try file.regularIdentity()
        let entry = folder + "/" + SHA256.hexadecimal(of: FileTree.canonicalPath(path).utf8).prefix(32)
        if let known = remembered(entry, identity) { return known }
        let started = FileTree.nowNanoseconds
        let digest = try hash(file)
        let quietSince = max(identity.modifiedNanoseconds, identity.changedNanoseconds)
        if try file.identity() == identity, quietSince + Self.quietNanoseconds < started {
            remember(entry, identity, digest)
        }
        return digest
    }

    private func hash(_ file: borrowing PosixFile) throws(AssayError) -> String {
        var hash = SHA256()
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
        defer { block.deallocate() }
        while true {
            let count = try file.read(into: block)
            if count == 0 { break }
            hash.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
        }
        return hash.hexadecimal()
    }

    private func text(_ identity: FileIdentity, _ digest: String) -> String {
        "\(identity.sizeBytes) \(identity.modifiedNanoseconds) \(identity.changedNanoseconds) \(identity.inode) "
            + "\(identity.device)\n\(digest)\n"
    }

    private func remembered(_ entry: String, _ identity: FileIdentity) -> String? {
        guard let file = try? PosixFile(reading: entry), let map = try? MappedFile(file) else { return nil }
        let found = map.withBytes { String(decoding: $0, as: UTF8.self) }
        let lines = found.split(separator: "\n")
        guard lines.count == 2, lines[1].utf8.count == 64 else { return nil }
        let digest = String(lines[1])
        return found == text(identity, digest) ? digest : nil
    }

    /// Failing to remember costs the next run a little time and nothing else.
    private func remember(_ entry: String, _ identity: FileIdentity, _ digest: String) {
        let temporary = TemporaryName.next(in: folder)
        do throws(AssayError) {
            let file = try PosixFile(creating: temporary)
            try withBytes(Array(text(identity, digest).utf8)) { (bytes) throws(AssayError) in try file.write(bytes) }
            try FileTree.rename(temporary, to: entry)
        } catch {
            FileTree.remove(temporary)
        }
    }
}
