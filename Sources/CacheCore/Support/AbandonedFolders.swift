internal import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Temporary folders that a later process can clear when the one that made them was killed.
///
/// Beside each folder lies a file `FOLDER.lock`, which the process that uses the folder holds locked (flock). The system ends the lock
/// with the process, however that ends.
package enum AbandonedFolders {
    private static let suffix = ".lock"

    /// A folder that this process holds until ``remove()``, or until it ends.
    package final class Held: Sendable {
        /// The folder's path. Only its owner may read or enter it.
        package let path: String
        private let descriptor: Int32
        private let isRemoved = Atomic(false)

        fileprivate init(_ path: String, _ descriptor: Int32) {
            self.path = path
            self.descriptor = descriptor
        }

        deinit { remove() }

        /// Removes the folder with everything in it, once.
        package func remove() {
            guard !isRemoved.exchange(true, ordering: .acquiringAndReleasing) else { return }
            FileSystem.deleteAll(FileSystem.characters(path))
            _ = try? FileSystem.delete(FileSystem.characters(path + AbandonedFolders.suffix))
            FileSystem.unlock(descriptor)
        }
    }

    /// Makes an empty folder and holds it.
    ///
    /// - Parameters:
    ///   - prefix: How its name begins, as `assay-http-`.
    ///   - base: The directory that it lies in; nil for the temporary directory.
    /// - Throws: `unavailable`, `full` or `inputOutput` if it cannot be made.
    package static func hold(_ prefix: String, in base: String? = nil) throws(StoreError) -> Held {
        let base = base ?? FileSystem.temporaryDirectory
        for _ in 0..<100 {
            let path = "\(base)/\(prefix)\(String(UInt64.random(in: 0 ... .max), radix: 36))"
            let lock = FileSystem.characters(path + suffix)
            let descriptor = open(lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            if descriptor < 0, errno == EEXIST { continue }
            guard descriptor >= 0 else { throw FileSystem.failure("make", lock) }
            guard try isLocked(descriptor, lock) else {
                FileSystem.closeFile(descriptor)
                continue
            }
            guard mkdir(path, 0o700) != 0 else { return Held(path, descriptor) }
            let code = errno
            unlink(lock)
            FileSystem.unlock(descriptor)
            guard code == EEXIST else { throw FileSystem.failure("make", FileSystem.characters(path), code) }
        }
        throw StoreError(.unavailable, "every name for a folder in \(base) is taken; clear it or set TMPDIR")
    }

    /// Locks a new file. Whoever clears may have taken it between its creation and its lock.
    ///
    /// - Throws: a failure with the error number, with the file closed and removed, if it cannot be locked at all.
    static func isLocked(_ descriptor: Int32, _ lock: [CChar]) throws(StoreError) -> Bool {
        var status = stat()
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return fstat(descriptor, &status) == 0 && status.st_nlink > 0 }
        let code = errno
        guard code != EWOULDBLOCK else { return false }
        unlink(lock)
        FileSystem.closeFile(descriptor)
        throw FileSystem.failure("lock", lock, code)
    }

    /// Removes this user's folders that no living process holds.
    ///
    /// A folder without a lock file is left alone: nobody can tell whether it is in use.
    ///
    /// - Parameters:
    ///   - prefix: How their names begin.
    ///   - base: The directory that they lie in; nil for the temporary directory.
    /// - Returns: The paths of the folders whose lock files were removed, in order.
    @discardableResult
    package static func clear(_ prefix: String, in base: String? = nil) -> [String] {
        let base = base ?? FileSystem.temporaryDirectory
        let names = (try? FileSystem.names(in: FileSystem.characters(base))) ?? []
        return names.map { String(decoding: $0, as: UTF8.self) }.sorted().compactMap { name in
            guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
            let path = "\(base)/\(name.dropLast(suffix.utf8.count))"
            return clear(folder: path) ? path : nil
        }
    }

    private static func clear(folder path: String) -> Bool {
        let lock = FileSystem.characters(path + suffix)
        let descriptor = open(lock, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        var (status, named) = (stat(), stat())
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &status) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            // The name may be another process's by now.
            lstat(lock, &named) == 0, named.st_ino == status.st_ino, named.st_dev == status.st_dev
        else {
            FileSystem.closeFile(descriptor)
            return false
        }
        defer { FileSystem.unlock(descriptor) }
        var folder = stat()
        if lstat(path, &folder) == 0 {
            guard folder.st_uid == geteuid(), folder.st_mode & S_IFMT == S_IFDIR else { return false }
            FileSystem.deleteAll(FileSystem.characters(path))
        }
        return unlink(lock) == 0
    }
}
