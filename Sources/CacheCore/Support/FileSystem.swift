#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The few system calls that stores in files need, with typed errors. Paths are bytes ended by a zero.
package enum FileSystem {
    /// What a failed call means to the owner of a store.
    package static func failure(_ action: String, _ path: [CChar], _ code: Int32 = errno) -> StoreError {
        let place = path.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        switch code {
        case ENOSPC, EDQUOT, EFBIG:
            return StoreError(
                .full, "no space to \(action) \(place); free some or use another directory", errno: code)
        case EACCES, EPERM, EROFS, ENOTDIR, ENOENT, EMFILE, ENFILE, ELOOP, ENAMETOOLONG, EWOULDBLOCK:
            return StoreError(
                .unavailable, "cannot \(action) \(place): \(String(cString: strerror(code))); check the directory",
                errno: code)
        default:
            return StoreError(
                .inputOutput, "cannot \(action) \(place): \(String(cString: strerror(code)))", errno: code)
        }
    }

    /// Opens for reading; nil if there is no such file.
    package static func openForReading(_ path: [CChar]) throws(StoreError) -> Int32? {
        let descriptor = retrying { open(path, O_RDONLY | O_CLOEXEC) }
        if descriptor >= 0 { return descriptor }
        guard errno == ENOENT else { throw failure("read", path) }
        return nil
    }

    /// Makes a new file; nil if its directory is missing.
    package static func create(_ path: [CChar]) throws(StoreError) -> Int32? {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let descriptor = retrying { open(path, flags, 0o600) }
        if descriptor >= 0 { return descriptor }
        guard errno == ENOENT else { throw failure("create", path) }
        return nil
    }

    /// Fills `buffer` as far as the file goes and returns how many bytes there were.
    package static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, path: [CChar]
    ) throws(StoreError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let n = try readOnce(
                descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), path: path)
            if n == 0 { break }
            filled += n
        }
        return filled
    }

    /// Reads what one call gives, 0 at the end of the file.
    package static func readOnce(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, path: [CChar]
    ) throws(StoreError) -> Int {
        let n = retrying { readBytes(descriptor, buffer.baseAddress!, buffer.count) }
        guard n >= 0 else { throw failure("read", path) }
        return n
    }

    /// Sets blocks aside for what will be written to a new file, where the system can; it is that long from now on.
    ///
    /// ext4 puts off the choice of blocks, and makes up for it when a file takes another's name: it then writes the file's bytes to
    /// the device, for which a caller who wanted no such promise waits a millisecond. A file that has its blocks is spared that.
    package static func reserve(_ descriptor: Int32, bytes: Int) {
        #if !canImport(Darwin)
            // A hint: what goes wrong here goes wrong again when it is written.
            _ = posix_fallocate(descriptor, 0, off_t(bytes))
        #endif
    }

    /// Writes two pieces one after the other, in one call where the system takes them whole.
    package static func write(
        _ descriptor: Int32, _ first: [UInt8], _ second: [UInt8], path: [CChar]
    ) throws(StoreError) {
        let total = first.count + second.count
        var written = 0
        while written < total {
            let n = retrying {
                first.withUnsafeBytes { a in
                    second.withUnsafeBytes { b in
                        var pieces = (
                            vector(UnsafeRawBufferPointer(rebasing: a[min(written, a.count)...])),
                            vector(UnsafeRawBufferPointer(rebasing: b[max(0, written - a.count)...]))
                        )
                        return withUnsafeBytes(of: &pieces) {
                            writev(descriptor, $0.baseAddress!.assumingMemoryBound(to: iovec.self), 2)
                        }
                    }
                }
            }
            guard n > 0 else { throw failure("write", path, n == 0 ? ENOSPC : errno) }
            written += n
        }
    }

    /// Asks the device to make a file's bytes, or a directory's names, durable.
    package static func synchronise(_ descriptor: Int32, path: [CChar]) throws(StoreError) {
        #if canImport(Darwin)
            let result = fcntl(descriptor, F_FULLFSYNC)
        #else
            let result = fsync(descriptor)
        #endif
        guard result == 0 else { throw failure("synchronise", path) }
    }

    /// Closes without looking at the result: for files that were read, or whose writes were checked before.
    package static func closeFile(_ descriptor: Int32) { _ = close(descriptor) }

    /// Closes a written file; network file systems report a lack of space only here.
    package static func closeWritten(_ descriptor: Int32, path: [CChar]) throws(StoreError) {
        guard close(descriptor) == 0 || errno == EINTR else { throw failure("write", path) }
    }

    /// Moves a file over another; false if a directory is missing.
    package static func move(_ from: [CChar], to: [CChar]) throws(StoreError) -> Bool {
        if rename(from, to) == 0 { return true }
        guard errno == ENOENT else { throw failure("replace", to) }
        return false
    }

    /// Deletes a file and returns whether there was one.
    package static func delete(_ path: [CChar]) throws(StoreError) -> Bool {
        if unlink(path) == 0 { return true }
        guard errno == ENOENT else { throw failure("delete", path) }
        return false
    }

    /// Whether there is something at a path.
    package static func exists(_ path: [CChar]) -> Bool { access(path, F_OK) == 0 }

    static func vector(_ bytes: UnsafeRawBufferPointer) -> iovec {
        iovec(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }

    private static func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, buffer, count)
        #elseif canImport(Musl)
            Musl.read(descriptor, buffer, count)
        #elseif canImport(Darwin)
            Darwin.read(descriptor, buffer, count)
        #endif
    }

    /// Repeats a call that a signal interrupted.
    static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
