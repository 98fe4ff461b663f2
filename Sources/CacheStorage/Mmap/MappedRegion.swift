import CMappedFault
import CacheCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that is mapped into memory up to its capacity and given blocks before they are touched.
///
/// The whole capacity is mapped at once, so addresses stay as the file grows. Only bytes that the file system has promised
/// blocks for are touched: a full disk is an error of ``grow(to:)`` and never a signal. Where another process cuts the file, or
/// its disk fails, touching it ends the process with a message that names the file and status 74 (`EX_IOERR`).
final class MappedRegion {
    let base: UnsafeMutableRawPointer
    /// The bytes that may be touched.
    private(set) var size: Int
    /// The bytes that the file may have.
    let capacity: Int
    private let path: [CChar]
    private let descriptor: Int32
    private let watch: OpaquePointer?

    /// Opens or makes a file and maps it.
    init(_ path: [CChar], capacity: Int) throws(StoreError) {
        self.path = path
        descriptor = try FileSystem.openForUpdating(path)
        do throws(StoreError) {
            size = try FileSystem.size(descriptor, path: path)
            self.capacity = max(capacity, size)
            // A copy of the file may have holes, which have no blocks.
            if size > 0 { try FileSystem.allocate(descriptor, to: size, path: path) }
            let address = mmap(nil, self.capacity, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            guard let address, address != MAP_FAILED else { throw FileSystem.failure("map", path) }
            base = address
            watch = assay_mapped_file_watch(base, self.capacity, path)
        } catch {
            FileSystem.closeFile(descriptor)
            throw error
        }
    }

    deinit {
        assay_mapped_file_release(watch)
        munmap(base, capacity)
        FileSystem.closeFile(descriptor)
    }

    /// Makes the file longer.
    ///
    /// - Throws: `full` if there is no space or the capacity is reached.
    func grow(to newSize: Int) throws(StoreError) {
        guard newSize <= capacity else {
            throw StoreError(.full, "the store has its \(capacity) bytes; raise capacity-bytes")
        }
        do throws(StoreError) {
            try FileSystem.allocate(descriptor, to: newSize, path: path)
        } catch {
            try? FileSystem.truncate(descriptor, to: size, path: path)
            throw error
        }
        size = newSize
    }

    /// Cuts the file, giving its blocks back.
    func shrink(to newSize: Int) throws(StoreError) {
        size = min(size, newSize)
        try FileSystem.truncate(descriptor, to: newSize, path: path)
    }

    /// Waits until a part of the file is on the device.
    func synchronise(_ range: Range<Int>) throws(StoreError) {
        let page = Int(getpagesize())
        let start = range.lowerBound / page * page
        guard msync(base + start, range.upperBound - start, MS_SYNC) == 0 else {
            throw FileSystem.failure("synchronise", path)
        }
    }

    /// Waits until the file's length is on the device.
    func synchroniseLength() throws(StoreError) { try FileSystem.synchronise(descriptor, path: path) }
}
