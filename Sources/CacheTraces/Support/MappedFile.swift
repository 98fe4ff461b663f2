internal import CMappedFault
internal import CacheCore

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A whole file mapped into memory, read only, for as long as this object lives.
///
/// The memory stays valid when the file's name is removed or replaced. Where the file is cut short, or its disk fails, reading it ends
/// the process with a message and status 74 (`EX_IOERR`): no number that was made from what is not there comes out.
final class MappedFile: @unchecked Sendable {
    /// The content; whoever keeps the pointer keeps this object too.
    let bytes: UnsafeRawBufferPointer
    private let watch: OpaquePointer?

    /// Maps a file.
    init(_ file: borrowing PosixFile) throws(AssayError) {
        let size = try file.identity().sizeBytes
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            watch = nil
            return
        }
        guard let base = mmap(nil, size, PROT_READ, MAP_SHARED, file.descriptor, 0), base != MAP_FAILED else {
            throw posixError("cannot map the file into memory", file.path)
        }
        bytes = UnsafeRawBufferPointer(start: base, count: size)
        watch = assay_mapped_file_watch(base, size, file.path)
    }

    /// Lends the content for one call.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withExtendedLifetime(self) { body(bytes) }
    }

    deinit {
        guard let base = bytes.baseAddress else { return }
        assay_mapped_file_release(watch)
        munmap(UnsafeMutableRawPointer(mutating: base), bytes.count)
    }
}
