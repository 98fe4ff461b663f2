internal import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The few things that the trace store does to folders and names.
enum FileTree {
    /// The value of an environment variable, nil if it is unset or empty.
    static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }

    /// Creates a folder and those above it, for this user alone.
    static func createFolder(_ path: String) throws(AssayError) {
        var built = path.hasPrefix("/") ? "/" : ""
        for part in path.split(separator: "/") {
            built += built.isEmpty || built == "/" ? String(part) : "/" + part
            if mkdir(built, 0o700) != 0, errno != EEXIST, !isFolder(built) {
                throw posixError("cannot create the folder for compiled traces", built)
            }
        }
    }

    /// Takes the rights of other users from a file or folder that belongs to this user. Links, and folders that are shared on purpose
    /// (with the sticky bit), are left alone.
    static func makePrivate(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 != 0 else { return }
        guard [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT), status.st_mode & S_ISVTX == 0 else { return }
        chmod(path, status.st_mode & 0o700)
    }

    /// Whether a path names a folder, and no link to one, that nobody but this user can enter.
    static func isPrivate(_ path: String) -> Bool {
        var status = stat()
        return isOwnFolder(path) && lstat(path, &status) == 0 && status.st_mode & 0o077 == 0
    }

    /// Whether a path names a folder, and no link to one, that belongs to this user.
    static func isOwnFolder(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }

    /// Whether a folder is there and can be written to, or can be created where the nearest folder above it is.
    static func canWriteFolder(_ path: String) -> Bool {
        var existing = path
        var status = stat()
        while existing.count > 1, stat(existing, &status) != 0, errno == ENOENT {
            existing = String(existing[..<(existing.lastIndex(of: "/") ?? existing.startIndex)])
        }
        if existing.isEmpty { existing = path.hasPrefix("/") ? "/" : "." }
        return isFolder(existing) && access(existing, W_OK | X_OK) == 0
    }

    /// The number of the user as whom this process runs.
    static var userID: UInt32 { geteuid() }

    /// Whether a path names a folder.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Renames a file over another, in one step.
    static func rename(_ old: String, to new: String) throws(AssayError) {
        guard systemRename(old, new) == 0 else { throw posixError("cannot rename '\(old)' to this name", new) }
    }

    /// Throws if something of this name is there.
    static func refuseExisting(_ path: String) throws(AssayError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        errno = EEXIST
        throw posixError(existingFile, path)
    }

    /// Gives a file a second name in the same folder, unless that is taken; where a file system has no second names, another name.
    static func link(_ path: String, as name: String) throws(AssayError) {
        if systemLink(path, name) == 0 { return }
        if errno == EEXIST { throw posixError(existingFile, name) }
        try refuseExisting(name)
        try rename(path, to: name)
    }

    private static let existingFile = "cannot create the file: it is there already; remove it or choose another name"

    /// Removes a file if it is there.
    static func remove(_ path: String) { unlink(path) }

    /// The names in a folder, empty if it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The absolute path of a file with links resolved; the path itself if it does not exist.
    static func canonicalPath(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// This process.
    static var processID: Int32 { getpid() }

    /// Whether a process exists, as far as can be told.
    static func isRunning(_ process: Int32) -> Bool { kill(process, 0) == 0 || errno != ESRCH }

    /// The time of day, in nanoseconds since 1970.
    static var nowNanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

private func systemLink(_ path: String, _ name: String) -> Int32 { link(path, name) }

private func systemRename(_ old: String, _ new: String) -> Int32 { rename(old, new) }
