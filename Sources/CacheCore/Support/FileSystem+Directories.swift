#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Directories and the locks that give them to one store at a time.
extension FileSystem {
    /// Makes a store's directory with its parents if it is missing, and takes its lock.
    ///
    /// - Parameters:
    ///   - backend: the backend's name, for messages.
    ///   - isDurable: whether the names of directories that are made must survive a power cut.
    /// - Returns: the lock's descriptor; closing it lets the directory go.
    /// - Throws: `unavailable` if the directory cannot be used or another store has it open.
    package static func claimDirectory(
        _ directory: String?, for backend: String, isDurable: Bool
    ) throws(StoreError) -> Int32 {
        guard let directory, !directory.isEmpty else {
            throw StoreError(.unavailable, "the \(backend) backend needs a directory; name one")
        }
        _ = try makeDirectory(characters(directory), withParents: true, isDurable: isDurable)
        guard let descriptor = try lock(characters(directory + "/lock")) else {
            throw StoreError(
                .unavailable, "another store has \(directory) open; close it or use another directory")
        }
        guard isDurable else { return descriptor }
        do {
            // Names that a killed store made in the directory may not be durable yet.
            try synchroniseDirectory(characters(directory))
        } catch {
            closeFile(descriptor)
            throw error
        }
        return descriptor
    }

    /// A path as the system calls take it: its bytes, ended by a zero.
    package static func characters(_ path: String) -> [CChar] { path.utf8.map { CChar(bitPattern: $0) } + [0] }

    /// Makes a directory, and its parents if asked to; returns whether it is new.
    ///
    /// With `isDurable` the parent of every directory that is made is synchronised, so that a power cut cannot take the
    /// new name away again.
    package static func makeDirectory(
        _ path: [CChar], withParents: Bool = false, isDurable: Bool = false
    ) throws(StoreError) -> Bool {
        if mkdir(path, 0o700) == 0 {
            if isDurable { try synchroniseDirectory(parent(of: path)) }
            return true
        }
        let code = errno
        if code == EEXIST, isDirectory(path) { return false }
        if withParents, code == ENOENT, let slash = path.lastIndex(of: slash), slash > 0 {
            _ = try makeDirectory(Array(path[..<slash]) + [0], withParents: true, isDurable: isDurable)
            return try makeDirectory(path, isDurable: isDurable)
        }
        throw failure("make the directory", path, code == EEXIST ? ENOTDIR : code)
    }

    /// Makes the names in a directory durable.
    package static func synchroniseDirectory(_ path: [CChar]) throws(StoreError) {
        guard let descriptor = try openForReading(path) else { throw failure("synchronise", path, ENOENT) }
        defer { closeFile(descriptor) }
        try synchronise(descriptor, path: path)
    }

    /// Takes a lock that lasts until ``unlock(_:)`` or the end of the process; nil if another store has it.
    package static func lock(_ path: [CChar]) throws(StoreError) -> Int32? {
        let descriptor = retrying { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw failure("lock", path) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return descriptor }
        let code = errno
        closeFile(descriptor)
        guard code == EWOULDBLOCK else { throw failure("lock", path, code) }
        return nil
    }

    /// Gives a lock back and closes its descriptor.
    ///
    /// Closing alone would leave the lock to a process that has been forked meanwhile and has not yet started its program.
    package static func unlock(_ descriptor: Int32) {
        _ = retrying { flock(descriptor, LOCK_UN) }
        closeFile(descriptor)
    }

    /// The names in a directory, without `.` and `..`; none if it is missing.
    ///
    /// A directory in which files are renamed meanwhile may name one of them twice to its reader: each stands here once.
    package static func names(in path: [CChar]) throws(StoreError) -> Set<[UInt8]> {
        guard let stream = opendir(path) else {
            guard errno == ENOENT else { throw failure("list", path) }
            return []
        }
        defer { closedir(stream) }
        var names: Set<[UInt8]> = []
        while let item = readdir(stream) {
            let name = withUnsafeBytes(of: &item.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [46], name != [46, 46] { names.insert(name) }
        }
        return names
    }

    /// Where temporary files belong: `TMPDIR`, or else `/tmp`.
    package static var temporaryDirectory: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

    /// Deletes a file, or a directory with everything in it, as far as that is allowed. Links are not followed.
    package static func deleteAll(_ path: [CChar]) {
        if unlink(path) == 0 { return }
        chmod(path, 0o700)
        for name in (try? names(in: path)) ?? [] {
            deleteAll(path.dropLast() + [slash] + name.map { CChar(bitPattern: $0) } + [0])
        }
        rmdir(path)
    }

    /// The bytes that this process may still write where a directory lies.
    package static func freeBytes(_ path: [CChar]) throws(StoreError) -> Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw failure("ask for the free space of", path) }
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    /// The directory that a path lies in: the current one for a bare name, the root for a name in the root.
    static func parent(of path: [CChar]) -> [CChar] {
        var name = path.dropLast()
        while name.count > 1, name.last == slash { name.removeLast() }
        guard let last = name.lastIndex(of: slash) else { return characters(".") }
        return last == 0 ? characters("/") : Array(name[..<last]) + [0]
    }

    private static var slash: CChar { CChar(bitPattern: UInt8(ascii: "/")) }

    private static func isDirectory(_ path: [CChar]) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}
