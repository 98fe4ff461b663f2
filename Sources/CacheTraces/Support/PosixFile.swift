internal import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What tells one state of a file from another without reading it.
struct FileIdentity: Hashable, Sendable {
    var sizeBytes: Int
    var modifiedNanoseconds: Int64
    var changedNanoseconds: Int64
    var inode: UInt64
    var device: UInt64
    var isRegular: Bool

    private static let quietNanoseconds: Int64 = 100_000_000

    /// Whether the file had not been touched for a while at that time of day, so that a clock which ticks too coarsely to tell
    /// two writes apart cannot deceive whoever compares states.
    func isQuiet(at nowNanoseconds: Int64) -> Bool {
        max(modifiedNanoseconds, changedNanoseconds) + Self.quietNanoseconds < nowNanoseconds
    }
}

/// An open file descriptor that is closed with its owner.
struct PosixFile: ~Copyable {
    let descriptor: Int32
    let path: String

    /// Opens a file to read. A named pipe opens at once and does not wait for its writer.
    init(reading path: String) throws(AssayError) {
        descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        self.path = path
        guard descriptor >= 0 else { throw posixError("cannot open the file", path) }
    }

    /// Standard input, under the name that errors give.
    ///
    /// - Throws: `AssayError` with code `usage` if it is a terminal.
    init(standardInputAs name: String) throws(AssayError) {
        descriptor = fcntl(0, F_DUPFD_CLOEXEC, 3)
        path = name
        guard descriptor >= 0 else { throw posixError("cannot read standard input", name) }
        guard isatty(descriptor) == 0 else {
            throw AssayError(
                .usage, "Standard input is a terminal. Send a trace there: zcat trace.csv.gz | assay …",
                at: AssayError.Location(name))
        }
    }

    /// Creates a file that must not exist yet, to write and read: for this user alone unless `isShared`.
    init(creating path: String, isShared: Bool = false) throws(AssayError) {
        descriptor = retrying { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, isShared ? 0o644 : 0o600) }
        self.path = path
        guard descriptor >= 0 else {
            let remedy = errno == EEXIST ? ": it is there already; remove it or choose another name" : ""
            throw posixError("cannot create the file" + remedy, path)
        }
    }

    /// Opens a file that holds nothing and exists only to be locked, and waits for its lock. The lock ends with this
    /// value, or with the process.
    init(locking path: String) throws(AssayError) {
        descriptor = retrying { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        self.path = path
        guard descriptor >= 0 else { throw posixError("cannot create the lock file", path) }
        // A file system without locks only costs a second compilation: the rename keeps the result whole.
        _ = retrying { flock(descriptor, LOCK_EX) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Reads up to the buffer's size; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(AssayError) -> Int {
        var count = retrying { systemRead(descriptor, buffer.baseAddress, buffer.count) }
        // A pipe from another program may not wait of itself.
        while count < 0, errno == EAGAIN || errno == EWOULDBLOCK {
            var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&wait, 1, -1)
            count = retrying { systemRead(descriptor, buffer.baseAddress, buffer.count) }
        }
        guard count >= 0 else { throw posixError("cannot read", path) }
        return count
    }

    /// Writes every byte at the file's position.
    func write(_ bytes: UnsafeRawBufferPointer) throws(AssayError) {
        var rest = bytes
        while rest.count > 0 {
            let count = retrying { systemWrite(descriptor, rest.baseAddress, rest.count) }
            guard count >= 0 else { throw posixError("cannot write", path) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    /// Moves the position of the next read or write.
    func seek(to offset: Int) throws(AssayError) {
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { throw posixError("cannot seek", path) }
    }

    /// The state of the open file, which must be a regular one.
    ///
    /// - Throws: `AssayError` with code `usage` for a folder, a pipe or a device.
    func regularIdentity() throws(AssayError) -> FileIdentity {
        let identity = try identity()
        guard identity.isRegular else {
            throw AssayError(
                .usage,
                "This is not a regular file, and a trace is read more than once. Save it to a file first, or send it to standard "
                    + "input and name the trace '-'.",
                at: AssayError.Location(path))
        }
        return identity
    }

    /// The state of the open file.
    func identity() throws(AssayError) -> FileIdentity {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw posixError("cannot inspect the file", path) }
        #if canImport(Darwin)
            let modified = status.st_mtimespec
            let changed = status.st_ctimespec
        #else
            let modified = status.st_mtim
            let changed = status.st_ctim
        #endif
        return FileIdentity(
            sizeBytes: Int(status.st_size), modifiedNanoseconds: nanoseconds(modified),
            changedNanoseconds: nanoseconds(changed), inode: UInt64(status.st_ino),
            device: UInt64(truncatingIfNeeded: status.st_dev), isRegular: status.st_mode & S_IFMT == S_IFREG)
    }
}

private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, buffer, count)
}

private func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(file, bytes, count) }

private func nanoseconds(_ time: timespec) -> Int64 { Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec) }

/// Calls again while a signal interrupts.
private func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}

/// The last failure of the system, as an error.
func posixError(_ message: String, _ path: String) -> AssayError {
    let number = errno
    let hint =
        switch number {
        case ENOENT: " Check the path."
        case EACCES, EPERM, EROFS: " Check the permissions, or name another folder."
        case ENOSPC, EDQUOT: " Free some space, or name another folder."
        case EISDIR: " It is a folder; name a file."
        case ENOTDIR: " A part of the path is a file; name a folder."
        default: ""
        }
    return AssayError(
        .inputOutput, message + "." + hint, at: AssayError.Location(path), cause: String(cString: strerror(number)))
}
