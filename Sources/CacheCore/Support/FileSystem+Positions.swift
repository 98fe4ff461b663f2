#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reading and writing at places of files that stay open.
extension FileSystem {
    /// Opens a file for reading and writing, made if it is missing.
    package static func openForUpdating(_ path: [CChar]) throws(StoreError) -> Int32 {
        let descriptor = retrying { open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else { throw failure("open", path) }
        return descriptor
    }

    /// The length of an open file in bytes.
    package static func size(_ descriptor: Int32, path: [CChar]) throws(StoreError) -> Int {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure("read", path) }
        return Int(status.st_size)
    }

    /// Sets the length of an open file.
    package static func truncate(_ descriptor: Int32, to size: Int, path: [CChar]) throws(StoreError) {
        guard retrying({ ftruncate(descriptor, off_t(size)) }) == 0 else { throw failure("cut", path) }
    }

    /// Gives an open file blocks up to `size`, so that writing there cannot fail for want of space.
    ///
    /// - Throws: `full` if there is not enough space; the file may have become longer all the same.
    package static func allocate(_ descriptor: Int32, to size: Int, path: [CChar]) throws(StoreError) {
        #if canImport(Darwin)
            var store = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
                fst_length: off_t(max(0, size - (try self.size(descriptor, path: path)))), fst_bytesalloc: 0)
            guard fcntl(descriptor, F_PREALLOCATE, &store) == 0 else { throw failure("extend", path) }
            try truncate(descriptor, to: size, path: path)
        #else
            var code: Int32
            repeat { code = posix_fallocate(descriptor, 0, off_t(size)) } while code == EINTR
            guard code == 0 else { throw failure("extend", path, code) }
        #endif
    }

    /// Fills two pieces one after the other from a place in a file; returns how many bytes there were.
    package static func read(
        _ descriptor: Int32, at offset: Int, into first: UnsafeMutableRawBufferPointer,
        _ second: UnsafeMutableRawBufferPointer = .init(start: nil, count: 0), path: [CChar]
    ) throws(StoreError) -> Int {
        let total = first.count + second.count
        var filled = 0
        while filled < total {
            let n = retrying {
                transfer(UnsafeRawBufferPointer(first), UnsafeRawBufferPointer(second), from: filled) {
                    preadv(descriptor, $0, 2, off_t(offset + filled))
                }
            }
            guard n >= 0 else { throw failure("read", path) }
            if n == 0 { break }
            filled += n
        }
        return filled
    }

    /// Writes two pieces one after the other to a place in a file, in one call where the system takes them whole.
    package static func write(
        _ descriptor: Int32, at offset: Int, _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer = .init(start: nil, count: 0), path: [CChar]
    ) throws(StoreError) {
        let total = first.count + second.count
        var written = 0
        while written < total {
            let n = retrying {
                transfer(first, second, from: written) { pwritev(descriptor, $0, 2, off_t(offset + written)) }
            }
            guard n > 0 else { throw failure("write", path, n == 0 ? ENOSPC : errno) }
            written += n
        }
    }

    /// Asks the device to make a file's bytes, and what is needed to find them, durable.
    package static func synchroniseBytes(_ descriptor: Int32, path: [CChar]) throws(StoreError) {
        #if canImport(Darwin)
            try synchronise(descriptor, path: path)
        #else
            guard retrying({ fdatasync(descriptor) }) == 0 else { throw failure("synchronise", path) }
        #endif
    }

    private static func transfer(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, from done: Int,
        _ call: (UnsafePointer<iovec>) -> Int
    ) -> Int {
        var pieces = (
            vector(UnsafeRawBufferPointer(rebasing: first[min(done, first.count)...])),
            vector(UnsafeRawBufferPointer(rebasing: second[max(0, done - first.count)...]))
        )
        return withUnsafeBytes(of: &pieces) { call($0.baseAddress!.assumingMemoryBound(to: iovec.self)) }
    }
}
